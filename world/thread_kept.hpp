// threadKept<T>(): the T that this thread keeps for itself, made when first asked for and destroyed when the thread ends.
//
// In place of a thread_local variable with a destructor: mingw frees a thread's variables before it runs their destructors, so
// that a thread which ends would run into freed memory. Each T is kept once: make a type of your own for it.
#pragma once

#ifdef _WIN32
#include <memory>
#include <new>
#endif

namespace revenant {

#ifdef _WIN32

namespace detail {
// A slot in which each thread keeps a pointer, given to `destroy` when the thread ends.
unsigned long makeThreadSlot(void (*destroy)(void*));
void* getThreadSlot(unsigned long slot) noexcept;
bool setThreadSlot(unsigned long slot, void* kept) noexcept;
}  // namespace detail

// Throws std::bad_alloc.
template <class T>
T& threadKept() {
    static const unsigned long slot =
        detail::makeThreadSlot([](void* kept) { delete static_cast<T*>(kept); });
    if (auto* kept = static_cast<T*>(detail::getThreadSlot(slot))) return *kept;
    auto made = std::make_unique<T>();
    if (!detail::setThreadSlot(slot, made.get())) throw std::bad_alloc();
    return *made.release();
}

#else

template <class T>
T& threadKept() {
    static thread_local T kept;
    return kept;
}

#endif

}  // namespace revenant
