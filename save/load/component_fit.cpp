#include "save/load/component_fit.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "world/codec/field_bytes.hpp"
#include "world/error.hpp"

namespace revenant {

namespace {

std::string describe(const SavedField& field) {
    return sentence(nameOf(field.type), field.isArray ? sentence("[", field.count, "]") : "");
}

std::string describe(const Field& field) {
    return sentence(nameOf(field.type), field.isArray ? sentence("[", field.count, "]") : "");
}

// Whether the number is the same in the other type; if so, writes it.
template <class To, class From>
bool convert(From value, std::byte* to) noexcept {
    if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
        if (!std::in_range<To>(value)) return false;
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        // The bounds are exact: a power of two, and the lowest number.
        const double number = value;
        if (!(number >= static_cast<double>(std::numeric_limits<To>::min()) &&
              number < std::ldexp(1.0, std::numeric_limits<To>::digits)) ||
            std::trunc(number) != number || (number == 0 && std::signbit(number)))
            return false;
    } else if constexpr (std::is_integral_v<From>) {
        const To number = static_cast<To>(value);
        // 2^63 and 2^31 themselves do not fit the integer.
        if (static_cast<double>(number) >= std::ldexp(1.0, std::numeric_limits<From>::digits) ||
            static_cast<From>(number) != value)
            return false;
    } else {
        const To number = static_cast<To>(value);
        if (!std::isnan(value) && static_cast<From>(number) != value) return false;
    }
    const To result = static_cast<To>(value);
    std::memcpy(to, &result, sizeof result);
    return true;
}

Value valueAt(const SavedField& field, std::uint32_t element, const std::byte* row,
              const SaveNames& names) {
    const std::byte* at = row + field.offset + std::size_t{element} * sizeOf(field.type);
    if (isNumber(field.type)) return numberAt(field.type, at);
    switch (field.type) {
        case FieldType::Bool: return Value(loadAs<std::uint8_t>(at) != 0);
        case FieldType::String: return Value(names.strings[loadAs<std::uint32_t>(at)]);
        default: break;
    }
    const EntityId id = SavedReference::unpack(loadAs<std::uint64_t>(at));
    return id.generation == SavedReference::there ? Value(names.entityOf(id)) : Value();
}

Value valueOf(const SavedField& field, const std::byte* row, const SaveNames& names) {
    if (!field.isArray) return valueAt(field, 0, row, names);
    ValueArray values;
    for (std::uint32_t i = 0; i < field.count; ++i) values.push_back(valueAt(field, i, row, names));
    return values;
}

}  // namespace

ComponentFit::ComponentFit(const SavedComponent& saved, ComponentType& type)
    : saved_(&saved), type_(&type) {
    if (saved.version > type.version)
        fail(ErrorCode::WrongType, "component '", saved.name, "' was saved in its version ",
             saved.version, ", and this game has version ", type.version,
             "; load it with the game that saved it, or a later one");
    const bool isScript = type.hooks && type.hooks->isPlainData();
    if (!isScript && saved.stateKind == StateKind::Plain)
        fail(ErrorCode::WrongType, "component '", saved.name,
             "' was saved as a script component, and is none now; give the new one another name");
    if (isScript && (saved.stateKind == StateKind::Bytes ||
                     (saved.stateKind == StateKind::None && !saved.fields.empty())))
        fail(ErrorCode::WrongType, "component '", saved.name,
             "' was saved as a native component, and is a script component now; give the new one "
             "another name");
    isMigrated_ = saved.version < type.version && type.migration;
    if (isMigrated_) return;
    for (const SavedField& field : saved.fields) addStep(field);
}

void ComponentFit::addStep(const SavedField& field) {
    const Field* to = type_->schema.findField(field.name);
    if (!to) return;  // dropped
    const bool isCopy = field.type == to->type && isNumber(field.type);
    const bool isSame = field.type == to->type || (isNumber(field.type) && isNumber(to->type));
    if (!isSame || field.isArray != to->isArray)
        refuse(field,
               sentence("was saved as ", describe(field), " and is ", describe(*to), " now"));
    if (field.count > to->count)
        refuse(field,
               sentence("was saved with ", field.count, " elements and has ", to->count, " now"));
    steps_.push_back({&field, to, field.count, isCopy});
}

void ComponentFit::refuse(const SavedField& field, const std::string& why) const {
    fail(ErrorCode::WrongType, "component '", saved_->name, "', field '", field.name, "' ", why,
         "; give the component a higher version and a migrate that brings the old one into it");
}

void ComponentFit::write(const std::byte* row, const SaveNames& names, StringTable& strings,
                         std::byte* component) const {
    const ComponentSchema& schema = type_->schema;
    std::memcpy(component, schema.defaults.data(), schema.size);
    if (isMigrated_ && saved_->stateKind == StateKind::Plain) return;  // its state is
    if (isMigrated_) return migrate(row, names, strings, component);
    for (const Step& step : steps_) {
        if (step.isCopy)
            std::memcpy(component + step.to->offset, row + step.from->offset, step.from->bytes());
        else
            for (std::uint32_t i = 0; i < step.elements; ++i)
                writeElement(step, i, row, names, component);
    }
}

void ComponentFit::writeElement(const Step& step, std::uint32_t element, const std::byte* row,
                                const SaveNames& names, std::byte* component) const {
    const std::byte* from =
        row + step.from->offset + std::size_t{element} * sizeOf(step.from->type);
    std::byte* to = component + step.to->offset + std::size_t{element} * sizeOf(step.to->type);
    if (step.to->type == FieldType::Bool) {
        *to = *from;
    } else if (step.to->type == FieldType::String) {
        const StringId id = names.stringOf(loadAs<std::uint32_t>(from));
        std::memcpy(to, &id, sizeof id);
    } else if (step.to->type == FieldType::Entity) {
        const EntityId id = names.entityOf(SavedReference::unpack(loadAs<std::uint64_t>(from)));
        std::memcpy(to, &id, sizeof id);
    } else {
        const bool isConverted = withNumberType(step.from->type, [&](auto old) {
            const auto value = loadAs<decltype(old)>(from);
            return withNumberType(step.to->type,
                                  [&](auto now) { return convert<decltype(now)>(value, to); });
        });
        if (!isConverted)
            refuse(*step.from, sentence("was saved as ", describe(*step.from), " and is ",
                                        describe(*step.to), " now, in which a saved value, ",
                                        withNumberType(step.from->type,
                                                       [&](auto old) {
                                                           const auto value =
                                                               loadAs<decltype(old)>(from);
                                                           return sentence(+value);
                                                       }),
                                        ", would not be the same"));
    }
}

void ComponentFit::migrate(const std::byte* row, const SaveNames& names, StringTable& strings,
                           std::byte* component) const {
    std::vector<Override> old;
    for (const SavedField& field : saved_->fields)
        old.push_back({field.name, valueOf(field, row, names)});
    const ComponentSchema& schema = type_->schema;
    for (const Override& each : type_->migration->migrateFields(std::move(old), saved_->version)) {
        const Field* field = schema.findField(each.field);
        if (!field)
            fail(ErrorCode::UnknownField, "component '", schema.name,
                 "': migrate returned a field '", each.field,
                 "', which the component does not have");
        writeField(strings, schema, *field, component, each.value);
    }
}

}  // namespace revenant
