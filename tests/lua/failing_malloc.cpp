// A malloc that fails on request, to be preloaded: memory/runs_out.lua uses it. LuaJIT takes its own
// memory from the system directly, so what fails is what the module asks for.
#include <malloc.h>
#include <atomic>
#include <cerrno>
#include <cstddef>

// The names are those of the C library.
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming)
extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

namespace {

std::atomic<long> left{0};  // until one fails
std::atomic<long> row{0};   // how many fail then, one after the other
std::atomic<long> failures{0};
std::atomic<long> freed{0};  // bytes, since the first failure
thread_local bool isArmed = false;

bool fails(std::size_t size) {
    if (!isArmed) return false;
    if (left > 0 && --left > 0) return false;
    if (row < 0) {  // full: there is what was given back
        const auto bytes = static_cast<long>(size);
        if (freed >= bytes) {
            freed -= bytes;
            return false;
        }
        ++failures;
        errno = ENOMEM;
        return true;
    }
    if (row <= 0) return false;
    --row;
    ++failures;
    errno = ENOMEM;
    return true;
}

}  // namespace

// Makes the n-th allocation of this thread fail, from 1, and those after it, `inRow` in all; -1: all for which not enough
// memory was freed before.
void failingMallocArm(long n, long inRow) {
    freed = 0;
    left = n;
    row = inRow;
    failures = 0;
    isArmed = true;
}

// Returns how many have failed.
long failingMallocDisarm() {
    isArmed = false;
    return failures;
}

void* malloc(std::size_t size) {
    return fails(size) ? nullptr : __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
    return fails(count * size) ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
    return fails(size) ? nullptr : __libc_realloc(memory, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
    return fails(size) ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
    return fails(size) ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
    if (fails(size)) return ENOMEM;
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}
void free(void* memory) {
    if (memory && isArmed && left <= 0) freed += static_cast<long>(malloc_usable_size(memory));
    __libc_free(memory);
}
}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
