#include "rewind/history.hpp"

namespace revenant {

void History::push(Frame frame) {
    bytes_ += frame.bytes();
    frames_.push_back(std::move(frame));
}

void History::popOldest() {
    bytes_ -= frames_.front().bytes();
    frames_.pop_front();
}

void History::popNewest() {
    bytes_ -= frames_.back().bytes();
    frames_.pop_back();
}

void History::clear() noexcept {
    frames_.clear();
    bytes_ = 0;
}

double History::seconds() const noexcept {
    return empty() ? 0 : frames_.back().globals.seconds - frames_.front().globals.seconds;
}

}  // namespace revenant
