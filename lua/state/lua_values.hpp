// Lua values as C++ ones and back: entities, and the plain Values of resources and events.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "world/value.hpp"

struct lua_State;

namespace revenant {

class WorldLink;

// Pushes the one Lua value of an entity; nil for none.
void pushEntity(lua_State* state, WorldLink& link, EntityId id);
// Whether the value at `index` is an entity of that world. Throws for one of another world.
bool toEntity(lua_State* state, int index, WorldLink& link, EntityId& id);

// Tables become arrays of values if they are sequences; others become an array that begins with
// `tableMark`, followed by keys and values in the order of the keys. Instances of registered classes begin
// with `instanceMark` and the name of the class; the class itself is `classMark` and its name. A script component that is in the world is
// `componentMark`, its entity and its name. Throws Error{WrongType} for anything that is not plain, naming `path`.
inline constexpr const char* tableMark = "\x01table";
inline constexpr const char* instanceMark = "\x01instance";
inline constexpr const char* classMark = "\x01class";
inline constexpr const char* componentMark = "\x01component";
Value toValue(lua_State* state, int index, WorldLink& link, const std::string& path);
void pushValue(lua_State* state, const Value& value, WorldLink& link);

// Pushes what a function of the Lua half (findClass, findEmpty) returns for the name of a registered class. Throws
// Error{WrongType} where none has it; `where` begins the sentence.
void pushClass(lua_State* state, WorldLink& link, const char* function, std::string_view name,
               const std::function<std::string()>& where = {});

}  // namespace revenant
