// A malloc that fails when it is told to, to be preloaded: memory_runs_out.lua uses it. LuaJIT takes its own
// memory from the system directly, so what fails is what the module asks for.
#include <atomic>
#include <cerrno>
#include <cstddef>

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

namespace {

std::atomic<long> left{0};  // until one fails
std::atomic<long> row{0};   // how many fail then, one after the other
std::atomic<long> failures{0};
thread_local bool isArmed = false;

bool fails() {
    if (!isArmed) return false;
    if (left > 0 && --left > 0) return false;
    if (row <= 0) return false;
    --row;
    ++failures;
    errno = ENOMEM;
    return true;
}

}  // namespace

// The n-th allocation of this thread fails, from 1, and those behind it, `inRow` in all.
void failingMallocArm(long n, long inRow) {
    left = n;
    row = inRow;
    failures = 0;
    isArmed = true;
}

// Answers how many have failed.
long failingMallocDisarm() {
    isArmed = false;
    return failures;
}

void* malloc(std::size_t size) {
    return fails() ? nullptr : __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
    return fails() ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
    return fails() ? nullptr : __libc_realloc(memory, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
    return fails() ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
    return fails() ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
    if (fails()) return ENOMEM;
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}
}
