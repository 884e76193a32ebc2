#include "bench/report.hpp"

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <thread>

namespace bench {

namespace {

// What the limit loop takes at 10 000 entities on the machine the marks were set on. Marks in
// nanoseconds are stretched by how much longer it takes here, now.
constexpr double referenceLimitNanoseconds = 0.16;
constexpr const char* limitName = "limit/iterate/10000";

std::vector<Row>& rows() {
    static std::vector<Row> all;
    return all;
}

std::string processor() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "unknown processor";
}

std::string number(double value) {
    std::ostringstream out;
    out << std::fixed << std::setprecision(value < 10 ? 2 : 0) << value;
    return out.str();
}

}  // namespace

bool addRow(Row row) {
    rows().push_back(std::move(row));
    return true;
}

bool TableReporter::ReportContext(const Context& context) {
    std::ostringstream out;
    out << processor() << ", " << std::thread::hardware_concurrency() << " cores at "
        << number(context.cpu_info.cycles_per_second / 1e9) << " GHz";
#if defined(__clang__)
    out << ", clang " << __clang_major__;
#elif defined(__GNUC__)
    out << ", g++ " << __GNUC__;
#endif
    machine_ = std::move(out).str();
    return true;
}

void TableReporter::ReportRuns(const std::vector<Run>& runs) {
    for (const Run& run : runs) {
        if (run.error_occurred) {
            std::cerr << run.benchmark_name() << ": " << run.error_message << '\n';
            failed_ = true;
            continue;
        }
        if (run.run_type == Run::RT_Aggregate) continue;
        for (const auto& [counter, value] : run.counters)
            if (counter != "items_per_second") nanoseconds_[counter] = value;
        const auto rate = run.counters.find("items_per_second");
        if (rate == run.counters.end()) continue;
        const std::string name = run.run_name.function_name;
        const double perItem = 1e9 / rate->second;
        auto [known, isNew] = nanoseconds_.emplace(name, perItem);
        known->second = std::min(known->second, perItem);
        if (run.repetition_index == 0) std::cerr << "measured " << name << '\n';
    }
}

std::string TableReporter::table() const {
    std::ostringstream out;
    auto find = [&](const std::string& name) {
        auto found = nanoseconds_.find(name);
        return found == nanoseconds_.end() ? 0.0 : found->second;
    };
    const double limit = find(limitName);
    const double stretch = limit > 0 ? std::max(1.0, limit / referenceLimitNanoseconds) : 1.0;
    out << "# Figures\n\nMachine: " << machine_ << ". Times per item, best of all rounds.\n";
    if (limit > 0)
        out << "The limit loop took " << number(limit) << " ns per entity at 10 000 (reference "
            << number(referenceLimitNanoseconds) << "): marks in nanoseconds are stretched by "
            << number(stretch) << ".\n";
    out << "\n| work | ours | baseline | ratio | mark | met |\n|---|---:|---:|---:|---:|---|\n";
    for (const Row& row : rows()) {
        const double ours = find(row.ours);
        const double baseline = row.baseline.empty() ? 0 : find(row.baseline);
        if (ours == 0) continue;
        const double ratio = baseline > 0 ? ours / baseline : 0;
        const bool isTime = row.unit == "ns";
        out << "| " << row.what << " | " << number(ours) << ' ' << row.unit << " | "
            << (baseline > 0 ? number(baseline) + " ns" : "") << " | "
            << (ratio > 0 ? number(ratio) : "") << " | ";
        if (row.maxRatio > 0 && ratio > 0)
            out << "≤ " << number(row.maxRatio) << " × | "
                << (ratio <= row.maxRatio ? "yes" : "no");
        else if (row.maxNanoseconds > 0 && !isTime)
            out << "≤ " << number(row.maxNanoseconds) << ' ' << row.unit << " | "
                << (ours <= row.maxNanoseconds ? "yes" : "no");
        else if (row.maxNanoseconds > 0)
            out << "≤ " << number(row.maxNanoseconds) << " ns → "
                << number(row.maxNanoseconds * stretch) << " | "
                << (ours <= row.maxNanoseconds * stretch ? "yes" : "no");
        else
            out << " | ";
        out << " |\n";
    }
    return std::move(out).str();
}

}  // namespace bench
