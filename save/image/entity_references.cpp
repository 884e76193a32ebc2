#include "save/image/entity_references.hpp"

namespace revenant {

Value translateValue(const Value& value, const EntityTranslation& translate) {
    if (const auto* id = value.as<EntityId>()) return translate(*id);
    const auto* values = value.as<ValueArray>();
    if (!values) return value;
    ValueArray translated;
    translated.reserve(values->size());
    for (const Value& each : *values) translated.push_back(translateValue(each, translate));
    return translated;
}

}  // namespace revenant
