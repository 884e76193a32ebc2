// Runs a level file in a Lua state of its own, which has no libraries, no string methods, and limits for
// time and memory; what the file returns is copied into the game's state. Nothing that a file does can
// reach the game or hang it.
#pragma once

struct lua_State;

namespace revenant {

// A lua_CFunction: runLevel(source, path, makeWide, isGC64) returns the value, or nil and a sentence that
// begins with path and line. makeWide(low, high, isUnsigned) makes a 64-bit number of its halves. LuaJIT
// takes an allocator only in GC64 mode; without, memory is looked at every thousand instructions.
int runLevel(lua_State* state);

}  // namespace revenant
