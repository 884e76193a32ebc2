// Runs the benchmarks and prints the table. All flags of Google Benchmark work, such as
// --benchmark_filter=churn; five repetitions unless told otherwise.
#include <string>
#include <vector>

#include "bench/report.hpp"

int main(int argc, char** argv) {
    std::vector<char*> arguments(argv, argv + argc);
    std::string repetitions = "--benchmark_repetitions=5";
    std::string shortRuns = "--benchmark_min_time=0.1";
    arguments.insert(arguments.begin() + 1, {repetitions.data(), shortRuns.data()});
    auto count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 1;
    bench::TableReporter reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
    return reporter.hasFailed() ? 1 : 0;
}
