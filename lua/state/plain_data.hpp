// Plain data: Lua tables of numbers, strings, booleans, entities, tables and instances of registered
// classes, as bytes that are equal where the data is, and back. Cycles and shared tables keep their
// shape. Keys are written in order, as `pairs` has none; entities as keys in the order of their
// serials, which a resumed run has again.
//
// An entity that was destroyed stays what it is, as a value and as a key: a stale one, which counts by its
// serial. Whether it still exists is not part of the state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "world/rewind_hooks.hpp"

struct lua_State;

namespace revenant {

class World;
class WorldLink;

// What is encoded, for its errors and for its topmost table.
struct PlainSource {
    // Begins the path in errors: "component 'X' of entity ...: self". Called only when there is one.
    const std::function<std::string()>& describe;
    // The topmost table is a component: its metatable is not part of the data. `ignored`: index of a
    // table whose keys are left out of it, or 0.
    bool isComponent = false;
    int ignored = 0;
    // A world is being loaded: its entities are not in yet, but references to their components still count as
    // references.
    bool isLoading = false;
};

// Appends the value at `index`. Throws Error{WrongType} naming the path of what is not plain.
void encodePlain(lua_State* state, int index, WorldLink& link, const PlainSource& source,
                 std::vector<std::byte>& into);

// Pushes the value. If the data is a table and `into` is the index of one, that table is emptied (but
// for the keys in `ignored`) and filled instead.
void decodePlain(lua_State* state, std::span<const std::byte> data, int into, int ignored,
                 WorldLink& link);

// By meaning: entities count by their serials.
std::uint64_t hashPlain(const World& world, std::span<const std::byte> data);

// Each number, text, boolean and entity with the path that leads to it, as a Lua programmer would write
// both. Empty tables, and tables that stand in two places, have a part of their own.
std::vector<StatePart> describePlain(const World& world, std::span<const std::byte> data);

}  // namespace revenant
