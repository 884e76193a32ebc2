// MemoryWatch: the memory that the process really uses, and whether it grows. The most that was ever
// in use while it warmed up is the measure for all that follows.
#pragma once

#include <unistd.h>
#include <algorithm>
#include <cstddef>
#include <fstream>

namespace soak {

class MemoryWatch {
public:
    // Looks; returns false where more is in use than ever should be again.
    bool look(bool isWarmingUp) {
        now_ = residentBytes();
        most_ = std::max(most_, now_);
        if (isWarmingUp) warm_ = most_;
        return now_ <= warm_ + warm_ / 4 + slackBytes;
    }
    std::size_t now() const noexcept { return now_; }
    std::size_t most() const noexcept { return most_; }
    std::size_t warm() const noexcept { return warm_; }

private:
    // Of a budget that is being packed, of files that are being read.
    static constexpr std::size_t slackBytes = std::size_t{16} << 20;

    static std::size_t residentBytes() {
        std::ifstream statm("/proc/self/statm");
        std::size_t all = 0;
        std::size_t resident = 0;
        statm >> all >> resident;
        return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    }

    std::size_t now_ = 0;
    std::size_t most_ = 0;
    std::size_t warm_ = 0;
};

}  // namespace soak
