// ComponentStore: the component types of a world, their pools, and the components of its
// entities. Types are defined once, by name, from C++ or at run time, and stay for the life of
// the world.
// Functions here take records and assume that the call is allowed; World checks.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "world/component_schema.hpp"
#include "world/migration.hpp"
#include "world/rewind_hooks.hpp"
#include "world/storage/change_set.hpp"
#include "world/storage/component_pool.hpp"
#include "world/storage/entity_pool.hpp"
#include "world/storage/entity_record.hpp"
#include "world/storage/lasting_count.hpp"
#include "world/storage/shape.hpp"

namespace revenant {

struct ComponentType {
    ComponentTypeId id = 0;
    ComponentSchema schema;
    ComponentPool pool;
    std::shared_ptr<ComponentHooks> hooks = nullptr;
    // An entity that has this component has that of the base type as well, with the same bytes, and
    // no other component of the family.
    ComponentType* base = nullptr;
    ComponentType* family = nullptr;  // the topmost base; null: it has no family
    bool isForgotten = false;
    std::uint32_t version = 1;  // of the game's own: saves keep it
    std::shared_ptr<Migration> migration = nullptr;
};

class ComponentStore {
public:
    ComponentType& define(ComponentSchema schema);
    // Throws what define would.
    void checkDefinition(const ComponentSchema& schema);
    // Makes one type the base of another. REQUIRES: same size; no entity has either of them yet.
    void derive(ComponentType& type, ComponentType& base);
    // Its name is free again; defining it alike gives this very type. REQUIRES: no entity has it.
    void forget(ComponentType& type) noexcept;
    // Component memory stays mapped when the store ends. REQUIRES: no component was added yet.
    void keepMapped() noexcept { pages_.keepMapped(); }
    // Ties a C++ type to a definition, so that it can be found without its name.
    void tie(std::size_t cppType, ComponentTypeId type);
    void reserveTie(std::size_t cppType) {
        if (tied_.size() <= cppType) tied_.resize(cppType + 1);
    }

    ComponentType* find(std::string_view name) noexcept;
    ComponentType& require(std::string_view name);
    // The definition tied to a C++ type, or nullptr.
    ComponentType* findTied(std::size_t cppType) noexcept {
        return cppType < tied_.size() ? tied_[cppType] : nullptr;
    }
    ComponentType& at(ComponentTypeId type) noexcept { return *byId_[type]; }
    const ComponentType& at(ComponentTypeId type) const noexcept { return *byId_[type]; }
    std::size_t count() const noexcept { return types_.size(); }
    bool hasEntityFields() const noexcept { return hasEntityFields_; }
    // From now on ComponentHooks::onFreed is called.
    void noteWatchers() noexcept { hasWatchers_ = true; }
    // Hooks may refer to entities, too.
    void noteEntityFields() noexcept { hasEntityFields_ = true; }

    ShapeTable& shapes() noexcept { return shapes_; }
    const ShapeTable& shapes() const noexcept { return shapes_; }
    StringTable& strings() noexcept { return strings_; }
    const StringTable& strings() const noexcept { return strings_; }

    // Binds a component with undefined contents and returns its slot.
    // REQUIRES: the record does not have it, and has fewer than maxComponentsPerEntity.
    std::byte* bind(EntityRecord& record, ComponentType& type, Clock now);
    // Unbinds it. A slot that views may still show is retired until the next reconcile has
    // brought them up to date; others are freed at once.
    void unbind(EntityRecord& record, ComponentType& type, Clock now);
    void unbindAll(EntityRecord& record) noexcept;
    using Retired = RetiredSlot;
    // Swaps the retired slots out; the caller frees them.
    void takeRetired(std::vector<Retired>& into) noexcept { retired_.swap(into); }
    void free(const std::vector<Retired>& retired) noexcept;
    // In the order in which they were removed.
    const std::vector<Retired>& retired() const noexcept { return retired_; }

    // Moves the components of a record that is out to `blob`, of Shape::parkedBytes, and frees its slots;
    // they can be read there. The first write, bind or unbind, or the record's
    // return, brings them back to the pools; the blob stays its owner's, as it was.
    static constexpr std::size_t parkedAlignment = 64;
    void park(EntityRecord& record, std::byte* blob) noexcept;
    void unpark(EntityRecord& record, Clock now);
    std::size_t parkedCount() const noexcept { return parkedCount_; }
    // The indices of records whose components came back to the pools since it was last emptied.
    std::vector<std::uint32_t>& unparked() noexcept { return unparked_; }
    bool isParked(const EntityRecord& record) const noexcept {
        return parkedCount_ > 0 && record.parked;
    }

    // Raised whenever a component comes, goes or moves, or an entity that has some is found or not found any
    // more: until then, what was found by an entity's id is still there.
    const LastingCount& moves() const noexcept { return moves_; }
    void noteMove() noexcept { moves_.raise(); }

    // The record's shape without its disabled components.
    const Shape* enabledShape(const EntityRecord& record);

    void clear() noexcept;  // all slots; the definitions stay

private:
    ComponentType* revive(const ComponentSchema& schema);
    void keepDefaults(const ComponentType& type);

    StringTable strings_;
    ShapeTable shapes_;
    PageSource pages_;
    std::deque<ComponentType> types_;  // a deque: types are pointed to
    std::vector<ComponentType*> byId_;
    std::map<std::string, ComponentType*, std::less<>> byName_;
    std::vector<ComponentType*> tied_;
    std::vector<Retired> retired_;
    std::vector<std::uint32_t> unparked_;
    LastingCount moves_;
    std::size_t parkedCount_ = 0;
    bool hasEntityFields_ = false;
    bool hasWatchers_ = false;
};

}  // namespace revenant
