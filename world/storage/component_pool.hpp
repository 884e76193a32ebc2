// ComponentPool: the storage of one component type: slots of equal size in aligned pages.
//
// A slot's address never changes while it is taken, and its page stays mapped while the pool
// lives. Each page knows which slots are taken, by whom, and when they may last have been
// written (see blockSlots below). And it knows by entity where a component is, in four bytes: so the way from a handle
// to a component fetches no record (see findPlace).
//
// Policy (where a new slot comes from). Views follow world order, and most entities come in
// last, so slots are handed out in ascending order: what is spawned in sequence lies in
// sequence. Fresh slots are opened while there are no more than twice as many as components, and
// pages while they take no more than twice the components' bytes, plus one page (components smaller
// than what a page keeps of them cannot do that: for them it is 8/7 of the slots). After that the
// emptiest quarter of the words of 64 slots is gone through again, in a sweep from the first page
// to the last. A child's component goes to the free slot nearest to its parent's.
// Measured: after long churn iteration costs what it fetches in cache lines, and with random
// removals hardly two neighbours in world order lie side by side. A line is fetched once for
// each range of the order that has part of it, so what matters is that few ranges share
// it: hence the emptiest words, and all the room that the bytes allow. Pools that are used alike
// hand out the same slots, so that views find them in step (see views/rows/view_rows.hpp).
// Roads not taken: a LIFO free list (after churn every row lies elsewhere: measured three
// times slower to iterate); single cache lines instead of words (no better, more to look
// through); and moving components at reconcile (addresses must be stable).
//
// Owned by ComponentStore; touched only on the world's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "world/clock.hpp"
#include "world/error.hpp"
#include "world/storage/page_source.hpp"

namespace revenant {

// Change marks are coarse, so that loops stay vectorised: read-write iteration marks whole
// pages, access to a single component marks its block of `blockSlots` slots, and its bit in it.
// Blocks keep the time; bits stay until a history has taken them, which so finds
// the few that were written without looking through all blocks.
inline constexpr std::uint32_t blockSlots = 32;

class ComponentPool {
public:
    struct Page {
        std::byte* data = nullptr;               // slot 0; 64-byte aligned
        std::uint64_t* taken = nullptr;          // one bit per slot
        std::uint32_t* owners = nullptr;         // entity index per taken slot
        Clock* blockChangedAt = nullptr;         // one per block
        std::uint32_t* touched = nullptr;        // one per block, a bit per slot that was marked
        std::uint64_t* touchedBlocks = nullptr;  // a bit per block that has such a bit
        Clock openedAt = 0;                      // when the page was last open for bulk writing
        std::uint32_t number = 0;
    };

    // Where a slot is, in four bytes.
    using Place = std::uint32_t;
    static constexpr Place nowhere = UINT32_MAX;

    // `source` outlives the pool.
    ComponentPool(std::uint32_t size, std::uint32_t typeIndex, PageSource& source);
    ComponentPool(ComponentPool&&) noexcept = default;
    ComponentPool& operator=(ComponentPool&&) = delete;
    ~ComponentPool() = default;

    // A slot with undefined contents, marked changed at `now`. `near`: a taken slot of this pool
    // that will be close to the new one in world order, or nullptr.
    std::byte* allocate(std::uint32_t owner, const std::byte* near, Clock now) {
        // What is spawned in sequence finds the slot at the cursor free, and near enough.
        if (cursor_ < wordEnd_ && !isTaken(*current_, cursor_) && (!near || isJustBehind(near)))
            [[likely]]
            return take(*current_, cursor_++, owner, now);
        return allocateSlowly(owner, near, now);
    }
    void free(std::byte* slot) noexcept {
        Page& page = pageOf(slot);
        const std::uint32_t index = indexIn(page, slot);
        page.taken[index / 64] &= ~(std::uint64_t{1} << (index % 64));
        --live_;
    }
    // Frees every slot and forgets every place; the pages stay.
    void clear() noexcept;

    // ---- where the components of entities are, for those that can be reached by handle: see ComponentStore
    // Lets setPlace work for an entity index.
    void makePlace(std::uint32_t owner) {
        if (owner / chunkPlaces < places_.size() && places_[owner / chunkPlaces]) [[likely]]
            return;
        makePlaces(owner);
    }
    // REQUIRES: makePlace was called for it.
    void setPlace(std::uint32_t owner, const std::byte* slot) noexcept {
        const Page& page = pageOf(slot);
        places_[owner / chunkPlaces][owner % chunkPlaces] =
            page.number << pageShift_ | indexIn(page, slot);
    }
    void clearPlace(std::uint32_t owner) noexcept {
        if (owner / chunkPlaces < places_.size() && places_[owner / chunkPlaces]) [[likely]]
            places_[owner / chunkPlaces][owner % chunkPlaces] = nowhere;
    }
    // Nowhere: it cannot be reached, or there is none.
    Place findPlace(std::uint32_t owner) const noexcept {
        const std::size_t chunk = owner / chunkPlaces;
        if (chunk >= places_.size() || !places_[chunk]) return nowhere;
        return places_[chunk][owner % chunkPlaces];
    }
    // REQUIRES: the place is somewhere.
    std::byte* at(Place place) const noexcept {
        return pages_[place >> pageShift_]->data +
               std::size_t{place & ((Place{1} << pageShift_) - 1)} * size_;
    }
    // The same, marked as changed.
    std::byte* open(Place place, Clock now) const noexcept {
        Page& page = *pages_[place >> pageShift_];
        const Place index = place & ((Place{1} << pageShift_) - 1);
        std::byte* slot = page.data + std::size_t{index} * size_;
        markChanged(page, index, now);
        return slot;
    }
    std::size_t countPlaces() const noexcept;

    Page& pageOf(const std::byte* slot) const noexcept {
        return *reinterpret_cast<Page*>(reinterpret_cast<std::uintptr_t>(slot) &
                                        ~(std::uintptr_t{pageBytes_} - 1));
    }
    std::uint32_t indexIn(const Page& page, const std::byte* slot) const noexcept {
        // Division by the size, as a multiplication: exact, as offsets stay far below 2^32.
        return static_cast<std::uint32_t>(
            (static_cast<std::uint64_t>(slot - page.data) * reciprocal_) >> reciprocalBits);
    }
    std::uint32_t ownerOf(const std::byte* slot) const noexcept {
        const Page& page = pageOf(slot);
        return page.owners[indexIn(page, slot)];
    }
    bool isTaken(const std::byte* slot) const noexcept {
        const Page& page = pageOf(slot);
        return isTaken(page, indexIn(page, slot));
    }
    void markChanged(const std::byte* slot, Clock now) noexcept {
        Page& page = pageOf(slot);
        markChanged(page, indexIn(page, slot), now);
    }
    static void markChanged(Page& page, std::uint32_t index, Clock now) noexcept {
        const std::uint32_t block = index / blockSlots;
        page.touched[block] |= 1U << (index % blockSlots);
        page.touchedBlocks[block / 64] |= std::uint64_t{1} << (block % 64);
        page.blockChangedAt[block] = now;
    }
    // Forgets which slots were marked, but not when.
    void clearTouched(Page& page) const noexcept;
    std::uint32_t blocksPerPage() const noexcept {
        return (slotsPerPage_ + blockSlots - 1) / blockSlots;
    }
    // When the slot may last have been written.
    Clock changedAt(const std::byte* slot) const noexcept {
        const Page& page = pageOf(slot);
        const Clock block = page.blockChangedAt[indexIn(page, slot) / blockSlots];
        return block > page.openedAt ? block : page.openedAt;
    }

    std::uint32_t size() const noexcept { return size_; }
    std::uint32_t slotsPerPage() const noexcept { return slotsPerPage_; }
    std::size_t live() const noexcept { return live_; }
    std::size_t capacity() const noexcept { return pages_.size() * slotsPerPage_; }
    std::size_t bytes() const noexcept { return pages_.size() * pageBytes_; }
    std::size_t pageBytes() const noexcept { return pageBytes_; }
    const std::vector<Page*>& pages() const noexcept { return pages_; }

private:
    static constexpr std::uint32_t none = UINT32_MAX;
    static constexpr int reciprocalBits = 40;
    static constexpr std::uint32_t wordSlots = 64;
    static constexpr std::uint32_t chunkPlaces = 1024;

    static bool isTaken(const Page& page, std::uint32_t slot) noexcept {
        return (page.taken[slot / 64] >> (slot % 64) & 1) != 0;
    }
    std::byte* take(Page& page, std::uint32_t slot, std::uint32_t owner, Clock now) noexcept {
        page.taken[slot / 64] |= std::uint64_t{1} << (slot % 64);
        page.owners[slot] = owner;
        markChanged(page, slot, now);
        ++live_;
        return page.data + std::size_t{slot} * size_;
    }
    bool isJustBehind(const std::byte* near) const noexcept {
        const std::byte* next = current_->data + std::size_t{cursor_} * size_;
        return near < next && next - near <= 64 * std::ptrdiff_t{size_};
    }
    std::byte* allocateSlowly(std::uint32_t owner, const std::byte* near, Clock now);
    std::uint64_t freeInWord(const Page& page, std::uint32_t word) const noexcept;
    std::uint32_t nearestFree(const Page& page, std::uint32_t slot) const noexcept;
    void startSweep() noexcept;
    void chooseWord();
    Page* mapPage();
    void makePlaces(std::uint32_t owner);

    std::uint32_t size_;
    std::uint64_t reciprocal_;
    std::uint32_t colour_;  // shifts slot 0, so that the pools' pages do not alias in the caches
    std::uint32_t pageBytes_;
    std::uint32_t slotsPerPage_ = 0;
    std::uint32_t wordsPerPage_ = 0;
    std::uint32_t pageShift_ = 0;  // of a Place: the page's number is above, the slot's below
    std::size_t live_ = 0;
    PageSource* source_;
    std::vector<Page*> pages_;
    // By entity index, in chunks: those in which no entity has the component take no memory.
    std::vector<std::unique_ptr<Place[]>> places_;
    Page* current_ = nullptr;
    std::uint32_t cursor_ = 0;   // the next slot of the current page to be handed out, if free
    std::uint32_t wordEnd_ = 0;  // where it stops
    // Words are counted through all pages.
    std::uint32_t opened_ = 0;     // those beyond were never used
    std::uint32_t sweep_ = 0;      // those before were gone through in this sweep
    std::uint32_t sweptFree_ = 0;  // it goes through those with so many free slots
};

}  // namespace revenant
