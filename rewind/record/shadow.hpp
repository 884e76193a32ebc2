// Shadow: a copy of every component that the history knows, as of the last frame, beside the
// pools' own pages: what differs from it is what changed. Keeps the sum of the components' hashes.
// Words are compared only where a change mark says that something was open for writing; beside those, some
// blocks are compared in turn, for writes through references that were kept.
//
// Measured at 10 000 components that all change: fetching the owner's record for its serial and
// reading the schema for each component made a frame cost four times as much. Hence the arrays beside
// the copies, and one look at the schema per type. A step back took as long as three frames until
// it left hashes alone: those of the components it wrote are computed when a sum is next asked for.
#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rewind/history/delta.hpp"
#include "rewind/record/stray_write.hpp"
#include "world/core/world_core.hpp"
#include "world/storage/component_store.hpp"
#include "world/storage/entity_record.hpp"

namespace revenant {

class WorldCore;

class Shadow {
public:
    explicit Shadow(WorldCore& world) : world_(world) {}

    // Follows the component in `slot` from now on, as it is now.
    void track(const EntityRecord& owner, ComponentType& type, const std::byte* slot);
    void untrack(ComponentType& type, const std::byte* slot);
    bool isTracked(const ComponentType& type, const std::byte* slot) const noexcept;
    // The same for all components of an entity; `settled`: those that the last reconcile left, some of which may
    // have been removed since. REQUIRE: they are not parked, or none is known.
    void trackAll(EntityRecord& owner, const Shape& settled);
    void untrackAll(EntityRecord& owner);
    // The slot of the component that the last reconcile left: perhaps it was removed since. Null where the
    // component is not known.
    std::byte* trackedSlotOf(const EntityRecord& owner, const ComponentType& type) const;
    // Takes over what was written to a component, without noting what differs. Answers whether it is known.
    bool refresh(const ComponentType& type, const std::byte* slot);
    // The component as of the last frame; null where it is not known.
    const std::byte* copyOf(const ComponentType& type, const std::byte* slot) const noexcept;

    // Appends what differs, as Delta::words has it, and takes it over: one component, or all that
    // may have been written at `since` or later. To `bases` goes what a component was before,
    // when it changes for the first time in a block.
    void takeChanges(const EntityRecord& owner, ComponentType& type, const std::byte* slot,
                     Words& words, Words& bases);
    void takeAllChanges(Clock since, Words& words, Words& bases);
    // The same of one component that ceases to be known with it. Answers whether it was known.
    bool takeLast(const EntityRecord& owner, ComponentType& type, const std::byte* slot,
                  Words& words, Words& bases);
    // A block begins: every component's next change is its first in the block.
    void beginBlock() noexcept { ++frameBlock_; }
    // Puts components back that may have been written at `since` or later.
    void revertAll(Clock since);
    // Compares the next so many blocks of `blockSlots` components, marked or not (SIZE_MAX: all of them),
    // and takes over what differs, as takeAllChanges does. Returns the first that differed. Called behind
    // takeAllChanges, it finds only writes without a mark; see shadow_strays.cpp.
    std::optional<StrayWrite> takeStrays(std::size_t blocks, Words& words, Words& bases);
    // The same, but puts back what differs.
    void revertStrays(std::size_t blocks);
    // Puts one component back, if it is known; or all of an entity.
    void revert(const ComponentType& type, std::byte* slot);
    void revertAll(EntityRecord& owner);
    // XORs `words` into the shadows of components, and makes the components equal to them.
    void apply(const Words& words);  // see shadow_apply.cpp
    // Calls visit(owner's index) for components that are not known and were marked since the last takeAllChanges, perhaps
    // several times for one owner.
    template <class Visit>
    void forTouchedOthers(Visit visit) const;
    // Calls visit(owner's index, slot) for each known component of a type.
    template <class Visit>
    void forTracked(const ComponentType& type, Visit visit);

    std::uint64_t hashSum();
    // Checks the copies against the pools and the hashes that were noted of them. Returns how many components it
    // knows.
    std::size_t validate(std::vector<std::string>& problems) const;
    std::size_t bytes() const noexcept {
        return bytes_ + scratch_.capacity() * sizeof(std::uint32_t);
    }
    void clear() noexcept;

private:
    // What is kept of one slot beside its copy.
    struct SlotNote {
        std::uint64_t hash;
        std::uint32_t serial;      // of the owner
        std::uint32_t frameBlock;  // in which it last changed
    };
    // The copies of a part of a page: a small world should not pay for whole pages.
    static constexpr std::uint32_t chunkSlots = 256;
    static_assert(chunkSlots % blockSlots == 0 && 64 % blockSlots == 0);
    struct Chunk {
        std::unique_ptr<std::byte[]> data;
        std::unique_ptr<SlotNote[]> notes;
        std::uint64_t tracked[chunkSlots / 64] = {};
        std::uint64_t unhashed[chunkSlots / 64] = {};  // whose notes have the hash of older bytes
        std::uint32_t live = 0;  // tracked slots; without any it holds no memory

        bool tracks(std::uint32_t slot) const noexcept {
            return (tracked[slot / 64] >> (slot % 64) & 1) != 0;
        }
    };
    struct Type {
        std::vector<std::vector<Chunk>> pages;  // by page number, by slot / chunkSlots
        bool isPlain = false;                   // its bytes are what is hashed
        bool isHashed = true;
    };
    // A block of which something may have been written.
    struct OpenBlock {
        ComponentType* type;
        const ComponentPool::Page* page;
        Chunk* chunk;
        std::uint32_t first;  // slot, in the page
        std::uint32_t slots;  // that may have been written, a bit each
    };
    struct Place {
        Chunk* chunk = nullptr;
        std::uint32_t slot = 0;  // in the chunk
        std::byte* shadow = nullptr;
    };

    Place placeOf(const ComponentType& type, const std::byte* slot);
    // The same of a component that is known; without a chunk for any other.
    Place findPlace(const ComponentType& type, const std::byte* slot) const noexcept;
    void track(const EntityRecord& owner, const ComponentType& type, const std::byte* slot,
               const Place& place);
    void untrack(const ComponentType& type, const Place& place);
    Chunk& chunkFor(const ComponentType& type, std::uint32_t page, std::uint32_t slot);
    std::uint64_t hashOf(const ComponentType& type, const SlotNote& note,
                         const std::byte* bytes) const;
    void setHash(const ComponentType& type, SlotNote& note, const std::byte* bytes);
    // Writes differences to `out`, in the scratch, which has room for them, and takes them over. Returns the end.
    template <class CountWords>
    std::uint32_t* emit(const ComponentType& type, std::uint32_t owner, SlotNote& note,
                        std::byte* shadow, const std::byte* slot, CountWords count,
                        WordGroup& group, std::uint32_t* out, Words& bases);
    std::uint32_t* emitAny(const ComponentType& type, std::uint32_t owner, SlotNote& note,
                           std::byte* shadow, const std::byte* slot, WordGroup& group,
                           std::uint32_t* out, Words& bases);
    std::uint32_t* scratchFor(std::size_t words, std::uint32_t* end);
    // Calls visit(const OpenBlock&) for blocks that were open since, and may differ, and clears
    // their marks.
    template <class Visit>
    void forOpenBlocks(Clock since, Visit visit);
    static std::uint32_t trackedIn(const Chunk& chunk, std::uint32_t firstSlot) noexcept {
        const std::uint32_t inChunk = firstSlot % chunkSlots;
        return static_cast<std::uint32_t>(chunk.tracked[inChunk / 64] >> (inChunk % 64));
    }
    void handOver(const std::uint32_t* end, Words& words);
    // The block that is compared next.
    struct Cursor {
        std::size_t type = 0;
        std::size_t page = 0;
        std::uint32_t slot = 0;  // in the page

        friend auto operator<=>(const Cursor&, const Cursor&) = default;
    };
    template <class Visit>
    void forNextBlocks(std::size_t blocks, Visit visit);
    template <class Visit>
    static void forStrays(const ComponentType& type, const ComponentPool::Page& page,
                          const Chunk& chunk, std::uint32_t first, Visit visit);
    StrayWrite describeStray(const ComponentType& type, std::uint32_t owner, const std::byte* copy,
                             const std::byte* slot) const;

    WorldCore& world_;
    std::vector<Type> types_;
    std::uint64_t hashSum_ = 0;
    std::uint32_t frameBlock_ = 1;
    std::size_t bytes_ = 0;
    bool hasUnhashed_ = false;
    Cursor cursor_;
    Words scratch_;  // for the words of the frame being taken
    Words masks_;    // of a component that has many
};

// ------------------------------------------------------------------------------------------

template <class Visit>
void Shadow::forTouchedOthers(Visit visit) const {
    for (std::size_t id = 0; id < world_.components().count(); ++id) {
        ComponentPool& pool = world_.components().at(static_cast<ComponentTypeId>(id)).pool;
        const std::uint32_t blocks = pool.blocksPerPage();
        for (ComponentPool::Page* page : pool.pages()) {
            const std::vector<Chunk>* chunks = nullptr;
            if (id < types_.size() && page->number < types_[id].pages.size())
                chunks = &types_[id].pages[page->number];
            const bool isKnown = chunks && !chunks->empty();
            for (std::uint32_t word = 0; word * 64 < blocks; ++word)
                for (std::uint64_t bits = page->touchedBlocks[word]; bits != 0; bits &= bits - 1) {
                    const std::uint32_t block =
                        word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
                    const std::uint32_t first = block * blockSlots;
                    std::uint32_t slots = page->touched[block];
                    if (isKnown) slots &= ~trackedIn((*chunks)[first / chunkSlots], first);
                    for (; slots != 0; slots &= slots - 1)
                        visit(page->owners[first +
                                           static_cast<std::uint32_t>(std::countr_zero(slots))]);
                }
            // Else takeAllChanges clears the marks.
            if (!isKnown) pool.clearTouched(*page);
        }
    }
}

template <class Visit>
void Shadow::forTracked(const ComponentType& type, Visit visit) {
    if (type.id >= types_.size()) return;
    for (std::size_t number = 0; number < types_[type.id].pages.size(); ++number) {
        const ComponentPool::Page& page = *type.pool.pages()[number];
        std::size_t first = 0;
        for (const Chunk& chunk : types_[type.id].pages[number])
            for (const std::uint64_t tracked : chunk.tracked) {
                for (std::uint64_t bits = tracked; bits != 0; bits &= bits - 1) {
                    const std::size_t slot =
                        first + static_cast<std::size_t>(std::countr_zero(bits));
                    visit(page.owners[slot], page.data + slot * type.schema.size);
                }
                first += 64;
            }
    }
}

}  // namespace revenant
