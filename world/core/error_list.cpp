#include "world/core/error_list.hpp"

#include <utility>

#include "world/error.hpp"

namespace revenant {

namespace {

struct Told {
    ErrorCode code = ErrorCode::WrongState;
    std::string text;
};

Told tell(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const Error& known) {
        return {known.code(), known.what()};
    } catch (const std::exception& other) {
        return {ErrorCode::WrongState, other.what()};
    } catch (...) {
        return {ErrorCode::WrongState, "an error in C++ that says nothing of itself"};
    }
}

}  // namespace

void ErrorList::add(std::exception_ptr error) {
    if (!error) return;
    if (errors_.size() < most)
        errors_.push_back(std::move(error));
    else
        ++left_;
}

void ErrorList::add(ErrorList&& others) {
    for (auto& error : others.errors_) add(std::move(error));
    left_ += others.left_;
    others.clear();
}

void ErrorList::raise() {
    if (errors_.empty()) return;
    const auto errors = std::exchange(errors_, {});
    const std::size_t left = std::exchange(left_, 0);
    if (errors.size() == 1) std::rethrow_exception(errors.front());
    std::string text = sentence(errors.size() + left, " errors:");
    for (std::size_t i = 0; i < errors.size(); ++i)
        text += sentence("\n", i + 1, ". ", tell(errors[i]).text);
    if (left > 0) text += sentence("\n... and ", left, " more");
    throw Error(tell(errors.front()).code, text);
}

}  // namespace revenant
