// Value: a plain value whose type is known only at run time: what a component field, an override
// or a resource holds when tools, files or Lua look at it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "world/entity_id.hpp"

namespace revenant {

struct Value;
using ValueArray = std::vector<Value>;

struct Value
    : std::variant<std::monostate, bool, std::int64_t, double, std::string, EntityId, ValueArray> {
    using variant::variant;
    // Defined in the library: where programs instantiate what a variant does to copy and to destroy
    // its alternatives, each file that includes this compiles a fifth longer.
    Value() noexcept;
    Value(int number);
    Value(const char* text);
    Value(const Value& other);
    Value(Value&&) noexcept;
    Value& operator=(const Value&);
    Value& operator=(Value&&) noexcept;
    ~Value();

    template <class T>
    const T* as() const noexcept {
        return std::get_if<T>(static_cast<const variant*>(this));
    }
    bool isNone() const noexcept { return index() == 0; }
    // "nothing", "a boolean", ...: for sentences.
    std::string_view kind() const noexcept;
};

}  // namespace revenant
