#include "world/error.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace revenant {

namespace {
AssertionHandler assertionHandler = nullptr;
}

std::string withoutZeros(const std::string& text) {
    std::string spelled;
    for (const char letter : text) {
        if (letter == 0)
            spelled += "\\0";
        else
            spelled += letter;
    }
    return spelled;
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
