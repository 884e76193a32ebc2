#include "world/component_schema.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "world/codec/field_bytes.hpp"
#include "world/error.hpp"
#include "world/storage/string_table.hpp"

namespace revenant {

Field Field::lerp() && {
    blend = Blend::Lerp;
    return std::move(*this);
}

Field Field::angle() && {
    blend = Blend::Angle;
    return std::move(*this);
}

namespace detail {

ComponentSchema schemaOf(std::string name, std::vector<Field> fields, const void* initial,
                         std::size_t size, std::size_t alignment) {
    ComponentSchema schema;
    schema.name = std::move(name);
    schema.size = static_cast<std::uint32_t>(size);
    schema.alignment = static_cast<std::uint32_t>(alignment);
    schema.fields = std::move(fields);
    const auto* bytes = static_cast<const std::byte*>(initial);
    schema.defaults.assign(bytes, bytes + size);
    return schema;
}

}  // namespace detail

namespace {

[[noreturn]] void wrongType(const ComponentSchema& schema, const Field& field,
                            std::string_view expected, const Value& value) {
    fail(ErrorCode::WrongType, "component '", schema.name, "', field '", field.name, "' (",
         nameOf(field.type), ") takes ", expected, ", not ", value.kind());
}

double asNumber(const ComponentSchema& schema, const Field& field, const Value& value) {
    if (const auto* whole = value.as<std::int64_t>()) return static_cast<double>(*whole);
    if (const auto* number = value.as<double>()) return *number;
    wrongType(schema, field, "a number", value);
}

template <class T>
T asInteger(const ComponentSchema& schema, const Field& field, const Value& value) {
    using Limits = std::numeric_limits<T>;
    if (const auto* whole = value.as<std::int64_t>()) {
        if (std::cmp_greater_equal(*whole, Limits::min()) &&
            std::cmp_less_equal(*whole, Limits::max()))
            return static_cast<T>(*whole);
    } else if (const auto* number = value.as<double>()) {
        // 2^63 is the first double beyond int64; the bounds of the others are exact doubles.
        const bool inRange = *number >= static_cast<double>(Limits::min()) &&
                             *number < std::ldexp(1.0, Limits::digits);
        if (inRange && std::trunc(*number) == *number) return static_cast<T>(*number);
    } else {
        wrongType(schema, field, "a whole number", value);
    }
    fail(ErrorCode::WrongType, "component '", schema.name, "', field '", field.name, "' (",
         nameOf(field.type), ") takes a whole number between ", +Limits::min(), " and ",
         +Limits::max());
}

Value readElement(const StringTable& strings, FieldType type, const std::byte* at) {
    if (isNumber(type)) return numberAt(type, at);
    switch (type) {
        case FieldType::Bool: return Value(loadAs<std::uint8_t>(at) != 0);
        case FieldType::Entity: return Value(loadAs<EntityId>(at));
        case FieldType::String: return Value(strings.text(loadAs<StringId>(at)));
        default: return {};
    }
}

void writeElement(StringTable& strings, const ComponentSchema& schema, const Field& field,
                  std::byte* at, const Value& value) {
    switch (field.type) {
        case FieldType::F32: return storeAs(at, static_cast<float>(asNumber(schema, field, value)));
        case FieldType::F64: return storeAs(at, asNumber(schema, field, value));
        case FieldType::I32: return storeAs(at, asInteger<std::int32_t>(schema, field, value));
        case FieldType::U32: return storeAs(at, asInteger<std::uint32_t>(schema, field, value));
        case FieldType::I64: return storeAs(at, asInteger<std::int64_t>(schema, field, value));
        case FieldType::U8: return storeAs(at, asInteger<std::uint8_t>(schema, field, value));
        case FieldType::Bool:
            if (const auto* flag = value.as<bool>()) return storeAs(at, std::uint8_t{*flag});
            wrongType(schema, field, "a boolean", value);
        case FieldType::Entity:
            if (value.isNone()) return storeAs(at, EntityId{});
            if (const auto* id = value.as<EntityId>()) return storeAs(at, *id);
            wrongType(schema, field, "an entity or nothing", value);
        case FieldType::String:
            if (const auto* text = value.as<std::string>())
                return storeAs(at, strings.internField(*text));
            wrongType(schema, field, "a string", value);
    }
}

std::uint32_t roundUp(std::uint32_t value, std::uint32_t alignment) noexcept {
    return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

std::uint32_t sizeOf(FieldType type) noexcept {
    switch (type) {
        case FieldType::F64:
        case FieldType::I64:
        case FieldType::Entity: return 8;
        case FieldType::U8:
        case FieldType::Bool: return 1;
        default: return 4;
    }
}

std::string_view nameOf(FieldType type) noexcept {
    static constexpr std::string_view names[] = {"f32", "f64",  "i32",    "u32",   "i64",
                                                 "u8",  "bool", "entity", "string"};
    return names[static_cast<std::size_t>(type)];
}

bool isLaidOutAlike(const ComponentSchema& a, const ComponentSchema& b) noexcept {
    return a.name == b.name && a.size == b.size && a.alignment == b.alignment &&
           std::ranges::equal(a.fields, b.fields, [](const Field& x, const Field& y) {
               return x.name == y.name && x.type == y.type && x.offset == y.offset &&
                      x.count == y.count && x.isArray == y.isArray;
           });
}

const Field* ComponentSchema::findField(std::string_view fieldName) const noexcept {
    auto found = std::ranges::find(fields, fieldName, &Field::name);
    return found == fields.end() ? nullptr : &*found;
}

const Field& ComponentSchema::requireField(std::string_view fieldName) const {
    if (const Field* found = findField(fieldName)) return *found;
    std::string known;
    for (const Field& each : fields) known += (known.empty() ? "" : ", ") + each.name;
    fail(ErrorCode::UnknownField, "component '", name, "' has no field '", fieldName,
         "'; its fields are: ", known.empty() ? "none" : known);
}

Value readField(const StringTable& strings, const Field& field, const std::byte* component) {
    const std::byte* at = component + field.offset;
    if (!field.isArray) return readElement(strings, field.type, at);
    ValueArray values;
    for (std::uint32_t i = 0; i < field.count; ++i)
        values.push_back(
            readElement(strings, field.type, at + std::size_t{i} * sizeOf(field.type)));
    return Value(std::move(values));
}

void writeField(StringTable& strings, const ComponentSchema& schema, const Field& field,
                std::byte* component, const Value& value) {
    std::byte* at = component + field.offset;
    if (!field.isArray) return writeElement(strings, schema, field, at, value);
    const auto* values = value.as<ValueArray>();
    if (!values) wrongType(schema, field, "an array", value);
    if (values->size() > field.count)
        fail(ErrorCode::WrongType, "component '", schema.name, "', field '", field.name,
             "' takes at most ", field.count, " elements, not ", values->size());
    // Into a copy first: an element that does not fit must not leave half an array behind.
    const std::size_t stride = sizeOf(field.type);
    std::vector<std::byte> copy(at, at + stride * field.count);
    for (std::size_t i = 0; i < values->size(); ++i)
        writeElement(strings, schema, field, copy.data() + i * stride, (*values)[i]);
    std::memcpy(at, copy.data(), copy.size());
}

void checkSchema(const ComponentSchema& schema) {
    auto fields = schema.fields;
    std::ranges::sort(fields, {}, &Field::offset);
    std::size_t end = 0;
    for (const Field& each : fields) {
        if (each.name.empty())
            fail(ErrorCode::BadArgument, "component '", schema.name, "' has a field without name");
        if (std::ranges::count(fields, each.name, &Field::name) > 1)
            fail(ErrorCode::BadArgument, "component '", schema.name, "' has two fields named '",
                 each.name, "'");
        if (each.offset < end || each.count == 0)
            fail(ErrorCode::BadArgument, "component '", schema.name, "', field '", each.name,
                 "' overlaps another field or is an empty array");
        end = each.offset + std::size_t{sizeOf(each.type)} * each.count;
    }
    if (end > schema.size)
        fail(ErrorCode::BadArgument, "component '", schema.name, "' is smaller than its fields");
}

ComponentSchema makeSchema(StringTable& strings, std::string name, std::vector<FieldSpec> specs) {
    ComponentSchema schema;
    schema.name = std::move(name);
    std::ranges::sort(specs, {}, &FieldSpec::name);
    std::uint32_t end = 0;
    for (const FieldSpec& spec : specs) {
        const std::uint32_t element = sizeOf(spec.type);
        if (spec.count > maxComponentBytes)
            fail(ErrorCode::LimitReached, "component '", schema.name, "', field '", spec.name,
                 "': an array of ", spec.count, " elements is too long");
        const bool isArray = spec.isArray || spec.count > 1;
        Field laidOut{spec.name, spec.type, roundUp(end, element), spec.count, isArray, spec.blend};
        end = laidOut.offset + element * spec.count;
        if (end > maxComponentBytes)
            fail(ErrorCode::LimitReached, "component '", schema.name, "' is larger than ",
                 maxComponentBytes, " bytes");
        schema.alignment = std::max(schema.alignment, element);
        schema.fields.push_back(std::move(laidOut));
    }
    schema.size = std::max(roundUp(end, schema.alignment), 1U);
    checkSchema(schema);
    schema.defaults.resize(schema.size);
    for (const FieldSpec& spec : specs)
        if (!spec.initial.isNone())
            writeField(strings, schema, schema.requireField(spec.name), schema.defaults.data(),
                       spec.initial);
    return schema;
}

}  // namespace revenant
