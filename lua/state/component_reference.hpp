// ComponentReference: how the data of scripts refers to script components. A table that is a component is not part of the
// data that refers to it: it is written as its entity and its name, and comes back as that same table.
//
// The Lua half says of a table which component it is or was (core.identities, script_component.lua).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "world/codec/plain_data.hpp"
#include "world/component_type_id.hpp"
#include "world/entity_id.hpp"

struct lua_State;

namespace revenant {

class WorldLink;

struct ComponentReference {
    EntityId owner;
    ComponentTypeId type = 0;
    std::uint32_t table = 0;   // its number among ScriptTables, which others get after it
    std::uint32_t serial = 0;  // of the table: which of all tables that were components
};

// What stands for the table in plain data.
inline std::uint64_t numberOf(const ComponentReference& reference) noexcept {
    return std::uint64_t{reference.serial} << 32 | reference.table;
}

// Takes the identity of a table off the top of the stack. False: it is no component of that world.
bool takeComponent(lua_State* state, const WorldLink& link, ComponentReference& reference);
// Whether its entity is in the world, or about to come in, and has that very table: what a frame knows. Whether an
// entity that is out still exists is no part of a frame, and must not decide how a state is written.
bool isInWorld(const WorldLink& link, const ComponentReference& reference);
std::string_view nameOf(const WorldLink& link, const ComponentReference& reference);
void appendComponent(const WorldLink& link, const ComponentReference& reference,
                     std::vector<std::byte>& into);
// Pushes the table; nil where there is none.
void pushComponent(lua_State* state, WorldLink& link, const PlainComponent& component);

}  // namespace revenant
