// Numbers in the bytes of fields, by their types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "world/component_schema.hpp"
#include "world/value.hpp"

namespace revenant {

template <class T>
T loadAs(const std::byte* at) noexcept {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

template <class T>
void storeAs(std::byte* at, T value) noexcept {
    std::memcpy(at, &value, sizeof value);
}

inline bool isNumber(FieldType type) noexcept {
    return type <= FieldType::U8;
}

// Calls visit(T{}) with the C++ type of a number. REQUIRES: isNumber(type).
template <class Visit>
auto withNumberType(FieldType type, Visit visit) {
    switch (type) {
        case FieldType::F32: return visit(float{});
        case FieldType::I32: return visit(std::int32_t{});
        case FieldType::U32: return visit(std::uint32_t{});
        case FieldType::I64: return visit(std::int64_t{});
        case FieldType::U8: return visit(std::uint8_t{});
        default: return visit(double{});
    }
}

// As programs get it: a double, or a whole number of 64 bits. REQUIRES: isNumber(type).
inline Value numberAt(FieldType type, const std::byte* at) {
    return withNumberType(type, [at](auto zero) {
        using T = decltype(zero);
        if constexpr (std::is_floating_point_v<T>)
            return Value(double{loadAs<T>(at)});
        else
            return Value(std::int64_t{loadAs<T>(at)});
    });
}

}  // namespace revenant
