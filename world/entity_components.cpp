// The components of an entity: bound, read and written through its handle.
#include <algorithm>
#include <utility>

#include "world/core/world_core.hpp"
#include "world/entity.hpp"
#include "world/schedule/section.hpp"

namespace revenant {

namespace {

ComponentType& requireType(const Entity& entity, const char* call, std::string_view name) {
    if (ComponentType* type = WorldCore::of(entity).components().find(name)) return *type;
    fail(ErrorCode::UnknownComponent, call, ": entity ", describe(entity),
         ": no component is named '", name, "'; define it with defineComponent first");
}

// Does something with a field; an error names the entity, too.
template <class Access>
auto withField(const Entity& entity, const char* call, Access access) {
    try {
        return access();
    } catch (const Error& error) {
        fail(error.code(), call, ": entity ", describe(entity), ": ", error.what());
    }
}

// The value, with references to entities that are gone made null.
Value withoutLost(const EntityPool& pool, Value value) {
    if (const auto* id = value.as<EntityId>(); id && !pool.find(*id)) return EntityId{};
    if (auto* values = std::get_if<ValueArray>(&value))
        for (Value& each : *values) each = withoutLost(pool, std::move(each));
    return value;
}

}  // namespace

namespace {

bool hasText(const Value& value) noexcept {
    if (const auto* values = value.as<ValueArray>()) return std::ranges::any_of(*values, hasText);
    return value.as<std::string>() != nullptr;
}

// For an entity that is new in a section: the component as it will be added.
std::byte* findStaged(const Task* task, EntityId id, const ComponentType& type) noexcept {
    return task ? const_cast<std::byte*>(task->findStaged(id, type.id)) : nullptr;
}

}  // namespace

std::byte* Entity::addComponent(std::string_view name, std::span<const Override> overrides) {
    if (Task* task = this->task()) {
        task->require(*this, "addComponent");
        ComponentType& type = requireType(*this, "addComponent", name);
        std::vector<std::byte> bytes = type.schema.defaults;
        std::vector<Override> later;  // strings are interned at the merge
        withField(*this, "addComponent", [&] {
            for (const Override& each : overrides) {
                const Field& field = type.schema.requireField(each.field);
                if (hasText(each.value))
                    later.push_back(each);
                else
                    writeField(core().components_.strings(), type.schema, field, bytes.data(),
                               each.value);
            }
        });
        return task->addComponent(*this, type, bytes.data(), std::move(later));
    }
    EntityRecord& target = record("addComponent");
    ComponentType& type = core().checkedForAdd(target, requireType(*this, "addComponent", name));
    if (overrides.empty()) return core().bind(target, type, type.schema.defaults.data());
    // Everything is checked in a copy of the defaults before the entity is touched.
    std::vector<std::byte> bytes = type.schema.defaults;
    withField(*this, "addComponent", [&] {
        for (const Override& each : overrides)
            writeField(core().components_.strings(), type.schema,
                       type.schema.requireField(each.field), bytes.data(), each.value);
    });
    return core().bind(target, type, bytes.data());
}

void* Entity::addTied(std::size_t cppType, const void* value) {
    EntityRecord* target = nullptr;
    if (world_) [[likely]] {
        WorldCore& core = WorldCore::of(*world_);
        if (Task* task = core.task())
            return task->addComponent(*this, core.requireTied(cppType), value);
        target = core.forest_.pool.find(id_);
    }
    if (!target) [[unlikely]]
        target = &record("addComponent");
    WorldCore& core = WorldCore::of(*world_);
    return core.bind(*target, core.checkedForAdd(*target, core.requireTied(cppType)), value);
}

void Entity::removeTied(std::size_t cppType) {
    if (Task* task = this->task()) return task->removeComponent(*this, core().requireTied(cppType));
    EntityRecord& target = record("removeComponent");
    core().unbind(target, core().requireTied(cppType));
}

// The short way first; the long one reports errors, and finds components that a history keeps.
const void* Entity::readTied(std::size_t cppType) const {
    if (world_) [[likely]] {
        WorldCore& core = WorldCore::of(*world_);
        if (const Task* task = core.task()) {
            const ComponentType& type = core.requireTied(cppType);
            if (task->findCreated(id_)) return findStaged(task, id_, type);
            task->checkRead(type);
        }
        if (const ComponentType* type = core.components_.findTied(cppType)) [[likely]]
            if (const std::byte* found = core.findQuickly(id_, *type)) [[likely]]
                return found;
    }
    const EntityRecord& target = record("findComponent");
    return target.slotOf(core().requireTied(cppType).id);
}

void* Entity::writeTied(std::size_t cppType) const {
    if (world_) [[likely]] {
        WorldCore& core = WorldCore::of(*world_);
        if (const Task* task = core.task()) {
            const ComponentType& type = core.requireTied(cppType);
            if (task->findCreated(id_)) return findStaged(task, id_, type);
            task->checkWrite(type);
        }
        if (const ComponentType* type = core.components_.findTied(cppType)) [[likely]]
            if (std::byte* found = core.openQuickly(id_, *type)) [[likely]]
                return found;
    }
    EntityRecord& target = record("findComponent");
    return core().writableSlot(target, core().requireTied(cppType));
}

bool Entity::hasTied(std::size_t cppType) const {
    if (const Task* task = this->task(); task && task->findCreated(id_))
        return findStaged(task, id_, core().requireTied(cppType)) != nullptr;
    if (world_) [[likely]]
        if (const ComponentType* type = core().components_.findTied(cppType);
            type && core().findQuickly(id_, *type))
            return true;
    const EntityRecord& target = record("hasComponent");
    return target.shape->has(core().requireTied(cppType).id);
}

void Entity::throwMissing(std::size_t cppType) const {
    const ComponentType& type = core().requireTied(cppType);
    if (const Task* task = this->task(); task && task->findCreated(id_))
        fail(ErrorCode::MissingComponent, "entity ", describe(*this), " has no component '",
             type.schema.name, "'");
    core().missingComponent(record("getComponent"), type);
}

std::byte* Entity::addComponent(ComponentType& type, const void* bytes) {
    if (Task* task = this->task()) return task->addComponent(*this, type, bytes);
    EntityRecord& target = record("addComponent");
    return core().bind(target, core().checkedForAdd(target, type), bytes);
}

void Entity::removeComponent(ComponentType& type) {
    if (Task* task = this->task()) return task->removeComponent(*this, type);
    core().unbind(record("removeComponent"), type);
}

void Entity::removeComponent(std::string_view name) {
    if (Task* task = this->task())
        return task->removeComponent(*this, requireType(*this, "removeComponent", name));
    EntityRecord& target = record("removeComponent");
    core().unbind(target, requireType(*this, "removeComponent", name));
}

std::byte* Entity::getComponent(std::string_view name) const {
    if (const Task* task = this->task()) {
        const ComponentType& type = requireType(*this, "getComponent", name);
        if (std::byte* staged = findStaged(task, id_, type)) return staged;
        task->checkWrite(type);
    }
    EntityRecord& target = record("getComponent");
    ComponentType& type = requireType(*this, "getComponent", name);
    std::byte* slot = core().writableSlot(target, type);
    if (!slot) core().missingComponent(target, type);
    return slot;
}

bool Entity::hasComponent(std::string_view name) const {
    if (const Task* task = this->task(); task && task->findCreated(id_))
        return findStaged(task, id_, requireType(*this, "hasComponent", name)) != nullptr;
    const EntityRecord& target = record("hasComponent");
    return target.shape->has(requireType(*this, "hasComponent", name).id);
}

void Entity::setComponentEnabled(std::string_view name, bool on) {
    if (Task* task = this->task()) {
        task->require(*this, "setComponentEnabled");
        return task->defer([self = *this, name = std::string(name), on](Merge& merge) {
            merge.real(self).setComponentEnabled(name, on);
        });
    }
    EntityRecord& target = record("setComponentEnabled");
    core().refusePast(target, "setComponentEnabled");
    ComponentType& type = requireType(*this, "setComponentEnabled", name);
    if (!target.shape->has(type.id)) core().missingComponent(target, type);
    auto set = [&](const ComponentType& each) {
        const std::uint64_t bit = std::uint64_t{1} << target.shape->positionOf(each.id);
        if (((target.disabledComponents() & bit) == 0) == on) return;
        core().unparkToWrite(target);  // so that the history sees it
        core().forest_.pool.makeRest(target);
        target.setDisabledComponents(target.disabledComponents() ^ bit);
        target.rebound = true;
    };
    if (type.family)
        core().forFamily(target, type, set);
    else
        set(type);
    if (target.rebound) core().forest_.touchIfManaged(target);
}

bool Entity::isComponentEnabled(std::string_view name) const {
    EntityRecord& target = record("isComponentEnabled");
    ComponentType& type = requireType(*this, "isComponentEnabled", name);
    const int position = target.shape->positionOf(type.id);
    if (position == Shape::absent) core().missingComponent(target, type);
    return (target.disabledComponents() >> position & 1) == 0;
}

Value Entity::getField(std::string_view component, std::string_view field) const {
    const EntityRecord& target = record("getField");
    const ComponentType& type = requireType(*this, "getField", component);
    if (const Task* task = this->task()) task->checkRead(type);
    const std::byte* slot = target.slotOf(type.id);
    if (!slot) core().missingComponent(target, type);
    return withField(*this, "getField", [&] {
        return withoutLost(core().forest_.pool, readField(core().components_.strings(),
                                                          type.schema.requireField(field), slot));
    });
}

void Entity::setField(std::string_view component, std::string_view field, const Value& value) {
    if (Task* task = this->task()) {
        task->require(*this, "setField");
        return task->defer([self = *this, component = std::string(component),
                            field = std::string(field), value](Merge& merge) {
            merge.real(self).setField(component, field, merge.real(value));
        });
    }
    EntityRecord& target = record("setField");
    ComponentType& type = requireType(*this, "setField", component);
    core().unparkToWrite(target);
    std::byte* slot = target.slotOf(type.id);
    if (!slot) core().missingComponent(target, type);
    withField(*this, "setField", [&] {
        writeField(core().components_.strings(), type.schema, type.schema.requireField(field), slot,
                   value);
    });
    type.pool.markChanged(slot, core().clock_);
}

std::vector<std::string> Entity::getComponentNames() const {
    std::vector<std::string> names;
    for (const ComponentTypeId type : record("getComponentNames").shape->types())
        names.push_back(core().components_.at(type).schema.name);
    return names;
}

}  // namespace revenant
