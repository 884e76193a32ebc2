#include "world/error.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace revenant {

namespace {
AssertionHandler assertionHandler = nullptr;
}

AssertionHandler setAssertionHandler(AssertionHandler handler) noexcept {
    return std::exchange(assertionHandler, handler);
}

void assertionFailed(const std::string& sentence) {
    if (assertionHandler) assertionHandler(sentence);
    std::fprintf(stderr, "revenant: assertion failed: %s\n", sentence.c_str());
    std::abort();
}

}  // namespace revenant
