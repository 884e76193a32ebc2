#include "world/error.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <iterator>
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

Error::Error(ErrorCode code, const std::string& sentence)
    : std::runtime_error(withoutZeros(sentence)), code_(code) {}

void Error::throwBehind(const std::string& prefix) const {
    throw Error(code_, prefix + what());
}

void SentencePart::appendTo(std::string& sentence) const {
    char digits[32];
    char* end = digits;
    switch (kind_) {
        case Kind::Text: sentence += text_; return;
        case Kind::Letter: sentence += letter_; return;
        case Kind::Signed:
            end = std::to_chars(digits, std::end(digits), static_cast<std::int64_t>(integer_)).ptr;
            break;
        case Kind::Unsigned: end = std::to_chars(digits, std::end(digits), integer_).ptr; break;
        case Kind::Real: end = digits + std::snprintf(digits, sizeof digits, "%g", real_); break;
    }
    sentence.append(digits, end);
}

std::string joined(std::initializer_list<SentencePart> parts) {
    std::string sentence;
    for (const SentencePart& part : parts) part.appendTo(sentence);
    return sentence;
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
