// Runs the benchmarks and prints the table. All flags of Google Benchmark work, such as
// --benchmark_filter=churn; three repetitions unless given, in each of three rounds: on a shared
// machine a disturbance of one round is often gone in the next, a minute later.
// --series=FILE writes the best of each benchmark, in nanoseconds per item.
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/report.hpp"

int main(int argc, char** argv) {
    std::vector<char*> arguments(argv, argv + argc);
    std::string series;
    std::erase_if(arguments, [&](const char* argument) {
        constexpr std::string_view flag = "--series=";
        const std::string_view text = argument;
        if (text.starts_with(flag)) series = text.substr(flag.size());
        return text.starts_with(flag);
    });
    std::string repetitions = "--benchmark_repetitions=3";
    std::string shortRuns = "--benchmark_min_time=0.1";
    arguments.insert(arguments.begin() + 1, {repetitions.data(), shortRuns.data()});
    auto count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 1;
    bench::TableReporter reporter;
    for (int round = 0; round < 3; ++round) benchmark::RunSpecifiedBenchmarks(&reporter);
    std::cout << reporter.table();
    if (!series.empty()) {
        std::ofstream out(series);
        for (const auto& [name, nanoseconds] : reporter.nanoseconds())
            out << name << ',' << nanoseconds << '\n';
    }
    return reporter.hasFailed() ? 1 : 0;
}
