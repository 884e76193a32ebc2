// WorldCore: events that programs fire, queued events, collisions.
#include <utility>

#include "world/core/world_core.hpp"

namespace revenant {

void WorldCore::recordCollisionEvent(CollisionEvent event) {
    if (inPast_) return;
    if (event.first != Entity()) requireRecord(event.first, "recordCollisionEvent");
    if (event.second != Entity()) requireRecord(event.second, "recordCollisionEvent");
    collisionEvents_.push_back(std::move(event));
}

void WorldCore::emit(std::string_view event, Entity entity, const Value* detail) {
    Event fired;
    fired.id = listeners_.requireEvent(event);
    fired.entity = entity;
    if (entity.isValid()) fired.name = entity.getName();
    fired.detail = detail;
    listeners_.fire(fired, reconciler_.heldErrors());
}

// Queued events are a rewindable resource, so that they are part of histories and saves.

void WorldCore::queue(std::string_view event, Entity entity, const Value* detail) {
    listeners_.requireEvent(event);
    if (entity != Entity()) requireRecord(entity, "queue");
    // One by one: short of memory, g++ 12 destroys what a list in braces has not made yet.
    ValueArray queued;
    queued.reserve(3);
    queued.emplace_back(std::string(event));
    queued.emplace_back(entity.getId());
    queued.emplace_back();
    if (detail) queued.back() = *detail;
    Value* waiting = resources_.change(queueName);
    if (auto* events = waiting ? std::get_if<ValueArray>(waiting) : nullptr) {
        events->push_back(std::move(queued));
        return;
    }
    ValueArray events;
    events.push_back(std::move(queued));
    resources_.set(queueName, Value(std::move(events)), {.rewind = true});
}

void WorldCore::deliverQueue() {
    if (std::exchange(queueWaits_, false) || inPast_) return;
    const Resources::Resource* waiting = resources_.find(queueName);
    const auto* value = waiting ? std::any_cast<Value>(&waiting->value) : nullptr;
    const auto* known = value ? value->as<ValueArray>() : nullptr;
    if (!known) return;
    const ValueArray events = *known;  // what listeners queue is for the next tick
    resources_.remove(queueName);
    const TickScope scope(*this);
    for (const Value& each : events) {
        const auto* parts = each.as<ValueArray>();
        if (!parts || parts->size() != 3) continue;
        const auto* name = (*parts)[0].as<std::string>();
        const auto* id = (*parts)[1].as<EntityId>();
        if (!name) continue;
        const Value& detail = (*parts)[2];
        emit(*name, id && !id->isNull() ? entity(*id) : Entity(),
             detail.isNone() ? nullptr : &detail);
    }
}

}  // namespace revenant
