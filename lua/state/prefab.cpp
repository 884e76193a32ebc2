#include "lua/state/prefab.hpp"

#include "world/core/world_core.hpp"

namespace revenant {

void Prefab::spawn(World& world, std::uint32_t count, bool addToWorld,
                   std::vector<EntityId>& made) const {
    made.clear();
    if (world.isInPast() &&
        (addToWorld || !WorldCore::of(world)
                            .buildsInPast()))  // asked first, so that nothing of it is left behind
        for (const Node& node : nodes)
            if (!node.isOutside)
                fail(ErrorCode::InPast, "spawn: the past is shown, and '", node.name,
                     "' would be part of it; stop rewinding first, make it non-rewindable with "
                     "rewindable = false in its template, or let such calls wait for play to "
                     "resume with the "
                     "option inThePast = \"defer\" of TimeRewindSys");
    made.reserve(std::size_t{count} * nodes.size());
    WorldCore::of(world).ensureReserve();
    const std::uint32_t lastSerial = WorldCore::of(world).forest().lastSerial;
    try {
        for (std::uint32_t i = 0; i < count; ++i) makeOne(world, made);
    } catch (...) {
        undo(world, made, static_cast<std::uint32_t>(made.size()), lastSerial);
        made.clear();
        throw;
    }
    if (addToWorld)
        for (std::size_t i = 0; i < made.size(); i += nodes.size())
            world.addEntity(Entity(world, made[i]));
}

// Members of a tree may be gone already: a tree is destroyed as a whole.
void Prefab::undo(World& world, std::span<const EntityId> made, std::uint32_t count,
                  std::uint32_t lastSerial) {
    WorldCore& core = WorldCore::of(world);
    const auto memory = core.useReserve();
    const bool isHeardOf = core.listeners().any(EventKind::EntityDestroyed);
    const bool isAll = core.forest().lastSerial == lastSerial + count;
    for (const EntityId id : made)
        if (Entity entity(world, id); entity.isValid()) entity.destroy();
    // Nothing knows of them yet, so the next ones get the same numbers as if these had not been made.
    if (isAll && !isHeardOf) core.forest().lastSerial = lastSerial;
}

void Prefab::makeOne(World& world, std::vector<EntityId>& made) const {
    const std::size_t first = made.size();
    WorldCore& core = WorldCore::of(world);
    core.refuseInSection("spawn");  // scripts keep to the main thread
    for (const Node& node : nodes) {
        Entity entity = world.newEntity(node.name);
        made.push_back(entity.getId());
        if (node.isOutside) entity.setRewindable(false);
        if (!node.components.empty())
            node.components.bindTo(core.requireRecord(entity.getId(), "spawn"), core.getClock());
        if (!node.enabled) entity.setEnabled(false);
        if (node.parent >= 0)
            Entity(world, made[first + static_cast<std::size_t>(node.parent)]).addChild(entity);
        // While a past frame is current, only entities outside of it may be attached.
        if (node.isOutside && node.rewindable) entity.setRewindable(true);
    }
}

}  // namespace revenant
