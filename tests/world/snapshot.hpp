// A world as text that reads well in a failure report: two snapshots are
// equal when nothing that matters changed in between.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "world/core/world_core.hpp"

namespace revenant {

using Names = std::vector<std::string>;

inline Names namesOf(const std::vector<Entity>& entities) {
    Names names;
    for (const Entity& entity : entities) names.push_back(entity.getName());
    return names;
}

inline std::string joined(const std::vector<Entity>& entities) {
    std::string text;
    for (const Entity& entity : entities) text.append(" ").append(describe(entity));
    return text;
}

// One entity: state, family, counts, components with their bytes.
inline std::string snapshot(World& world, const EntityRecord& record) {
    Entity entity(world, record.id);
    std::string text =
        sentence(describe(entity), " ", nameOf(entity.getState()), entity.isDirty() ? " dirty" : "",
                 " under ", describe(entity.getParent()), " over", joined(entity.getChildren()),
                 ", counted ", entity.getRefCount(), ", held ", record.holds,
                 entity.isEnabled() ? "" : ", disabled", entity.isActive() ? ", active" : "");
    for (const std::string& name : entity.getComponentNames()) {
        const ComponentType& type = WorldCore::of(world).components().require(name);
        text += sentence(", ", name, entity.isComponentEnabled(name) ? " =" : " (disabled) =");
        const std::byte* bytes = record.slotOf(type.id);
        for (std::uint32_t i = 0; i < type.schema.size; ++i)
            text += sentence(" ", std::to_integer<int>(bytes[i]));
    }
    return text.append("\n");
}

inline std::string snapshot(World& world) {
    const WorldStats stats = world.getStats();
    std::string text = sentence(
        "managed:", joined(world.getAllManagedEntities()),
        "\nactive:", joined(world.getActiveEntities()), "\nzombies:", joined(world.getZombies()),
        "\nmain character: ", describe(world.getMainCharacter()), "\npending: ", stats.pending,
        ", component types: ", stats.componentTypes, ", bytes: ", stats.liveComponentBytes,
        ", collisions: ", world.getCollisionEvents().size(), ", reconciles: ", stats.reconciles,
        ", time: ", world.getTime(), "\n");
    const EntityPool& pool = WorldCore::of(world).forest().pool;
    for (std::uint32_t i = 0; i < pool.count(); ++i)
        if (pool.at(i).alive) text += snapshot(world, pool.at(i));
    return text;
}

}  // namespace revenant
