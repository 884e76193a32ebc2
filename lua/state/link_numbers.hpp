// LinkNumbers: all links of the process to worlds, by number. A number is never used again, so that a Lua object of a
// world that has ended finds nothing.
//
// Lua states on different threads share it: numbers are given out under a lock, and looked up without one. Which thread
// may use a link is up to its Lua state.
#pragma once

#include <atomic>
#include <cstdint>

namespace revenant {

class WorldLink;

class LinkNumbers {
public:
    static std::uint32_t add(WorldLink& link);
    static void remove(std::uint32_t number) noexcept;
    // Null for a number that was never given out, or whose link has ended.
    static WorldLink* find(std::uint32_t number) noexcept {
        const Page* page = number < mostPages * pageLinks
                               ? pages_[number / pageLinks].load(std::memory_order_acquire)
                               : nullptr;
        return page ? page->links[number % pageLinks].load(std::memory_order_relaxed) : nullptr;
    }

private:
    static constexpr std::uint32_t pageLinks = 4096;
    static constexpr std::uint32_t mostPages = 1 << 14;
    struct Page {
        std::atomic<WorldLink*> links[pageLinks] = {};
    };
    static std::atomic<Page*>
        pages_[mostPages];  // pages are never freed: worlds may end after everything else
};

}  // namespace revenant
