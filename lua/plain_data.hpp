// Plain data: Lua tables of numbers, strings, booleans, entities and tables, as bytes that are equal
// where the data is, and back. Cycles and shared tables keep their shape. Keys are written in order,
// as `pairs` has none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

struct lua_State;

namespace revenant {

class World;
class WorldLink;

// Appends the value at `index`. `ignored`: index of a table whose keys are left out of the topmost
// table, or 0. Throws Error{WrongType} naming the path of what is not plain; `what` begins the path.
void encodePlain(lua_State* state, int index, int ignored, WorldLink& link, const std::string& what,
                 std::vector<std::byte>& into);

// Pushes the value. If the data is a table and `into` is the index of one, that table is emptied (but
// for the keys in `ignored`) and filled instead.
void decodePlain(lua_State* state, std::span<const std::byte> data, int into, int ignored,
                 WorldLink& link);

// By meaning: entities count by their serials.
std::uint64_t hashPlain(const World& world, std::span<const std::byte> data);

}  // namespace revenant
