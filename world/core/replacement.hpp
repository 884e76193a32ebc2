// Replacement: puts another content into a running world: all entities, the rewindable resources and the
// globals. The new entities are made before, detached, so that what can fail fails while the old
// content is still there. Systems, listeners, views and other resources stay.
//
//     Replacement replacement(world);
//     replacement.reserve(count);
//     for (...) replacement.add(record, {.serial = serial}, parent);      // as many as there are
//     replacement.apply();
//
// If it is destroyed without being applied, so are the entities that were added, and the random state is put back. While it
// exists, scripts cannot write to the components of the old content.
// REQUIRES: between ticks (WorldCore::callBetweenTicks).
#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "world/core/world_core.hpp"

namespace revenant {

class Replacement {
public:
    explicit Replacement(WorldCore& world);
    Replacement(const Replacement&) = delete;
    Replacement& operator=(const Replacement&) = delete;
    ~Replacement();

    // What an entity of the new content is made with.
    struct Beginning {
        std::uint32_t serial = 0;
        bool enabled = true;
        bool rewindable = true;
    };
    // Before the first is made: makes room for so many entities, and sets memory aside with which all of this can be
    // finished, or undone. Throws std::bad_alloc.
    void reserve(std::size_t count);
    // An entity of the new content, in world order: parents first; null: it is a root.
    void add(EntityRecord& record, const Beginning& beginning, EntityRecord* parent);
    // Disables components of one of them, by their positions.
    void disable(EntityRecord& record, std::uint64_t components);
    const std::vector<EntityRecord*>& added() const noexcept { return added_; }

    WorldGlobals globals;
    std::map<std::string, Value> resources;  // those that are rewound

    // Throws where the program could not use what is to come.
    void check() const;
    // Replaces the content; old handles are stale after it. Listeners are called for what left and came, then for
    // "worldLoaded". At the end it throws what they threw, behind a sentence that says that the save is loaded.
    void apply();

private:
    void prepareOld();
    void destroyOld();
    void hold(std::exception_ptr error) noexcept;

    WorldCore& world_;
    WorldGlobals before_;
    std::vector<EntityRecord*> added_;
    std::vector<EntityId> old_;
    bool isApplied_ = false;
};

}  // namespace revenant
