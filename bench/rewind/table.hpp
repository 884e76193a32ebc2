// The rows that the benchmarks of the history print.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace bench {

inline bool allMet = true;

inline void row(const std::string& what, const std::string& ours, const std::string& baseline,
                const std::string& ratio, const std::string& mark, bool met) {
    std::printf("| %s | %s | %s | %s | %s | %s |\n", what.c_str(), ours.c_str(), baseline.c_str(),
                ratio.c_str(), mark.c_str(), met ? "yes" : "no");
    std::fflush(stdout);
    allMet = allMet && met;
}

inline std::string text(const char* format, double value) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, format, value);
    return buffer;
}

// The value below which that share of them lies.
inline double at(std::vector<double>& values, double part) {
    std::ranges::sort(values);
    return values.empty()
               ? 0
               : values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

}  // namespace bench
