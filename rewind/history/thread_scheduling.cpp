#include "rewind/history/thread_scheduling.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#if defined(__linux__)
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#endif

namespace revenant {

#if defined(__linux__)

// SCHED_IDLE rather than a high niceness: the scheduler gives a niceness of 19 a share, and lets it finish
// a slice of some milliseconds before a game that has just woken up; an idle thread is preempted at once.
void setThreadClass(ThreadClass threadClass) noexcept {
    constexpr int lowNiceness = 5;
    constexpr int lastNiceness = 19;
    const sched_param none{};
    const bool isIdle = threadClass == ThreadClass::Idle;
    if (isIdle && sched_setscheduler(0, SCHED_IDLE, &none) == 0) return;  // 0: this thread
    setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)),
                isIdle ? lastNiceness : lowNiceness);
}

#elif defined(_WIN32)

// Background mode lowers the priority for processor, memory and input and output alike.
void setThreadClass(ThreadClass threadClass) noexcept {
    const bool isIdle = threadClass == ThreadClass::Idle;
    if (isIdle && SetThreadPriority(GetCurrentThread(), THREAD_MODE_BACKGROUND_BEGIN) != 0) return;
    SetThreadPriority(GetCurrentThread(),
                      isIdle ? THREAD_PRIORITY_IDLE : THREAD_PRIORITY_BELOW_NORMAL);
}

#else

void setThreadClass(ThreadClass /*threadClass*/) noexcept {}

#endif

void trimFreeMemory() noexcept {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

}  // namespace revenant
