#include "world/storage/component_pool.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

#include "world/storage/make_room.hpp"

namespace revenant {

namespace {

constexpr std::size_t lineBytes = 64;
constexpr std::size_t fewestSlots = 32;
// Pages of more slots hold whole words of them: pools of one size are then alike.
constexpr std::uint32_t manySlots = 1024;
constexpr std::uint32_t colours = 8;
constexpr std::uint32_t colourBytes = 5 * lineBytes;
constexpr std::uint32_t lastColour = (colours - 1) * colourBytes;
// How many words away from its parent's slot a child's slot still counts as near.
constexpr std::uint32_t nearWords = 8;
// A sweep goes through the emptiest words, one in so many.
constexpr std::uint32_t sweptShare = 4;

std::size_t lines(std::size_t bytes) noexcept {
    return (bytes + lineBytes - 1) / lineBytes * lineBytes;
}

// Where the parts of a page of n slots begin; `end` is its size.
struct Layout {
    std::size_t taken, marks, touched, touchedBlocks, owners, data, end;

    Layout(std::size_t n, std::size_t size, std::size_t colour) noexcept
        : taken(lines(sizeof(ComponentPool::Page))),
          marks(taken + lines((n + 63) / 64 * 8)),
          touched(marks + lines((n + blockSlots - 1) / blockSlots * 4)),
          touchedBlocks(touched + lines((n + blockSlots - 1) / blockSlots * 4)),
          owners(touchedBlocks + lines((n / blockSlots + 64) / 64 * 8)),
          data(owners + lines(n * 4) + colour),
          end(data + n * size) {}
};

// Measured: 64 KiB cost a million rows 25 %.
std::uint32_t pageBytesFor(std::uint32_t size) noexcept {
    std::uint32_t bytes = 256 * 1024;
    while (Layout(fewestSlots, size, lastColour).end > bytes) bytes *= 2;
    return bytes;
}

}  // namespace

ComponentPool::ComponentPool(std::uint32_t size, std::uint32_t typeIndex, PageSource& source)
    : size_(size),
      reciprocal_(((std::uint64_t{1} << reciprocalBits) + size - 1) / size),
      colour_(typeIndex % colours * colourBytes),
      pageBytes_(pageBytesFor(size)),
      source_(&source) {
    auto slots = static_cast<std::uint32_t>(pageBytes_ / size_);
    while (Layout(slots, size_, lastColour).end > pageBytes_) --slots;
    if (slots > manySlots) slots -= slots % wordSlots;
    slotsPerPage_ = slots;
    wordsPerPage_ = (slots + wordSlots - 1) / wordSlots;
    pageShift_ = static_cast<std::uint32_t>(std::bit_width(slots - 1));
}

ComponentPool::Page* ComponentPool::mapPage() {
    const Layout layout(slotsPerPage_, size_, colour_);
    if (pages_.size() >= nowhere >> pageShift_)
        fail(ErrorCode::LimitReached, "too many components of one type: a pool is full");
    makeRoom(pages_);
    std::byte* memory = source_->take(
        pageBytes_, pages_.empty() ? PageSource::Use::Partly : PageSource::Use::Wholly);
    std::memset(memory, 0, layout.owners);  // the rest is defined when a slot is taken
    Page* page = new (memory) Page;
    page->data = memory + layout.data;
    page->taken = reinterpret_cast<std::uint64_t*>(memory + layout.taken);
    page->owners = reinterpret_cast<std::uint32_t*>(memory + layout.owners);
    page->blockChangedAt = reinterpret_cast<Clock*>(memory + layout.marks);
    page->touched = reinterpret_cast<std::uint32_t*>(memory + layout.touched);
    page->touchedBlocks = reinterpret_cast<std::uint64_t*>(memory + layout.touchedBlocks);
    page->number = static_cast<std::uint32_t>(pages_.size());
    pages_.push_back(page);
    return page;
}

std::uint64_t ComponentPool::freeInWord(const Page& page, std::uint32_t word) const noexcept {
    const std::uint32_t slots = slotsPerPage_ - word * wordSlots;
    const std::uint64_t used =
        slots < wordSlots ? (std::uint64_t{1} << slots) - 1 : ~std::uint64_t{0};
    return ~page.taken[word] & used;
}

std::uint32_t ComponentPool::nearestFree(const Page& page, std::uint32_t slot) const noexcept {
    const std::uint32_t home = slot / wordSlots;
    const std::uint64_t free = freeInWord(page, home);
    const int up = std::countr_zero(free >> (slot % wordSlots));  // 64: none
    const int down = std::countl_zero(free << (wordSlots - 1 - slot % wordSlots));
    if (std::min(up, down) < 64)
        return up <= down ? slot + static_cast<std::uint32_t>(up)
                          : slot - static_cast<std::uint32_t>(down);
    const std::uint32_t before = page.number * wordsPerPage_;
    const std::uint32_t end = std::min(wordsPerPage_, opened_ - before);
    for (std::uint32_t away = 1; away <= nearWords; ++away) {
        if (home + away < end)
            if (const std::uint64_t above = freeInWord(page, home + away); above != 0)
                return (home + away) * wordSlots +
                       static_cast<std::uint32_t>(std::countr_zero(above));
        if (home >= away)
            if (const std::uint64_t below = freeInWord(page, home - away); below != 0)
                return (home - away + 1) * wordSlots - 1 -
                       static_cast<std::uint32_t>(std::countl_zero(below));
    }
    return none;
}

// Finds out how many free slots a word must have to be among the emptiest. At least one word has so many: there
// are free slots, and no more than the mean is asked for.
void ComponentPool::startSweep() noexcept {
    std::uint32_t words[wordSlots + 1] = {};  // by their free slots
    std::size_t slots = 0;
    for (std::uint32_t word = 0; word < opened_; ++word) {
        const auto free = static_cast<std::uint32_t>(
            std::popcount(freeInWord(*pages_[word / wordsPerPage_], word % wordsPerPage_)));
        ++words[free];
        slots += free;
    }
    const std::size_t mean = (slots + opened_ - 1) / opened_;
    sweep_ = 0;
    sweptFree_ = wordSlots;
    for (std::uint32_t seen = words[wordSlots];
         sweptFree_ > mean && seen < (opened_ + sweptShare - 1) / sweptShare;)
        seen += words[--sweptFree_];
}

void ComponentPool::chooseWord() {
    while (true) {
        for (; sweep_ < opened_; ++sweep_) {
            Page& page = *pages_[sweep_ / wordsPerPage_];
            const std::uint32_t word = sweep_ % wordsPerPage_;
            if (static_cast<std::uint32_t>(std::popcount(freeInWord(page, word))) < sweptFree_)
                continue;
            current_ = &page;
            cursor_ = word * wordSlots;
            wordEnd_ = std::min(cursor_ + wordSlots, slotsPerPage_);
            ++sweep_;
            return;
        }
        const bool isRoomLeft = opened_ < pages_.size() * wordsPerPage_;
        const bool mayOpen = live_ * 2 >= std::size_t{opened_} * wordSlots;
        const bool mayGrow = live_ * size_ * 2 >= bytes() || live_ * 8 >= capacity() * 7;
        if (isRoomLeft ? mayOpen : mayGrow) {
            if (!isRoomLeft) mapPage();
            sweptFree_ = 1;
            ++opened_;  // the next round finds it
        } else {
            startSweep();
        }
    }
}

std::byte* ComponentPool::allocateSlowly(std::uint32_t owner, const std::byte* near, Clock now) {
    if (near) {
        Page& page = pageOf(near);
        if (const auto slot = nearestFree(page, indexIn(page, near)); slot != none)
            return take(page, slot, owner, now);
    }
    while (true) {
        for (; cursor_ < wordEnd_; ++cursor_)
            if (!isTaken(*current_, cursor_)) return take(*current_, cursor_++, owner, now);
        chooseWord();
    }
}

void ComponentPool::makePlaces(std::uint32_t owner) {
    const std::size_t chunk = owner / chunkPlaces;
    auto places = std::make_unique_for_overwrite<Place[]>(chunkPlaces);
    std::fill_n(places.get(), chunkPlaces, nowhere);
    if (chunk >= places_.size()) places_.resize(chunk + 1);
    places_[chunk] = std::move(places);
}

std::size_t ComponentPool::countPlaces() const noexcept {
    std::size_t count = 0;
    for (const auto& chunk : places_)
        if (chunk)
            count += chunkPlaces - static_cast<std::size_t>(
                                       std::count(chunk.get(), chunk.get() + chunkPlaces, nowhere));
    return count;
}

void ComponentPool::clearTouched(Page& page) const noexcept {
    std::fill_n(page.touched, blocksPerPage(), 0);
    std::fill_n(page.touchedBlocks, (blocksPerPage() + 63) / 64, 0);
}

void ComponentPool::clear() noexcept {
    for (Page* page : pages_) std::fill_n(page->taken, wordsPerPage_, 0);
    for (const auto& chunk : places_)
        if (chunk) std::fill_n(chunk.get(), chunkPlaces, nowhere);
    live_ = 0;
    current_ = nullptr;
    cursor_ = wordEnd_ = opened_ = sweep_ = 0;
}

}  // namespace revenant
