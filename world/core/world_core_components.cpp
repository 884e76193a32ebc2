// WorldCore: components bound to entities and taken from them.
#include <cstring>

#include "world/core/world_core.hpp"

namespace revenant {

ComponentType& WorldCore::checkedForAdd(EntityRecord& record, ComponentType& type) {
    refusePast(record, "addComponent");
    if (type.family) [[unlikely]]
        refuseFamily(record, type);
    if (record.shape->has(type.id)) [[unlikely]]
        fail(ErrorCode::DuplicateComponent, "addComponent: entity ", describe(entity(record.id)),
             " already has component '", type.schema.name, "'");
    if (record.shape->count() == maxComponentsPerEntity) [[unlikely]]
        fail(ErrorCode::LimitReached, "addComponent: entity ", describe(entity(record.id)), " has ",
             maxComponentsPerEntity, " components already, no more fit");
    return type;
}

std::byte* WorldCore::bind(EntityRecord& record, ComponentType& type, const void* bytes) {
    std::byte* slot = components_.bind(record, type, clock_);
    std::memcpy(slot, bytes, type.schema.size);
    for (ComponentType* base = type.base; base; base = base->base)
        std::memcpy(components_.bind(record, *base, clock_), bytes, base->schema.size);
    forest_.touchIfManaged(record);
    return slot;
}

static int basesOf(const ComponentType& type) noexcept {
    int count = 0;
    for (const ComponentType* base = type.base; base; base = base->base) ++count;
    return count;
}

// An entity has at most one component of a family: a derived one comes with its bases.
void WorldCore::refuseFamily(const EntityRecord& record, const ComponentType& type) const {
    const ComponentType* bound = nullptr;  // the one that was added: the others are its bases
    for (const ComponentTypeId id : record.shape->types()) {
        const ComponentType& other = components_.at(id);
        if (other.family == type.family && (!bound || basesOf(other) > basesOf(*bound)))
            bound = &other;
    }
    if (!bound) return;
    fail(ErrorCode::DuplicateComponent, "addComponent: entity ", describe(entity(record.id)),
         " already has component '", bound->schema.name, "', which is of the family of '",
         type.schema.name, "'; an entity has one component of a family at most");
}

void WorldCore::unbind(EntityRecord& record, ComponentType& type) {
    refusePast(record, "removeComponent");
    if (!record.shape->has(type.id)) missingComponent(record, type);
    if (type.family) [[unlikely]]
        forFamily(record, type,
                  [&](ComponentType& each) { components_.unbind(record, each, clock_); });
    else
        components_.unbind(record, type, clock_);
    forest_.touchIfManaged(record);
}

void WorldCore::missingComponent(const EntityRecord& record, const ComponentType& type) const {
    fail(ErrorCode::MissingComponent, "entity ", describe(entity(record.id)), " has no component '",
         type.schema.name, "'");
}

}  // namespace revenant
