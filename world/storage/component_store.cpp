#include "world/storage/component_store.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "world/error.hpp"
#include "world/storage/make_room.hpp"
#include "world/storage/string_sweep.hpp"

namespace revenant {

namespace {

// Names that a view uses besides its columns: a component of such a name could not be reached.
constexpr std::string_view reservedNames[] = {"count",   "entities", "isDirty", "release", "runs",
                                              "display", "rowOf",    "each",    "isValid", "EMPTY",
                                              "stats",   "columns",  "getStats"};

constexpr std::uint64_t bitsBelow(int position) noexcept {
    return (std::uint64_t{1} << position) - 1;
}

}  // namespace

std::size_t nextCppTypeIndex() noexcept {
    static std::atomic<std::size_t> next{0};
    return next++;
}

void ComponentStore::checkDefinition(const ComponentSchema& schema) {
    if (schema.name.empty()) fail(ErrorCode::BadArgument, "a component needs a name");
    if (std::ranges::find(reservedNames, schema.name) != std::end(reservedNames))
        fail(ErrorCode::ReservedName, "a component cannot be named '", schema.name,
             "': views use that name themselves");
    if (find(schema.name))
        fail(ErrorCode::DuplicateComponent, "component '", schema.name, "' is already defined");
    if (types_.size() > INT16_MAX)
        fail(ErrorCode::LimitReached, "too many component types in one world");
    checkSchema(schema);
}

ComponentType& ComponentStore::define(ComponentSchema schema) {
    checkDefinition(schema);
    if (ComponentType* known = revive(schema)) {
        keepDefaults(*known);
        return *known;
    }
    makeRoom(byId_);
    shapes_.reserveType();
    const auto id = static_cast<ComponentTypeId>(types_.size());
    const std::uint32_t size = schema.size;
    ComponentType& type =
        types_.emplace_back(ComponentType{id, std::move(schema), ComponentPool(size, id, pages_)});
    try {
        byName_.emplace(type.schema.name, &type);
    } catch (...) {
        types_.pop_back();
        throw;
    }
    byId_.push_back(&type);
    shapes_.addType(type.pool, type.schema.alignment);
    for (const Field& field : type.schema.fields)
        hasEntityFields_ = hasEntityFields_ || field.type == FieldType::Entity;
    keepDefaults(type);
    return type;
}

void ComponentStore::keepDefaults(const ComponentType& type) {
    forEachString(type.schema, type.schema.defaults.data(), [this](StringId string) {
        if (strings_.isUsed(string)) strings_.keep(string);
    });
}

void ComponentStore::derive(ComponentType& type, ComponentType& base) {
    type.base = &base;
    if (!base.family) base.family = &base;
    type.family = base.family;
}

void ComponentStore::forget(ComponentType& type) noexcept {
    byName_.erase(type.schema.name);
    type.isForgotten = true;
}

// A forgotten type of the same name and layout, defined again.
ComponentType* ComponentStore::revive(const ComponentSchema& schema) {
    for (ComponentType& type : types_) {
        if (!type.isForgotten || !isLaidOutAlike(type.schema, schema)) continue;
        ComponentSchema again = schema;
        byName_.emplace(schema.name, &type);
        type.isForgotten = false;
        type.schema = std::move(again);
        type.hooks = nullptr;
        type.base = type.family = nullptr;
        type.version = 1;
        type.migration = nullptr;
        return &type;
    }
    return nullptr;
}

void ComponentStore::tie(std::size_t cppType, ComponentTypeId type) {
    reserveTie(cppType);
    if (tied_[cppType])
        fail(ErrorCode::DuplicateComponent, "this C++ type is already defined as component '",
             tied_[cppType]->schema.name, "'");
    tied_[cppType] = &at(type);
}

ComponentType* ComponentStore::find(std::string_view name) noexcept {
    auto found = byName_.find(name);
    return found == byName_.end() ? nullptr : found->second;
}

ComponentType& ComponentStore::require(std::string_view name) {
    if (ComponentType* type = find(name)) return *type;
    fail(ErrorCode::UnknownComponent, "no component is named '", name,
         "'; define it with defineComponent first");
}

void ComponentStore::park(EntityRecord& record, std::byte* blob) noexcept {
    const auto& types = record.shape->types();
    for (std::size_t i = 0; i < types.size(); ++i) {
        ComponentType& type = at(types[i]);
        std::byte* slot = record.slotAt(i);
        std::copy_n(slot, type.schema.size, blob + record.shape->parkedOffset(i));
        type.pool.free(slot);
        type.pool.clearPlace(record.id.index);
    }
    noteMove();
    record.parked = blob;
    ++parkedCount_;
}

void ComponentStore::unpark(EntityRecord& record, Clock now) {
    const auto& types = record.shape->types();
    std::array<std::byte*, maxComponentsPerEntity> slots;
    std::size_t taken = 0;
    makeRoom(unparked_);
    try {
        for (; taken < types.size(); ++taken) {
            at(types[taken]).pool.makePlace(record.id.index);
            slots[taken] = at(types[taken]).pool.allocate(record.id.index, nullptr, now);
        }
    } catch (...) {
        while (taken-- > 0) at(types[taken]).pool.free(slots[taken]);
        throw;
    }
    noteMove();
    for (std::size_t i = 0; i < types.size(); ++i) {
        std::copy_n(record.slotAt(i), at(types[i]).schema.size, slots[i]);
        at(types[i]).pool.setPlace(record.id.index, slots[i]);
    }
    record.parked = nullptr;
    --parkedCount_;
    unparked_.push_back(record.id.index);
}

std::byte* ComponentStore::bind(EntityRecord& record, ComponentType& type, Clock now) {
    if (!record.managed && isParked(record)) [[unlikely]]
        unpark(record, now);
    const std::byte* near = nullptr;
    if (record.parent && !isParked(*record.parent)) near = record.parent->slotOf(type.id);
    const Shape* shape = shapes_.toggled(record.shape, type.id);
    type.pool.makePlace(record.id.index);
    std::byte* slot = type.pool.allocate(record.id.index, near, now);  // the last that may throw
    noteMove();
    record.shape = shape;
    type.pool.setPlace(record.id.index, slot);
    if (record.hasDisabled) [[unlikely]] {
        const int position = shape->positionOf(type.id);
        const std::uint64_t bits = record.disabledComponents();
        record.setDisabledComponents((bits & bitsBelow(position)) | (bits & ~bitsBelow(position))
                                                                        << 1);
    }
    record.rebound = true;
    if (record.settledShape && record.settledShape->has(type.id)) record.replaced = true;
    return slot;
}

void ComponentStore::unbind(EntityRecord& record, ComponentType& type, Clock now) {
    if (!record.managed && isParked(record)) unpark(record, now);
    const int position = record.shape->positionOf(type.id);
    std::byte* slot = record.slotAt(static_cast<std::size_t>(position));
    const Shape* shape = shapes_.toggled(record.shape, type.id);
    if (record.managed)
        retired_.push_back({record.id.index, type.id, slot});  // the last that may throw
    else
        type.pool.free(slot);
    noteMove();
    type.pool.clearPlace(record.id.index);
    record.shape = shape;
    if (record.hasDisabled) {
        const std::uint64_t bits = record.disabledComponents();
        record.setDisabledComponents((bits & bitsBelow(position)) |
                                     (bits >> 1 & ~bitsBelow(position)));
    }
    record.rebound = true;
}

void ComponentStore::unbindAll(EntityRecord& record) noexcept {
    const auto& types = record.shape->types();
    noteMove();
    if (hasWatchers_)
        for (std::size_t i = 0; i < types.size(); ++i)
            if (const auto& hooks = at(types[i]).hooks) hooks->onFreed(record.slotAt(i));
    if (isParked(record)) {
        record.parked = nullptr;
        --parkedCount_;
    } else {
        for (std::size_t i = 0; i < types.size(); ++i) {
            ComponentPool& pool = record.shape->poolAt(i);
            pool.free(pool.at(pool.findPlace(record.id.index)));
            pool.clearPlace(record.id.index);
        }
    }
    record.shape = shapes_.empty();
}

void ComponentStore::free(const std::vector<Retired>& retired) noexcept {
    for (const Retired& each : retired) at(each.type).pool.free(each.slot);
}

const Shape* ComponentStore::enabledShape(const EntityRecord& record) {
    const Shape* shape = record.shape;
    if (!record.hasDisabled) return shape;
    const auto& types = record.shape->types();
    for (std::size_t i = 0; i < types.size(); ++i)
        if (record.disabledComponents() >> i & 1) shape = shapes_.toggled(shape, types[i]);
    return shape;
}

void ComponentStore::clear() noexcept {
    noteMove();
    retired_.clear();
    unparked_.clear();
    parkedCount_ = 0;
    for (ComponentType& type : types_) type.pool.clear();
}

}  // namespace revenant
