// Callback: something that the library calls later, such as a listener or the function of a system. It is
// std::function with a header that is cheap to compile: every file that includes the library pays for that.
// It takes whatever can be called with the arguments, std::function included. Copies share what they call.
#pragma once

#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace revenant {

namespace detail {

[[noreturn]] void failEmptyCallback();

}  // namespace detail

template <class Signature>
class Callback;

template <class Result, class... Arguments>
class Callback<Result(Arguments...)> {
public:
    Callback() = default;
    Callback(std::nullptr_t) {}
    // Empty where `callable` is: a null pointer, or an empty std::function.
    template <class Callable>
        requires(!std::is_same_v<Callable, Callback> &&
                 std::is_invocable_r_v<Result, Callable&, Arguments...>)
    Callback(Callable callable) {
        if constexpr (std::is_pointer_v<Callable> || std::is_member_pointer_v<Callable> ||
                      requires { callable.operator bool(); })
            if (!callable) return;
        callable_ = std::make_shared<Callable>(std::move(callable));
        call_ = &call<Callable>;
    }

    explicit operator bool() const noexcept { return callable_ != nullptr; }
    // Throws Error{WrongState} where it is empty.
    Result operator()(Arguments... arguments) const {
        if (!callable_) detail::failEmptyCallback();
        return call_(callable_.get(), std::forward<Arguments>(arguments)...);
    }

    // What it calls, if that is of this type; else null.
    template <class Kept>
    Kept* target() const noexcept {
        return call_ == &call<Kept> ? static_cast<Kept*>(callable_.get()) : nullptr;
    }

private:
    template <class Kept>
    static Result call(void* kept, Arguments... arguments) {
        Kept& callable = *static_cast<Kept*>(kept);
        if constexpr (std::is_member_pointer_v<Kept>)
            return std::apply(callable,
                              std::tuple<Arguments&&...>(std::forward<Arguments>(arguments)...));
        else
            return static_cast<Result>(callable(std::forward<Arguments>(arguments)...));
    }

    std::shared_ptr<void> callable_;
    Result (*call_)(void* kept, Arguments... arguments) = nullptr;
};

}  // namespace revenant
