// ComponentSchema: what a component's bytes mean: fields with name, type, offset and default, so
// that Lua, rewind and tools can read a component without knowing its C++ type.
// Plain data; immutable once a world has defined it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "world/entity_id.hpp"
#include "world/string_id.hpp"
#include "world/value.hpp"

namespace revenant {

class StringTable;

enum class FieldType : std::uint8_t { F32, F64, I32, U32, I64, U8, Bool, Entity, String };

std::uint32_t sizeOf(FieldType type) noexcept;
std::string_view nameOf(FieldType type) noexcept;

// How two neighbouring frames are blended for display.
enum class Blend : std::uint8_t { None, Lerp, Angle };

struct Field {
    std::string name;
    FieldType type = FieldType::F64;
    std::uint32_t offset = 0;
    std::uint32_t count = 1;  // of elements; more than 1 or `isArray`: a fixed-size array
    bool isArray = false;
    Blend blend = Blend::None;

    Field lerp() &&;
    Field angle() &&;
};

// A field whose place is not known yet: run-time definitions are laid out in name order.
struct FieldSpec {
    std::string name;
    FieldType type = FieldType::F64;
    Value initial = {};  // none: zero
    std::uint32_t count = 1;
    bool isArray = false;
    Blend blend = Blend::None;
};

// No component may be larger: EMPTY is a block of zeros this long.
inline constexpr std::size_t maxComponentBytes = 64 * 1024;

struct ComponentSchema {
    std::string name;
    std::uint32_t size = 1;  // a component without fields still has an address
    std::uint32_t alignment = 1;
    std::vector<Field> fields;
    std::vector<std::byte> defaults;

    const Field* findField(std::string_view fieldName) const noexcept;
    // Throws an Error that lists the fields there are.
    const Field& requireField(std::string_view fieldName) const;
};

// Same name, size and fields; defaults and blending may differ.
bool isLaidOutAlike(const ComponentSchema& a, const ComponentSchema& b) noexcept;

// A partial initialisation: named fields that differ from their defaults.
struct Override {
    std::string field;
    Value value;
};

// Reads and writes one field of a component's bytes. Writing checks type and range first and
// throws without having written anything.
Value readField(const StringTable& strings, const Field& field, const std::byte* component);
void writeField(StringTable& strings, const ComponentSchema& schema, const Field& field,
                std::byte* component, const Value& value);

// Lays `specs` out in name order. Throws on a field named twice, an empty name or array, a bad
// default, and on more than maxComponentBytes.
ComponentSchema makeSchema(StringTable& strings, std::string name, std::vector<FieldSpec> specs);
// Throws if the fields of a C++-defined schema repeat a name, overlap or leave the struct.
void checkSchema(const ComponentSchema& schema);

// ---- C++ structs -------------------------------------------------------------------------

namespace detail {
ComponentSchema schemaOf(std::string name, std::vector<Field> fields, const void* initial,
                         std::size_t size, std::size_t alignment);
}  // namespace detail

template <class T>
struct FieldTraits;
template <FieldType fieldType>
struct ScalarField {
    static constexpr FieldType type = fieldType;
    static constexpr std::uint32_t count = 1;
    static constexpr bool isArray = false;
};
template <>
struct FieldTraits<float> : ScalarField<FieldType::F32> {};
template <>
struct FieldTraits<double> : ScalarField<FieldType::F64> {};
template <>
struct FieldTraits<std::int32_t> : ScalarField<FieldType::I32> {};
template <>
struct FieldTraits<std::uint32_t> : ScalarField<FieldType::U32> {};
template <>
struct FieldTraits<std::int64_t> : ScalarField<FieldType::I64> {};
template <>
struct FieldTraits<std::uint8_t> : ScalarField<FieldType::U8> {};
template <>
struct FieldTraits<bool> : ScalarField<FieldType::Bool> {};
template <>
struct FieldTraits<EntityId> : ScalarField<FieldType::Entity> {};
template <>
struct FieldTraits<StringId> : ScalarField<FieldType::String> {};
template <class T, std::size_t n>
struct FieldTraits<T[n]> : FieldTraits<T> {
    static_assert(!FieldTraits<T>::isArray, "a field is an array of one dimension at most");
    static constexpr std::uint32_t count = n;
    static constexpr bool isArray = true;
};
template <class T, std::size_t n>
struct FieldTraits<std::array<T, n>> : FieldTraits<T[n]> {};

template <class T>
concept FieldMember = requires {
    FieldTraits<T>::type;
};

// The field that `member` of `probe` is.
template <class Component, class Member>
Field fieldAt(std::string name, const Component& probe, const Member& member) {
    static_assert(FieldMember<Member>,
                  "a field is a float, double, int32_t, uint32_t, int64_t, uint8_t, bool, "
                  "EntityId, StringId, or an "
                  "array of these");
    Field result;
    result.name = std::move(name);
    result.type = FieldTraits<Member>::type;
    result.count = FieldTraits<Member>::count;
    result.isArray = FieldTraits<Member>::isArray;
    result.offset = static_cast<std::uint32_t>(reinterpret_cast<const char*>(&member) -
                                               reinterpret_cast<const char*>(&probe));
    return result;
}

// Describes a data member: `field("x", &Transform::x).lerp()`.
template <class Component, class Member>
Field field(std::string name, Member Component::*member) {
    static const Component probe{};
    return fieldAt<Component, Member>(std::move(name), probe, probe.*member);
}

template <class Component>
ComponentSchema makeSchema(std::string name, std::vector<Field> fields) {
    static_assert(std::is_trivially_copyable_v<Component>,
                  "a component is plain data: it is copied, hashed and rewound as bytes");
    static_assert(sizeof(Component) <= maxComponentBytes);
    static_assert(alignof(Component) <= 64, "component storage is 64-byte aligned");
    static const Component initial{};
    const void* bytes = &initial;
    return detail::schemaOf(std::move(name), std::move(fields), bytes, sizeof(Component),
                            alignof(Component));
}

}  // namespace revenant
