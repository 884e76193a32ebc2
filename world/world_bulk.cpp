// Many entities at once.
#include <algorithm>
#include <utility>

#include "world/core/world_core.hpp"
#include "world/storage/fresh_components.hpp"
#include "world/world.hpp"

namespace revenant {

namespace {

// Destroys detached entities that nothing knows of yet, so that the next ones get their numbers.
void undo(WorldCore& core, std::span<Entity> made, std::uint32_t lastSerial) {
    const auto memory = core.useReserve();
    const bool isHeardOf = core.listeners().any(EventKind::EntityDestroyed);
    const bool isAll = core.forest().lastSerial == lastSerial + made.size();
    for (Entity& entity : made) entity.destroy();
    if (isAll && !isHeardOf) core.forest().lastSerial = lastSerial;
}

}  // namespace

std::vector<Entity> World::newTied(std::size_t count, std::string_view name,
                                   const TiedValue* values, std::size_t valueCount) {
    std::vector<FreshComponents::Component> components;
    bool isPlain = !core_->task() && !core_->isInPast() && valueCount <= maxComponentsPerEntity;
    for (const TiedValue& each : std::span(values, valueCount)) {
        ComponentType& type = core_->requireTied(each.cppType);
        if (std::ranges::find(components, &type, &FreshComponents::Component::type) !=
            components.end())
            fail(ErrorCode::DuplicateComponent, "newEntities: component '", type.schema.name,
                 "' is given twice");
        const auto* bytes = static_cast<const std::byte*>(each.value);
        components.push_back({&type, {bytes, bytes + type.schema.size}});
        isPlain = isPlain && !type.family;
    }
    std::vector<Entity> made;
    made.reserve(count);
    core_->ensureReserve();
    const std::uint32_t lastSerial = core_->forest_.lastSerial;
    StringId nameId;
    try {
        if (isPlain) {
            const FreshComponents fresh(core_->components_, std::move(components));
            for (std::size_t i = 0; i < count; ++i) {
                // The name is looked up once: while an entity has it, it keeps its id.
                StringTable& strings = core_->components_.strings();
                const StringId id = i == 0 ? strings.useName(name) : nameId;
                if (i > 0) strings.useName(id);
                nameId = id;
                EntityRecord& record = core_->newEntity(id);
                made.push_back(core_->entity(record.id));
                if (!fresh.empty()) fresh.bindTo(record, core_->clock_);
            }
        } else {
            for (std::size_t i = 0; i < count; ++i) {
                made.push_back(newEntity(name));
                for (const TiedValue& each : std::span(values, valueCount))
                    made.back().addComponent(core_->requireTied(each.cppType), each.value);
            }
        }
    } catch (...) {
        // Entities that a section made go with the section.
        if (!core_->task()) undo(*core_, made, lastSerial);
        throw;
    }
    return made;
}

void World::addEntities(std::span<const Entity> entities) {
    for (const Entity& entity : entities) addEntity(entity);
}

void World::reserve(std::size_t entities) {
    core_->refuseInSection("reserve");
    core_->forest_.pool.reserve(entities);
    core_->forest_.pending.reserve(entities + 1);
}

}  // namespace revenant
