// The hash of a world's state: everything that rewinds, in world order. A sum of the hashes of
// its parts, so that a history can keep it up to date at the cost of what changed; computed from
// nothing here, to check against.
//
// Parts are hashed by what they mean: components field by field (no padding; strings by their
// contents, entities by their serials), entities by serial, name, parent and previous sibling. Serials are
// rewound with the world, so that a resumed run and an uninterrupted one hash alike.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "world/storage/component_store.hpp"
#include "world/storage/entity_record.hpp"

namespace revenant {

class System;
class WorldCore;

std::uint64_t stateHash(WorldCore& world);  // as rewind/state_hash.hpp has it

// Whether a component is its bytes: nothing but numbers, no padding.
bool isPlain(const ComponentSchema& schema) noexcept;
std::uint64_t componentHash(const WorldCore& world, std::uint32_t ownerSerial,
                            const ComponentType& type, const std::byte* bytes);
// An entity's name and flags, apart from its components' contents.
struct Looks {
    const Shape* shape;
    std::uint64_t disabled;  // components, by position
    bool enabled;
};
// REQUIRES: the entity is managed. Its place is that of the last reconcile.
std::uint64_t structureHash(const WorldCore& world, const EntityRecord& record, const Looks& looks);
// The hashes of a name and of the components that an entity has, as they were last needed: in a crowd, the next entity has the
// same. Good while no name is added or swept.
struct LooksHashes {
    std::optional<StringId> named;
    std::uint64_t name = 0;
    const Shape* shape = nullptr;
    std::uint64_t disabled = 0;
    std::uint64_t types = 0;
};
std::uint64_t structureHash(const WorldCore& world, const EntityRecord& record, const Looks& looks,
                            LooksHashes& last);
std::uint64_t globalsHash(const WorldCore& world);
std::uint64_t resourcesHash(const WorldCore& world);
// The hash of a state from hooks: of an entity's component, or of the system of that name.
std::uint64_t hookedHash(const ComponentType& type, std::uint32_t ownerSerial,
                         std::span<const std::byte> state);
// The hash of what getState returned. Where that is plain data (System::isPlainData), entities in it are hashed by `serialOf`;
// other states are hashed as bytes.
std::uint64_t systemHash(const std::string& name, std::span<const std::byte> state);
std::uint64_t systemHash(const WorldCore& world, const System* system, const std::string& name,
                         std::span<const std::byte> state);
// Whether the state of a system may hold entities: then its bytes alone do not say what it hashes to.
bool mayNameEntities(std::span<const std::byte> state);
// A system's own state as bytes; its time within a fixed step comes first.
bool hasState(const System& system);
void getState(System& system, std::vector<std::byte>& into);
// The part of it that its hooks returned.
inline std::span<const std::byte> hookedPart(std::span<const std::byte> state) noexcept {
    return state.subspan(std::min(state.size(), sizeof(double)));
}
// The sum of all parts, and the step that makes it the hash of a state.
std::uint64_t finishHash(std::uint64_t sum, std::uint64_t globals,
                         std::uint64_t resources) noexcept;

// Whether the history knows the entity: its own flag and those of all ancestors.
bool isRewindable(const EntityRecord& record) noexcept;

}  // namespace revenant
