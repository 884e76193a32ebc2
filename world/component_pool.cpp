#include "world/component_pool.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace revenant {

namespace {

constexpr std::size_t lineBytes = 64;
constexpr std::size_t fewestSlots = 32;
// How far behind its parent a child's slot may lie to count as near.
constexpr std::uint32_t nearSlots = 512;

std::size_t lines(std::size_t bytes) noexcept {
    return (bytes + lineBytes - 1) / lineBytes * lineBytes;
}

// Where the parts of a page of n slots begin; `end` is its size.
struct Layout {
    std::size_t taken, marks, owners, data, end;

    Layout(std::size_t n, std::size_t size, std::size_t colour) noexcept
        : taken(lines(sizeof(ComponentPool::Page))),
          marks(taken + lines((n + 63) / 64 * 8)),
          owners(marks + lines((n + blockSlots - 1) / blockSlots * 4)),
          data(owners + lines(n * 4) + colour),
          end(data + n * size) {}
};

}  // namespace

ComponentPool::ComponentPool(std::uint32_t size, std::uint32_t typeIndex)
    : size_(size),
      reciprocal_(((std::uint64_t{1} << reciprocalBits) + size - 1) / size),
      colour_(typeIndex % 8 * 5 * lineBytes) {
    while (Layout(fewestSlots, size_, colour_).end > pageBytes_) pageBytes_ *= 2;
    auto slots = static_cast<std::uint32_t>(pageBytes_ / size_);
    while (Layout(slots, size_, colour_).end > pageBytes_) --slots;
    slotsPerPage_ = slots;
}

ComponentPool::~ComponentPool() {
    for (Page* page : pages_) ::operator delete (page, std::align_val_t{pageBytes_});
}

ComponentPool::Page* ComponentPool::mapPage() {
    const Layout layout(slotsPerPage_, size_, colour_);
    auto* memory =
        static_cast<std::byte*>(::operator new (pageBytes_, std::align_val_t{pageBytes_}));
    std::memset(memory, 0, layout.owners);  // the rest is defined when a slot is taken
    Page* page = new (memory) Page;
    page->data = memory + layout.data;
    page->taken = reinterpret_cast<std::uint64_t*>(memory + layout.taken);
    page->owners = reinterpret_cast<std::uint32_t*>(memory + layout.owners);
    page->blockChangedAt = reinterpret_cast<Tick*>(memory + layout.marks);
    page->number = static_cast<std::uint32_t>(pages_.size());
    pages_.push_back(page);
    return page;
}

std::uint32_t ComponentPool::firstFree(const Page& page, std::uint32_t from,
                                       std::uint32_t to) const noexcept {
    to = std::min(to, slotsPerPage_);
    for (std::uint32_t slot = from; slot < to; slot = (slot | 63) + 1) {
        const std::uint64_t free = ~page.taken[slot / 64] >> (slot % 64);
        if (free == 0) continue;
        const std::uint32_t found = slot + static_cast<std::uint32_t>(std::countr_zero(free));
        return found < to ? found : none;
    }
    return none;
}

void ComponentPool::chooseCurrentPage() {
    cursor_ = 0;
    if (live_ * 4 < capacity() * 3)
        current_ =
            *std::ranges::min_element(pages_, {}, [](const Page* page) { return page->live; });
    else
        current_ = mapPage();
}

std::byte* ComponentPool::allocateSlowly(std::uint32_t owner, const std::byte* near, Tick tick) {
    if (near) {
        Page& page = pageOf(near);
        // The slots that the cursor has yet to reach stay for those who arrive in order.
        const std::uint32_t from = indexIn(page, near) + 1;
        const std::uint32_t limit = &page == current_ ? cursor_ : slotsPerPage_;
        if (const auto slot = firstFree(page, from, std::min(from + nearSlots, limit));
            slot != none)
            return take(page, slot, owner, tick);
    }
    std::uint32_t slot = current_ ? firstFree(*current_, cursor_, slotsPerPage_) : none;
    while (slot == none) {
        chooseCurrentPage();
        slot = firstFree(*current_, 0, slotsPerPage_);
    }
    cursor_ = slot + 1;
    return take(*current_, slot, owner, tick);
}

void ComponentPool::clear() noexcept {
    for (Page* page : pages_) {
        std::fill_n(page->taken, (slotsPerPage_ + 63) / 64, 0);
        page->live = 0;
    }
    live_ = 0;
    current_ = nullptr;
}

}  // namespace revenant
