// A value of JSON in memory. The JSON library parses and prints, but its own tree is not used: its destructor allocates,
// so that running out of memory would end the process. This one's never does.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace revenant {

class Json {
public:
    using Array = std::vector<Json>;
    using Object = std::vector<std::pair<std::string, Json>>;  // in the order of the text

    Json() noexcept = default;  // null
    Json(bool value) noexcept : content_(value) {}
    template <std::signed_integral T>
    Json(T value) noexcept : content_(std::int64_t{value}) {}
    template <std::unsigned_integral T>
        requires(!std::same_as<T, bool>)
    Json(T value)
    noexcept : content_(std::uint64_t{value}) {}
    Json(double value) noexcept : content_(value) {}
    Json(std::string text) noexcept : content_(std::move(text)) {}
    Json(const char* text) : content_(std::string(text)) {}
    Json(Array values) noexcept : content_(std::move(values)) {}
    Json(Object members) noexcept : content_(std::move(members)) {}
    // An object of one member.
    Json(const char* key, Json value) : content_(Object()) { add(key, std::move(value)); }

    Json(const Json&) = delete;
    Json& operator=(const Json&) = delete;
    Json(Json&&) noexcept = default;
    Json& operator=(Json&&) noexcept = default;
    ~Json() = default;

    bool isNull() const noexcept { return is<std::monostate>(); }
    bool isBool() const noexcept { return is<bool>(); }
    bool isText() const noexcept { return is<std::string>(); }
    bool isArray() const noexcept { return is<Array>(); }
    bool isObject() const noexcept { return is<Object>(); }
    // Whole numbers below zero are signed ones, other whole numbers of a text unsigned ones.
    bool isSigned() const noexcept { return is<std::int64_t>(); }
    bool isUnsigned() const noexcept { return is<std::uint64_t>(); }
    bool isNumber() const noexcept { return isSigned() || isUnsigned() || is<double>(); }

    // Each REQUIRES: it is of that kind.
    bool asBool() const { return std::get<bool>(content_); }
    std::int64_t asSigned() const { return std::get<std::int64_t>(content_); }
    std::uint64_t asUnsigned() const { return std::get<std::uint64_t>(content_); }
    double asNumber() const;
    const std::string& asText() const { return std::get<std::string>(content_); }
    const Array& elements() const { return std::get<Array>(content_); }
    Array& elements() { return std::get<Array>(content_); }
    const Object& members() const { return std::get<Object>(content_); }
    Object& members() { return std::get<Object>(content_); }

    // The member of an object; null if there is none, or it is not an object.
    const Json* find(std::string_view key) const noexcept;
    bool contains(std::string_view key) const noexcept { return find(key) != nullptr; }

    // REQUIRES: an array; an object without the key. Return the value in its place, good until the next is added.
    Json& add(Json value) { return elements().emplace_back(std::move(value)); }
    Json& add(std::string key, Json value) {
        return members().emplace_back(std::move(key), std::move(value)).second;
    }

    // Itself, and all that is in it.
    std::size_t countValues() const noexcept;
    // Appends it to a text: a line per element or member, behind one tab more than `tabs`.
    void print(std::string& text, std::size_t tabs) const;

private:
    template <class T>
    bool is() const noexcept {
        return std::holds_alternative<T>(content_);
    }

    std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array,
                 Object>
        content_;
};

void printText(std::string& text, const std::string& value);

}  // namespace revenant
