// How the system schedules the calling thread: the only code of rewind/ that differs by platform.
// A class that the system refuses changes nothing; the next best is used.
#pragma once

#include <cstdint>

namespace revenant {

enum class ThreadClass : std::uint8_t {
    Idle,  // only on time that nothing else wants; on a fully loaded machine it may starve
    Low,   // less often than others, but never starved: for work that is waited for
};

void setThreadClass(ThreadClass threadClass) noexcept;

// Returns free memory to the system, where the allocator is known to keep it.
void trimFreeMemory() noexcept;

}  // namespace revenant
