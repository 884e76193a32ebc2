#include "tests/world/allocation_counter.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> allocations{0};
std::atomic<std::size_t> bytesInUse{0};

std::atomic<bool> armed{false};
std::atomic<std::size_t> left{0};  // until one fails; 0: it has
std::atomic<std::size_t> failures{0};
std::atomic<std::size_t> limit{0};  // of bytes, once memory is full
bool staysFull = false;
bool failsElsewhere = false;
thread_local bool isHere = false;

[[maybe_unused]] bool isRefused(std::size_t size) noexcept {
    if (!armed || isHere == failsElsewhere) return false;
    if (left > 0) {
        if (--left > 0) return false;
        limit = bytesInUse.load();
        ++failures;
        return true;
    }
    if (!staysFull || bytesInUse + size <= limit) return false;
    ++failures;
    return true;
}

}  // namespace

namespace revenant {

std::size_t allocationsSoFar() noexcept {
    return allocations;
}

std::size_t bytesInUseNow() noexcept {
    return bytesInUse.load();
}

FailingMemory::FailingMemory(std::size_t n, How how, Where where) noexcept {
    left = n;
    failures = 0;
    staysFull = how == How::Full;
    failsElsewhere = where == Where::Elsewhere;
    isHere = true;
    armed = true;
}

FailingMemory::~FailingMemory() {
    armed = false;
    isHere = false;
}

bool FailingMemory::hasFailed() const noexcept {
    return failures > 0;
}

}  // namespace revenant

#if REVENANT_COUNTS_ALLOCATIONS

namespace {

// An alignment of 0 is malloc's own.
#ifdef _WIN32

// What lies before aligned memory, as Windows' own functions do not tell its size.
struct Head {
    void* whole;
    std::size_t size;
};

void* take(std::size_t size, std::size_t alignment) noexcept {
    if (alignment == 0) return std::malloc(size == 0 ? 1 : size);
    void* whole = std::malloc(size + alignment + sizeof(Head));
    if (!whole) return nullptr;
    const auto first = reinterpret_cast<std::uintptr_t>(whole) + sizeof(Head);
    const auto memory = (first + alignment - 1) / alignment * alignment;
    reinterpret_cast<Head*>(memory)[-1] = {whole, size};
    return reinterpret_cast<void*>(memory);
}

std::size_t sizeOf(void* memory, std::size_t alignment) noexcept {
    if (!memory) return 0;
    return alignment == 0 ? _msize(memory) : static_cast<Head*>(memory)[-1].size;
}

void give(void* memory, std::size_t alignment) noexcept {
    std::free(memory && alignment != 0 ? static_cast<Head*>(memory)[-1].whole : memory);
}

#else

void* take(std::size_t size, std::size_t alignment) noexcept {
    if (alignment == 0) return std::malloc(size == 0 ? 1 : size);
    return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

std::size_t sizeOf(void* memory, std::size_t /*alignment*/) noexcept {
    return malloc_usable_size(memory);
}

void give(void* memory, std::size_t /*alignment*/) noexcept {
    std::free(memory);
}

#endif

void* takeOrFail(std::size_t size, std::size_t alignment) {
    while (true) {
        ++allocations;
        if (!isRefused(size))
            if (void* memory = take(size, alignment)) {
                bytesInUse += sizeOf(memory, alignment);
                return memory;
            }
        const std::new_handler handler = std::get_new_handler();
        if (!handler) throw std::bad_alloc();
        handler();
    }
}

void giveBack(void* memory, std::size_t alignment) noexcept {
    bytesInUse -= sizeOf(memory, alignment);
    give(memory, alignment);
}

}  // namespace

// The forms for arrays, and those that do not throw, call these.

void* operator new(std::size_t size) {
    return takeOrFail(size, 0);
}

void* operator new(std::size_t size, std::align_val_t alignment) {
    return takeOrFail(size, static_cast<std::size_t>(alignment));
}

void operator delete(void* memory) noexcept {
    giveBack(memory, 0);
}

void operator delete(void* memory, std::size_t) noexcept {
    giveBack(memory, 0);
}

void operator delete(void* memory, std::align_val_t alignment) noexcept {
    giveBack(memory, static_cast<std::size_t>(alignment));
}

void operator delete(void* memory, std::size_t, std::align_val_t alignment) noexcept {
    giveBack(memory, static_cast<std::size_t>(alignment));
}

#endif
