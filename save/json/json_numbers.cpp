#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "save/json/json_plain.hpp"
#include "world/error.hpp"

namespace revenant {

namespace {

constexpr char digits[] = "0123456789abcdef";
constexpr double firstInexact = 9007199254740992.0;  // 2^53

std::string hexOfBits(std::uint64_t bits) {
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) text += digits[bits >> shift & 15];
    return text;
}

int digitOf(char character) noexcept {
    if (character >= '0' && character <= '9') return character - '0';
    if (character >= 'a' && character <= 'f') return character - 'a' + 10;
    return -1;
}

// The double of the shortest text that reads as this number again. Not by std::to_chars: that brings tables of 170 KB.
double shortest(float number) {
    constexpr int leastDigits = std::numeric_limits<float>::digits10;
    constexpr int mostDigits = std::numeric_limits<float>::max_digits10;
    std::array<char, 32> text{};
    for (int precision = leastDigits; precision <= mostDigits; ++precision) {
        std::snprintf(text.data(), text.size(), "%.*g", precision, static_cast<double>(number));
        if (std::strtof(text.data(), nullptr) == number) break;
    }
    return std::strtod(text.data(), nullptr);
}

double shortest(double number) {
    return number;  // the JSON library does it
}

template <class Number>
Json finiteToJson(Number number) {
    if (number == std::trunc(number) && std::abs(number) < firstInexact &&
        !(number == 0 && std::signbit(number)))
        return static_cast<std::int64_t>(number);
    return shortest(number);
}

Json oddToJson(double number) {
    if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
    const auto bits = std::bit_cast<std::uint64_t>(number);
    return bits == 0x7FF8000000000000U ? Json("nan") : Json("nan:" + hexOfBits(bits));
}

}  // namespace

std::string JsonPlace::text() const {
    if (!above) return key;
    return above->text() + (key.starts_with('[') ? "" : ".") + shortened(key);
}

std::string shortened(std::string_view text) {
    constexpr std::size_t most = 240;
    if (text.size() <= most) return std::string(text);
    return sentence(text.substr(0, most / 2), " ... ", text.substr(text.size() - most / 2));
}

void badJson(const JsonPlace& place, const std::string& why) {
    fail(ErrorCode::BadArgument, "the JSON does not describe a save: ", place.text(), " ", why);
}

Json numberToJson(double number) {
    return std::isfinite(number) ? finiteToJson(number) : oddToJson(number);
}

Json numberToJson(float number) {
    return std::isfinite(number) ? finiteToJson(number) : oddToJson(double{number});
}

double numberFromJson(const Json& json, const JsonPlace& place) {
    if (json.isNumber()) return json.asNumber();
    if (!json.isText()) badJson(place, "must be a number");
    const std::string& text = json.asText();
    if (text == "inf") return HUGE_VAL;
    if (text == "-inf") return -HUGE_VAL;
    if (text == "nan") return std::bit_cast<double>(std::uint64_t{0x7FF8000000000000U});
    constexpr std::string_view prefix = "nan:";
    if (text.starts_with(prefix) && text.size() == prefix.size() + 16) {
        std::uint64_t bits = 0;
        for (const char character : text.substr(prefix.size())) {
            if (digitOf(character) < 0)
                badJson(place, "has characters that are no hexadecimal digits");
            bits = bits << 4 | static_cast<std::uint64_t>(digitOf(character));
        }
        const auto number = std::bit_cast<double>(bits);
        if (std::isnan(number)) return number;
    }
    badJson(place, R"(must be a number, or one of "nan", "inf" and "-inf")");
}

std::string hexOf(std::span<const std::byte> bytes) {
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const std::byte each : bytes) {
        text += digits[static_cast<unsigned>(each) >> 4];
        text += digits[static_cast<unsigned>(each) & 15];
    }
    return text;
}

std::vector<std::byte> bytesFromHex(const std::string& text, const JsonPlace& place) {
    std::vector<std::byte> bytes;
    if (text.size() % 2 != 0) badJson(place, "has half a byte at its end");
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = digitOf(text[i]);
        const int low = digitOf(text[i + 1]);
        if (high < 0 || low < 0) badJson(place, "must be bytes, as hexadecimal digits");
        bytes.push_back(static_cast<std::byte>(high << 4 | low));
    }
    return bytes;
}

bool isUtf8(std::string_view text) noexcept {
    // As strict as the parser: no surrogates, no overlong forms, no code points beyond the last.
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i++]);
        if (lead < 0x80) continue;
        const int more = lead >= 0xC2 && lead < 0xE0   ? 1
                         : lead >= 0xE0 && lead < 0xF0 ? 2
                         : lead >= 0xF0 && lead < 0xF5 ? 3
                                                       : -1;
        if (more < 0 || i + static_cast<std::size_t>(more) > text.size()) return false;
        const auto second = static_cast<unsigned char>(text[i]);
        const int least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
        const int most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
        if (second < least || second > most) return false;
        for (int k = 1; k < more; ++k)
            if ((static_cast<unsigned char>(text[i + static_cast<std::size_t>(k)]) & 0xC0) != 0x80)
                return false;
        i += static_cast<std::size_t>(more);
    }
    return true;
}

std::string keyOf(const std::string& name) {
    const bool isOurs = name.starts_with('[') || name == "$state" || name == "$make";
    if (isUtf8(name) && !isOurs) return name;
    return "[" + hexOf(std::as_bytes(std::span(name))) + "]";
}

std::string nameOfKey(const std::string& key, const JsonPlace& place) {
    if (!key.starts_with('[')) return key;
    if (!key.ends_with(']')) badJson(place, "has a name that begins with [, but is no bytes");
    const auto bytes = bytesFromHex(key.substr(1, key.size() - 2), place);
    std::string name(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    // No name may have two keys.
    if (keyOf(name) != key) badJson(place, "must be written as \"" + keyOf(name) + "\"");
    return name;
}

Json textToJson(std::string_view text) {
    if (isUtf8(text)) return std::string(text);
    return {"$bytes", hexOf(std::as_bytes(std::span(text)))};
}

std::string textFromJson(const Json& json, const JsonPlace& place) {
    if (json.isText()) return json.asText();
    const Json* digitsOf = json.find("$bytes");
    if (!digitsOf || json.members().size() != 1 || !digitsOf->isText())
        badJson(place, "must be a text");
    const auto bytes = bytesFromHex(digitsOf->asText(), place);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace revenant
