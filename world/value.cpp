#include "world/value.hpp"

namespace revenant {

Value::Value() noexcept = default;
Value::Value(int number) : variant(std::int64_t{number}) {}
Value::Value(const char* text) : variant(std::string(text)) {}

// By assignment: where memory runs out in its copy constructor, the variant of libstdc++ 12 destroys an
// alternative that was not made.
// NOLINTNEXTLINE(bugprone-copy-constructor-init)
Value::Value(const Value& other) : variant() {
    variant::operator=(other);
}
Value::Value(Value&&) noexcept = default;
Value& Value::operator=(const Value&) = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value() = default;

std::string_view Value::kind() const noexcept {
    static constexpr std::string_view names[] = {"nothing",  "a boolean", "a number", "a number",
                                                 "a string", "an entity", "an array"};
    return names[index()];
}

}  // namespace revenant
