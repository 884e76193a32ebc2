// ThrowingAssertions: while it lives, a failed assertion of the engine throws AssertionFailed
// instead of ending the process, so that a test can look at it.
#pragma once

#include <stdexcept>
#include <string>

#include "world/error.hpp"

namespace revenant {

struct AssertionFailed : std::logic_error {
    using std::logic_error::logic_error;
};

class ThrowingAssertions {
public:
    ThrowingAssertions() noexcept
        : before_(setAssertionHandler(
              [](const std::string& sentence) { throw AssertionFailed(sentence); })) {}
    ThrowingAssertions(const ThrowingAssertions&) = delete;
    ThrowingAssertions& operator=(const ThrowingAssertions&) = delete;
    ~ThrowingAssertions() { setAssertionHandler(before_); }

private:
    AssertionHandler before_;
};

}  // namespace revenant
