#include "world/storage/memory_reserve.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace revenant {

namespace {

thread_local MemoryReserve* inUse = nullptr;
std::new_handler previousHandler = nullptr;

// Called by `new` when there is no memory; it tries again when this returns.
void onFailure() {
    if (inUse && inUse->release()) return;
    if (!previousHandler) throw std::bad_alloc();
    previousHandler();
}

// In force while the library is loaded.
struct Handler {
    Handler() noexcept : before(std::set_new_handler(&onFailure)) { previousHandler = before; }
    Handler(const Handler&) = delete;
    Handler& operator=(const Handler&) = delete;
    ~Handler() {
        if (std::get_new_handler() == &onFailure) std::set_new_handler(previousHandler);
    }
    std::new_handler before;
};

void installHandler() noexcept {
    static const Handler handler;
}

}  // namespace

MemoryReserve::~MemoryReserve() {
    while (release()) continue;
}

bool MemoryReserve::release() noexcept {
    isWhole_ = false;
    auto found = std::ranges::find_if(parts_, [](const void* part) { return part != nullptr; });
    if (found == parts_.end()) return false;
    ::operator delete(std::exchange(*found, nullptr));
    return true;
}

void MemoryReserve::fill(std::size_t bytes) {
    installHandler();
    const Pause pause;
    if (bytes > bytes_) {
        while (release()) continue;
        bytes_ = std::bit_ceil(bytes);
    }
    for (void*& part : parts_)
        if (!part) part = ::operator new(bytes_ / parts);
    isWhole_ = true;
}

MemoryReserve::Scope::Scope(MemoryReserve& reserve, std::size_t bytes) : before_(inUse) {
    if (inUse != &reserve) reserve.ensure(bytes);
    inUse = &reserve;
}

MemoryReserve::Scope::Scope(MemoryReserve& reserve) noexcept : before_(inUse) {
    inUse = &reserve;
}

MemoryReserve::Scope::~Scope() {
    inUse = before_;
}

MemoryReserve::Pause::Pause() noexcept : before_(std::exchange(inUse, nullptr)) {}

MemoryReserve::Pause::~Pause() {
    inUse = before_;
}

}  // namespace revenant
