// Frame: what changed from one tick to the next, so that it can be undone and redone. Plain data;
// owned by History. Entities are named by their ids, which stay good while a frame remembers them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "world/component_store.hpp"
#include "world/entity_id.hpp"
#include "world/shape.hpp"
#include "world/world.hpp"

namespace revenant {

struct AlignedFree {
    void operator()(std::byte* bytes) const noexcept {
        ::operator delete (bytes, std::align_val_t{ComponentStore::parkedAlignment});
    }
};

// What an entity was made of when it left, or will be when it comes: on the side of a frame on
// which it is out, somebody may change it.
struct Absence {
    std::unique_ptr<std::byte, AlignedFree> blob;
    std::size_t bytes = 0;
    const Shape* shape = nullptr;
    std::uint64_t disabled = 0;
    bool enabled = true;

    explicit Absence(std::size_t size)
        : blob(static_cast<std::byte*>(
              ::operator new (size, std::align_val_t{ComponentStore::parkedAlignment}))),
          bytes(size) {}
};

// Where an entity stood before the frame (a departure) or stands after it (an arrival).
struct Step {
    EntityId id;
    EntityId parent;
    EntityId elder;
    bool crosses = false;              // it is out on the other side; else it only moved
    bool wasZombie = false;            // of a crossing arrival: it was one, and not new
    std::unique_ptr<Absence> absence;  // while the side on which it is out is on show
};

// A component that was bound, unbound or replaced.
struct Rebinding {
    EntityId id;
    ComponentTypeId type = 0;
    bool had = false;
    bool has = false;
    std::vector<std::byte> before;
    std::vector<std::byte> after;
};

// A rewindable resource that was set or removed.
struct ResourceChange {
    std::string name;
    std::optional<Value> before;
    std::optional<Value> after;
};

// What a system with a fixed step had accumulated.
struct SystemSeconds {
    std::string system;
    double seconds = 0;
};

struct Toggle {
    EntityId id;
    bool enabledBefore = true;
    bool enabledAfter = true;
    std::uint64_t disabledBefore = 0;  // bits by position in the shape of that side
    std::uint64_t disabledAfter = 0;
};

// What one reconcile changed.
struct Structure {
    std::vector<Step> departures;  // in the order before
    std::vector<Step> arrivals;    // in the order after
    std::vector<Rebinding> rebindings;
    std::vector<Toggle> toggles;

    bool empty() const noexcept {
        return departures.empty() && arrivals.empty() && rebindings.empty() && toggles.empty();
    }
    std::size_t bytes() const noexcept;
};

struct Frame {
    std::int64_t number = 0;
    std::uint32_t tick = 0;  // of the world, when it was recorded
    std::uint64_t hash = 0;
    World::Globals globals;
    std::vector<SystemSeconds> systems;
    std::vector<ResourceChange> resources;
    std::vector<Structure> structures;  // one per reconcile since the frame before
    // Differences of component words: per component its entity's index, its type and the number
    // of mask words; the masks of words that differ; and those words, old XOR new.
    std::vector<std::uint32_t> words;
    // The same for what was written while the frame was on show, before play resumed from it.
    std::vector<std::uint32_t> amended;

    std::size_t bytes() const noexcept;
};

}  // namespace revenant
