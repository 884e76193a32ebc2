// Saves: a world as bytes that a later build of the game can open. Everything in them goes by name: fields
// that are new take their defaults, those that are gone are dropped, numbers convert where nothing is lost;
// World::setVersion does the rest. docs/save_file_format.md is the grammar, docs/saving.md the guide.
//
// A save holds the world as the next reconcile would make it: forest, order, flags, components, rewindable
// resources, random state, time, main character and camera, states of systems. Entities with
// setPersistent(false) are left out, with their descendants.
// Used only on the world's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace revenant {

class World;

enum class SaveFormat : std::uint8_t {
    Binary,  // packed, with checksums: for players
    Json,    // readable: for people, diffs and tools
};

struct SaveOptions {
    SaveFormat format = SaveFormat::Binary;
};

struct LoadOptions {
    std::vector<std::string> drop = {};  // components that the game no longer has: left out
    // false: not checked. For tests of what is behind them.
    bool checksums = true;
};

// Changes nothing. Throws Error{WrongType} where a script holds something other than plain data.
std::vector<std::byte> saveToBytes(const World& world, const SaveOptions& options = {});
// Replaces the world's content, or throws an Error that says what does not fit, and leaves the world as it
// was. Systems, listeners, views and resources that are not rewound stay; all older handles are
// stale; the history is dropped; "worldLoaded" is emitted. Either format is recognised.
// Inside a tick the bytes are checked at once and take effect after the tick.
void loadFromBytes(World& world, std::span<const std::byte> save, const LoadOptions& options = {});

// The same with a file, which is replaced or stays as it was, whatever happens meanwhile.
void save(const World& world, const std::string& path, const SaveOptions& options = {});
void load(World& world, const std::string& path, const LoadOptions& options = {});

}  // namespace revenant
