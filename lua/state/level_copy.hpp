// LevelCopy: what a level file returned, on its way from the sandbox's Lua state into the game's. It lies in memory that
// belongs to neither state, so that an error in one cannot leak it in the other.
#pragma once

#include <cstddef>

struct lua_State;

namespace revenant {

inline constexpr std::size_t mostLevelBytes = std::size_t{256} << 20;
inline constexpr const char* noLevelMemory = "there is no memory left to load a level";
inline constexpr const char* levelTooLarge =
    "takes more than 256 MB; a level is data: make large worlds by code, with spawnMany";

// Plain data: it is freed by hand, because an error in Lua may skip destructors.
struct LevelCopy {
    struct Buffer {
        char* bytes = nullptr;
        std::size_t size = 0;
        std::size_t capacity = 0;

        bool append(const void* from, std::size_t count) noexcept;
    };
    Buffer items;  // the value returned; then, of each table, its keys and values, and an end
    Buffer texts;  // one after the other
    std::size_t tables = 0;

    void free() noexcept;
};

// Copies the value on top of the stack and all tables that can be reached from it. Raises in `state`, the
// sandbox, where there is no room.
void copyLevel(lua_State* state, LevelCopy& copy);

// A lua_CFunction: takes a LevelCopy as light userdata at 1 and makeWide (see runLevel) at 3, and returns the value.
int pushLevel(lua_State* state);

}  // namespace revenant
