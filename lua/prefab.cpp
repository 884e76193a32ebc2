#include "lua/prefab.hpp"

namespace revenant {

void Prefab::spawn(World& world, std::uint32_t count, bool addToWorld,
                   std::vector<EntityId>& made) const {
    made.clear();
    if (world.isPastOnShow())  // asked first, so that nothing of it is left behind
        for (const Node& node : nodes)
            if (!node.isOutside)
                fail(ErrorCode::WrongState, "spawn: the past is on show, and '", node.name,
                     "' would be part of it; stop rewinding first, or make it non-rewindable: "
                     "rewindable = false in its template");
    made.reserve(std::size_t{count} * nodes.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::size_t first = made.size();
        for (const Node& node : nodes) {
            Entity entity = world.newEntity(node.name);
            made.push_back(entity.getId());
            if (node.isOutside) entity.setRewindable(false);
            for (const Component& component : node.components)
                entity.addComponent(*component.type, component.bytes.data());
            if (!node.enabled) entity.setEnabled(false);
            if (node.parent >= 0)
                Entity(world, made[first + static_cast<std::size_t>(node.parent)]).addChild(entity);
            // While the past is on show only those may be attached that are not part of it.
            if (node.isOutside && node.rewindable) entity.setRewindable(true);
        }
        if (addToWorld) world.addEntity(Entity(world, made[first]));
    }
}

}  // namespace revenant
