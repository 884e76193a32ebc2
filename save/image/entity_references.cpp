#include "save/image/entity_references.hpp"

namespace revenant {

namespace {

// No slot has this index, so the handle is stale in every world.
constexpr EntityId goneEntity{0x7fffffff, 1};

// Calls visit with the entities of an event, before and after it is translated. Leaves anything else alone.
template <class Visit>
Value translateQueue(const Value& events, const EntityTranslation& translate, Visit visit) {
    Value translated = translateValue(events, translate);
    const auto* before = events.as<ValueArray>();
    auto* after = std::get_if<ValueArray>(&translated);
    for (std::size_t i = 0; before && i < before->size(); ++i) {
        const auto* event = (*before)[i].as<ValueArray>();
        if (event && event->size() == 3) visit((*event)[1], std::get<ValueArray>((*after)[i])[1]);
    }
    return translated;
}

}  // namespace

Value translateValue(const Value& value, const EntityTranslation& translate) {
    if (const auto* id = value.as<EntityId>()) return translate(*id);
    const auto* values = value.as<ValueArray>();
    if (!values) return value;
    ValueArray translated;
    translated.reserve(values->size());
    for (const Value& each : *values) translated.push_back(translateValue(each, translate));
    return translated;
}

Value queueForSave(const Value& events, const EntityTranslation& translate) {
    return translateQueue(events, translate, [](const Value& from, Value& to) {
        const auto* entity = from.as<EntityId>();
        if (entity && !entity->isNull() && to.as<EntityId>()->isNull()) to = false;
    });
}

Value queueOfSave(const Value& events, const EntityTranslation& translate) {
    return translateQueue(events, translate, [](const Value& from, Value& to) {
        const auto* isThere = from.as<bool>();
        if (isThere && !*isThere) to = goneEntity;
    });
}

}  // namespace revenant
