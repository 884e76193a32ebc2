// The table that the benchmark program prints: each figure beside its baseline in the same run.
#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

namespace bench {

// One line of the table. The figure is the time per item of benchmark `ours`; where there is a
// `baseline`, its time per item in the same run stands beside it.
struct Row {
    std::string what;
    std::string ours;
    std::string baseline;       // empty: none
    double maxRatio = 0;        // > 0: the mark is this ratio to the baseline
    double maxNanoseconds = 0;  // > 0: the mark is this time, at the reference machine's speed
    std::string unit = "ns";    // another one: `ours` is a counter, and the mark is not stretched
};

// Adds a line; called by static initialisers beside the benchmarks.
bool addRow(Row row);

// Registers a benchmark under `name`; returns true so that static initialisers can call it.
template <class Function>
bool add(const std::string& name, Function function) {
    benchmark::RegisterBenchmark(name.c_str(), function)->UseManualTime();
    return true;
}

// Collects the best repetition of each benchmark, and its counters by their own names.
class TableReporter final : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(const Context& context) override;
    void ReportRuns(const std::vector<Run>& runs) override;

    std::string table() const;
    // Of the best repetition, per item, by name.
    const std::map<std::string, double>& nanoseconds() const noexcept { return nanoseconds_; }
    bool hasFailed() const noexcept { return failed_; }

private:
    std::map<std::string, double> nanoseconds_;
    std::string machine_;
    bool failed_ = false;
};

}  // namespace bench
