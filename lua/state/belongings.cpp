#include "lua/state/belongings.hpp"

#include <algorithm>

#include "lua/state/session.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

void unregisterAll(World& world, const std::vector<std::weak_ptr<System>>& systems) {
    for (const auto& weak : systems)
        if (const auto system = weak.lock())
            if (world.getSystem(system->getName()) == system.get()) world.unregisterSystem(*system);
}

namespace {

// The render environment, if it is a value of a Lua state's.
const std::shared_ptr<LuaReference>* luasEnvironment(WorldCore& world) {
    return std::any_cast<std::shared_ptr<LuaReference>>(&world.world().getRenderEnv());
}

}  // namespace

bool hasOthersThan(WorldCore& world, const Belongings& belongings) {
    if (!world.systems().isEmpty() || !world.listeners().empty()) return true;
    if (world.world().getRenderEnv().has_value() && !luasEnvironment(world)) return true;
    for (std::size_t i = 0; i < world.components().count(); ++i) {
        const ComponentType& type = world.components().at(static_cast<ComponentTypeId>(i));
        if (!type.isForgotten &&
            std::ranges::find(belongings.types, type.id) == belongings.types.end())
            return true;
    }
    return std::ranges::any_of(world.resources().all(), [&](const auto& each) {
        return !belongings.resources.contains(each.first) && each.first != WorldCore::queueName;
    });
}

namespace {

void takeEntity(WorldCore& world, Entity entity, const Belongings& belongings) {
    if (!belongings.hasMade(entity.getId())) {
        for (const ComponentTypeId type : belongings.types)
            if (const EntityRecord& record = world.requireRecord(entity, "close");
                record.shape->has(type))
                entity.removeComponent(world.components().at(type).schema.name);
        return;
    }
    if (entity.getState() == EntityState::Detached)
        entity.destroy();
    else
        world.removeEntity(entity);
}

}  // namespace

void takeAway(WorldCore& world, const Belongings& belongings) noexcept {
    const EntityPool& pool = world.forest().pool;
    for (std::uint32_t i = 0; i < pool.count(); ++i) {
        const EntityRecord& record = pool.at(i);
        if (!record.alive) continue;
        try {
            takeEntity(world, world.entity(record.id), belongings);
        } catch (const std::exception&) {
            continue;  // a history of the host's shows the past: what is part of it stays
        }
    }
    for (const ComponentTypeId type : belongings.types)
        if (!world.components().at(type).isForgotten)
            world.components().forget(world.components().at(type));
    for (const std::string& name : belongings.resources) world.resources().remove(name);
    const auto* environment = luasEnvironment(world);
    if (environment && !(*environment)->session()) world.world().setRenderEnv({});
    world.setBuildsInPast(false);
}

}  // namespace revenant
