// What an entity is made of, read as a Makeup (history/delta.hpp), and back. Functions without a state, on
// the world's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rewind/history/delta.hpp"
#include "rewind/record/state_hash.hpp"
#include "world/storage/component_store.hpp"

namespace revenant {

class Shadow;
class WorldCore;

// A component's bytes as words.
Words wordsAt(const ComponentType& type, const std::byte* slot);
void appendWords(Words& words, const ComponentType& type, const std::byte* slot);
void appendImage(Words& image, const ComponentType& type, const std::byte* slot);

// The makeup of the entity as it is now.
Makeup makeupOf(const EntityRecord& record, const ComponentStore& components);
void appendImage(Words& image, const EntityRecord& record, const ComponentStore& components);
// The same as of the last frame, whatever was written since.
Makeup recordedMakeupOf(const EntityRecord& record, const Looks& looks, const Shadow& shadow,
                        const ComponentStore& components);
// Compares in place: most have not changed.
bool isMadeOf(const EntityRecord& record, const Makeup& makeup, const ComponentStore& components);
// The state of an entity that is out, and its place below a parent that is out, too.
Outer outerOf(const EntityRecord& record) noexcept;
// Gives the entity these components, whatever it has.
void makeUp(EntityRecord& record, std::span<const std::uint32_t> image, bool enabled,
            std::uint64_t disabled, WorldCore& world);
inline void makeUp(EntityRecord& record, const Makeup& makeup, WorldCore& world) {
    makeUp(record, makeup.image, makeup.enabled, makeup.disabled, world);
}

}  // namespace revenant
