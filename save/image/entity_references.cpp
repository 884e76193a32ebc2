#include "save/image/entity_references.hpp"

#include "world/forest/entity_serial.hpp"

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

Value queueOfSave(const Value& events, const EntityTranslation& translate) {
    Value translated = translateValue(events, translate);
    auto* all = std::get_if<ValueArray>(&translated);
    for (std::size_t i = 0; all && i < all->size(); ++i) {
        auto* event = std::get_if<ValueArray>(&(*all)[i]);
        const bool* isThere = event && event->size() == 3 ? (*event)[1].as<bool>() : nullptr;
        if (isThere && !*isThere) (*event)[1] = GoneEntity::unknown(1);
    }
    return translated;
}

}  // namespace revenant
