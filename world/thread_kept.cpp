#include "world/thread_kept.hpp"

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

namespace revenant::detail {

unsigned long makeThreadSlot(void (*destroy)(void*)) {
    const DWORD slot = FlsAlloc(destroy);
    if (slot == FLS_OUT_OF_INDEXES) throw std::bad_alloc();
    return slot;
}

void* getThreadSlot(unsigned long slot) noexcept {
    return FlsGetValue(slot);
}

bool setThreadSlot(unsigned long slot, void* kept) noexcept {
    return FlsSetValue(slot, kept) != 0;
}

}  // namespace revenant::detail
#endif
