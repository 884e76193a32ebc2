// The memory of the process, as Linux counts it. Sanitizers keep freed memory, and other
// allocators have other habits: REVENANT_COUNTS_MEMORY says whether the figures mean anything.
#pragma once

#include <cstddef>
#include <fstream>
#include <string>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define REVENANT_COUNTS_MEMORY 1
#include <malloc.h>

namespace revenant {

inline std::size_t statusBytes(const std::string& name) {
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(name)) return std::stoul(line.substr(name.size() + 1)) * 1024;
    return 0;
}

inline std::size_t residentBytes() {
    return statusBytes("VmRSS");
}

// How much the process has grown at most since this was made.
class MemoryPeak {
public:
    MemoryPeak() {
        malloc_trim(0);
        std::ofstream("/proc/self/clear_refs") << "5";
        before_ = residentBytes();
    }
    // Not where the system does not let a process begin to count anew.
    bool isCounted() const { return statusBytes("VmHWM") < before_ + (std::size_t{1} << 20); }
    std::size_t bytes() const {
        const std::size_t peak = statusBytes("VmHWM");
        return peak > before_ ? peak - before_ : 0;
    }

private:
    std::size_t before_ = 0;
};

}  // namespace revenant
#endif
