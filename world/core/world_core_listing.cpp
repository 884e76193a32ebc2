// WorldCore: finds, counts and lists what is in the world.
#include "world/core/world_core.hpp"

namespace revenant {

std::vector<Entity> WorldCore::findEntities(std::string_view name, std::size_t most) const {
    std::vector<Entity> found;
    const std::optional<StringId> id = components_.strings().lookUp(name);
    if (!id) return found;
    for (const OrderNode& node : forest_.order.nodes()) {
        if (node.closes) continue;
        if (const EntityRecord& record = forest_.recordOf(node); record.name == *id)
            found.push_back(entity(record.id));
        if (found.size() == most) break;
    }
    return found;
}

std::size_t WorldCore::destroyAll(const ComponentType* component) {
    // All are checked before the first is asked to leave, so that a failure changes nothing.
    std::vector<EntityRecord*> leaving;
    auto consider = [&](EntityRecord& record) {
        if (!record.wantsIn() || (component && !record.shape->has(component->id))) return;
        refusePast(record, "destroyAll");
        leaving.push_back(&record);
    };
    forEachManaged(consider);
    forest_.pending.forEach([&](EntityRecord& record) {
        if (!record.managed) consider(record);
    });
    std::size_t asked = 0;
    for (EntityRecord* record : leaving) {
        if (!record->wantsIn()) continue;  // it leaves with an ancestor
        forest_.takeOut(*record);
        ++asked;
    }
    return asked;
}

std::size_t WorldCore::countComponents(const ComponentType& type) const {
    std::size_t count = type.pool.live();
    for (const ComponentStore::Retired& retired : components_.retired())
        if (retired.type == type.id) --count;  // removed, but shown by views until the reconcile
    if (components_.parkedCount() == 0) return count;
    // Those of zombies that a history keeps are in no pool.
    for (const OrderNode& node : forest_.zombies)
        if (const EntityRecord& record = Forest::recordOf(node);
            record.parked && record.shape->has(type.id))
            ++count;
    return count;
}

std::vector<ComponentInfo> WorldCore::getComponentTypes() const {
    std::vector<ComponentInfo> types;
    for (std::size_t i = 0; i < components_.count(); ++i) {
        const ComponentType& type = components_.at(static_cast<ComponentTypeId>(i));
        if (type.isForgotten) continue;
        types.push_back({type.schema.name, countComponents(type), type.schema.size,
                         type.pool.bytes(), type.schema.fields.size()});
    }
    return types;
}

WorldStats WorldCore::getStats() const {
    WorldStats stats;
    stats.managed = forest_.managedCount;
    stats.zombies = forest_.zombieCount;
    stats.detached = forest_.pool.alive() - stats.managed - stats.zombies;
    forEachManaged([&](const EntityRecord& record) { stats.active += record.active ? 1 : 0; });
    forest_.pending.forEach([&](const EntityRecord& record) {
        stats.pending += Forest::hasChangeWaiting(record) ? 1 : 0;
    });
    stats.retiredSlots = forest_.pool.retired();
    stats.reconciles = reconciles_;
    stats.lastLeft = static_cast<std::uint32_t>(reconciler_.lastChanges().left.size());
    stats.lastChanged = static_cast<std::uint32_t>(reconciler_.lastChanges().changed.size());
    stats.relabelled = forest_.order.relabelled();
    stats.componentTypes = components_.count();
    stats.shapes = components_.shapes().all().size();
    stats.strings = components_.strings().count();
    stats.entityBytes = forest_.pool.bytes();
    for (std::size_t i = 0; i < components_.count(); ++i) {
        const ComponentPool& pool = components_.at(static_cast<ComponentTypeId>(i)).pool;
        stats.componentBytes += pool.bytes();
        stats.liveComponentBytes += pool.live() * pool.size();
    }
    return stats;
}

}  // namespace revenant
