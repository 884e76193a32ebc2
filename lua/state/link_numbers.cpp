#include "lua/state/link_numbers.hpp"

#include <mutex>

#include "world/error.hpp"

namespace revenant {

std::atomic<LinkNumbers::Page*> LinkNumbers::pages_[mostPages];

std::uint32_t LinkNumbers::add(WorldLink& link) {
    static std::mutex mutex;
    static std::uint32_t last = 0;
    const std::lock_guard lock(mutex);
    if (last + 1 >= mostPages * pageLinks)
        fail(ErrorCode::LimitReached, "this process has had too many worlds");
    auto& page = pages_[(last + 1) / pageLinks];
    if (!page.load(std::memory_order_relaxed)) page.store(new Page, std::memory_order_release);
    page.load(std::memory_order_relaxed)->links[++last % pageLinks].store(&link);
    return last;
}

void LinkNumbers::remove(std::uint32_t number) noexcept {
    if (Page* page = pages_[number / pageLinks].load(std::memory_order_acquire))
        page->links[number % pageLinks].store(nullptr);
}

}  // namespace revenant
