// Shadow: a copy of every component that the history knows, as of the last frame, beside the
// pools' own pages: what differs from it is what changed. Keeps the sum of the components' hashes.
// Words are compared only where a change mark says that something was open for writing.
//
// Measured at 10 000 components that all change: with the owner's record fetched for its serial
// and the schema asked anew for each, a frame cost four times as much. Hence the arrays beside
// the copies, and one look at the schema per type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "rewind/delta.hpp"
#include "world/component_store.hpp"
#include "world/entity_record.hpp"

namespace revenant {

class World;

class Shadow {
public:
    explicit Shadow(World& world) : world_(world) {}

    // Begins to know the component in `slot`, as it is now.
    void track(const EntityRecord& owner, ComponentType& type, const std::byte* slot);
    void untrack(ComponentType& type, const std::byte* slot);
    bool isTracked(const ComponentType& type, const std::byte* slot) const noexcept;

    // Appends what differs, as Delta::words has it, and takes it over: one component, or all that
    // may have been written at `since` or later. To `bases` goes what a component was before,
    // when it changes for the first time in a stretch.
    void takeChanges(const EntityRecord& owner, ComponentType& type, const std::byte* slot,
                     Words& words, Words& bases);
    void takeAllChanges(Tick since, Words& words, Words& bases);
    // From now on, every component's next change is the first of a stretch.
    void beginStretch() noexcept { ++stretch_; }
    // Puts components back that may have been written at `since` or later.
    void revertAll(Tick since);
    // XORs `words` into the components and into their shadows.
    void apply(const Words& words);
    // Calls visit(owner's index, slot) for each known component of a type.
    template <class Visit>
    void forTracked(const ComponentType& type, Visit visit);

    std::uint64_t hashSum() const noexcept { return hashSum_; }
    std::size_t bytes() const noexcept { return bytes_ + scratchWords_ * sizeof(std::uint32_t); }
    void clear() noexcept;

private:
    // What is kept of one slot beside its copy.
    struct SlotNote {
        std::uint64_t hash;
        std::uint32_t serial;   // of the owner
        std::uint32_t stretch;  // in which it last changed
    };
    struct Page {
        std::unique_ptr<std::byte[]> data;
        std::unique_ptr<SlotNote[]> notes;
        std::vector<std::uint64_t> tracked;
    };
    struct Type {
        std::vector<Page> pages;  // by page number
        bool isPlain = false;     // its bytes are what is hashed
        bool isHashed = true;
    };
    struct Place {
        Page* page;
        std::uint32_t slot;
        std::byte* shadow;
    };

    Place placeOf(const ComponentType& type, const std::byte* slot);
    Page& pageFor(const ComponentType& type, std::uint32_t number);
    std::uint64_t hashOf(const ComponentType& type, const SlotNote& note,
                         const std::byte* bytes) const;
    void setHash(const ComponentType& type, SlotNote& note, const std::byte* bytes);
    // Writes differences to `out`, which has room for them, and takes them over. Returns the end.
    template <class CountWords>
    std::uint32_t* emit(const ComponentType& type, std::uint32_t owner, SlotNote& note,
                        std::byte* shadow, const std::byte* slot, CountWords count,
                        std::uint32_t* out, Words& bases);
    std::uint32_t* emitAny(const ComponentType& type, std::uint32_t owner, SlotNote& note,
                           std::byte* shadow, const std::byte* slot, std::uint32_t* out,
                           Words& bases);
    std::uint32_t* scratchFor(std::size_t words, std::uint32_t* end);
    // Calls visit(type, pool page, shadow page, first slot, mask) for blocks open since, with
    // the slots that are tracked.
    template <class Visit>
    void forOpenBlocks(Tick since, Visit visit);

    World& world_;
    std::vector<Type> types_;
    std::uint64_t hashSum_ = 0;
    std::uint32_t stretch_ = 1;
    std::size_t bytes_ = 0;
    std::unique_ptr<std::uint32_t[]> scratch_;  // the words of the frame being taken
    std::size_t scratchWords_ = 0;
};

// ------------------------------------------------------------------------------------------

template <class Visit>
void Shadow::forTracked(const ComponentType& type, Visit visit) {
    if (type.id >= types_.size()) return;
    for (std::size_t number = 0; number < types_[type.id].pages.size(); ++number) {
        const Page& shadow = types_[type.id].pages[number];
        const ComponentPool::Page& page = *type.pool.pages()[number];
        for (std::size_t group = 0; group < shadow.tracked.size(); ++group)
            for (std::uint64_t bits = shadow.tracked[group]; bits != 0; bits &= bits - 1) {
                const std::size_t slot =
                    group * 64 + static_cast<std::size_t>(std::countr_zero(bits));
                visit(page.owners[slot], page.data + slot * type.schema.size);
            }
    }
}

}  // namespace revenant
