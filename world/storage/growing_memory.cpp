#include "world/storage/growing_memory.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#elif defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#endif

namespace revenant {

namespace {

constexpr std::align_val_t alignment{64};
// Below this a copy takes less than a tenth of a millisecond.
constexpr std::size_t leastReserved = std::size_t{512} << 10;
constexpr std::size_t reservedAtOnce = std::size_t{1} << 30;
constexpr std::size_t pageBytes = std::size_t{64} << 10;  // a multiple of every system's

std::byte* reserve([[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__)
    void* memory =
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
#elif defined(_WIN32)
    return static_cast<std::byte*>(VirtualAlloc(nullptr, bytes, MEM_RESERVE, PAGE_NOACCESS));
#else
    return nullptr;
#endif
}

bool tryToCommit([[maybe_unused]] std::byte* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__)
    return mprotect(begin, bytes, PROT_READ | PROT_WRITE) == 0;
#elif defined(_WIN32)
    return VirtualAlloc(begin, bytes, MEM_COMMIT, PAGE_READWRITE) != nullptr;
#else
    return false;
#endif
}

// As operator new does: when memory runs out, the new-handler may free some.
void commit(std::byte* begin, std::size_t bytes) {
    while (!tryToCommit(begin, bytes)) {
        const std::new_handler handler = std::get_new_handler();
        if (!handler) throw std::bad_alloc();
        handler();
    }
}

}  // namespace

GrowingMemory grow(GrowingMemory& memory, std::size_t used, std::size_t bytes) {
    if (bytes <= memory.bytes) return {};
    if (bytes <= memory.reserved) {
        const std::size_t end =
            std::min((bytes + pageBytes - 1) / pageBytes * pageBytes, memory.reserved);
        commit(memory.data + memory.bytes, end - memory.bytes);
        memory.bytes = end;
        return {};
    }
    GrowingMemory larger;
    if (bytes >= leastReserved) {
        larger.reserved =
            std::max(reservedAtOnce, (bytes + pageBytes - 1) / pageBytes * pageBytes * 8);
        larger.data = reserve(larger.reserved);
    }
    if (larger.data) {
        larger.bytes = (bytes + pageBytes - 1) / pageBytes * pageBytes;
        try {
            commit(larger.data, larger.bytes);
        } catch (...) {
            release(larger);
            throw;
        }
    } else {
        larger = {static_cast<std::byte*>(::operator new(bytes, alignment)), bytes, 0};
    }
    if (used > 0) std::memcpy(larger.data, memory.data, used);
    return std::exchange(memory, larger);
}

void release(GrowingMemory& memory) noexcept {
    if (memory.reserved == 0) {
        ::operator delete(memory.data, alignment);
    } else {
#if defined(__linux__)
        munmap(memory.data, memory.reserved);
#elif defined(_WIN32)
        VirtualFree(memory.data, 0, MEM_RELEASE);
#endif
    }
    memory = {};
}

}  // namespace revenant
