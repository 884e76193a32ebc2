#include "tests/world/allocation_counter.hpp"

#include <malloc.h>

#include <atomic>
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

template <class Take>
void* takeOrFail(std::size_t size, Take take) {
    while (true) {
        ++allocations;
        if (!isRefused(size))
            if (void* memory = take()) {
                bytesInUse += malloc_usable_size(memory);
                return memory;
            }
        const std::new_handler handler = std::get_new_handler();
        if (!handler) throw std::bad_alloc();
        handler();
    }
}

void giveBack(void* memory) noexcept {
    bytesInUse -= malloc_usable_size(memory);
    std::free(memory);
}

}  // namespace

// The forms for arrays, and those that do not throw, call these.

void* operator new(std::size_t size) {
    return takeOrFail(size, [=] { return std::malloc(size == 0 ? 1 : size); });
}

void* operator new(std::size_t size, std::align_val_t alignment) {
    const auto bytes = static_cast<std::size_t>(alignment);
    return takeOrFail(
        size, [=] { return std::aligned_alloc(bytes, (size + bytes - 1) / bytes * bytes); });
}

void operator delete(void* memory) noexcept {
    giveBack(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
    giveBack(memory);
}

void operator delete(void* memory, std::align_val_t) noexcept {
    giveBack(memory);
}

void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    giveBack(memory);
}

#endif
