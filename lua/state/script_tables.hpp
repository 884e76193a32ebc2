// ScriptTables: the numbers under which the Lua half keeps the tables of script components, while an
// entity or the history could bring them back.
//
// Owned by WorldLink. One thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "world/entity_id.hpp"
#include "world/storage/component_store.hpp"

namespace revenant {

class World;

// A script component's bytes: which table of which link, by its mark in the world.
struct ScriptReference {
    std::uint32_t table = 0;  // 0: none
    std::uint32_t link = 0;
};

// The frames that a history of the world keeps; false where there is no history.
bool findFrames(World& world, std::int64_t& oldest, std::int64_t& newest);

class ScriptLifecycles;

class ScriptTables {
public:
    std::uint32_t add(EntityId owner, ComponentTypeId type);
    // It was not bound after all.
    void remove(std::uint32_t number) noexcept;
    // Takes the number that a component has in a history that was saved elsewhere. False: the number is in use.
    bool adopt(std::uint32_t number, EntityId owner, ComponentTypeId type);
    // Finds tables of `link` that neither an entity nor the history could bring back.
    // Those with a lifecycle wait for their onDestroyed.
    void sweep(World& world, std::uint32_t link, const ScriptLifecycles& lifecycles);
    bool has(std::uint32_t number) const noexcept {
        return number > 0 && number <= tables_.size() && !tables_[number - 1].owner.isNull();
    }
    std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(tables_.size()); }
    ComponentTypeId typeOf(std::uint32_t number) const noexcept {
        return number > 0 && number <= tables_.size() ? tables_[number - 1].type : 0;
    }
    // Copies the numbers of tables whose owners satisfy `is`, from `first` on, as many as there is room for.
    template <class Is>
    std::uint32_t copyIf(std::span<std::uint32_t> out, std::uint32_t first, Is is) const {
        std::uint32_t count = 0;
        for (std::size_t i = first > 0 ? first - 1 : 0; i < tables_.size() && count < out.size();
             ++i)
            if (!tables_[i].owner.isNull() && is(tables_[i].owner))
                out[count++] = static_cast<std::uint32_t>(i + 1);
        return count;
    }
    // Frees some of those and lists their numbers, which the next `add` may use again. Returns
    // how many.
    std::uint32_t takeFreed(std::span<std::uint32_t> out);
    void clear() noexcept {
        tables_.clear();
        free_.clear();
        freed_.clear();
    }

private:
    struct Table {
        EntityId owner;  // null: the entry is free
        ComponentTypeId type = 0;
        std::int64_t unboundSince = -1;  // newest frame when it was first seen unbound
    };

    std::vector<Table> tables_;  // by number - 1
    std::vector<std::uint32_t> free_;
    std::vector<std::uint32_t> freed_;  // found, but not reported yet
};

}  // namespace revenant
