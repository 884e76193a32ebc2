// The memory of entities: how much the process grows while they are made. Each figure is measured in
// a process of its own, which inherits no free memory from the benchmarks before it.
#include <string>

#include "bench/report.hpp"
#include "bench/scene.hpp"

#if defined(__linux__)

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <vector>

namespace {

using namespace revenant;
using namespace scene;

constexpr int secondOfTicks = 60;

double residentBytes() {
    std::ifstream file("/proc/self/statm");
    double pages = 0;
    double resident = 0;
    file >> pages >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

struct Growth {
    double spawned = 0;  // bytes per entity, right after the reconcile that brought them in
    double settled = 0;  // a second of ticks later
};

Growth grow(std::size_t count) {
    World world;
    defineComponents(world);
    const auto view = world.view<Position, const Velocity>();
    for (int i = 0; i < 100; ++i) world.addEntity(scene::spawn(world));
    world.reconcile();
    malloc_trim(0);
    const double before = residentBytes();
    for (std::size_t i = 0; i < count; ++i) world.addEntity(scene::spawn(world));
    world.reconcile();
    Growth growth;
    growth.spawned = (residentBytes() - before) / static_cast<double>(count);
    for (int i = 0; i < secondOfTicks; ++i) world.update(stepSeconds);
    growth.settled = (residentBytes() - before) / static_cast<double>(count);
    return growth;
}

void measure(benchmark::State& state, std::size_t count) {
    int ends[2];
    if (pipe(ends) != 0) return state.SkipWithError("no pipe");
    for ([[maybe_unused]] auto iteration : state) {
        const pid_t child = fork();
        if (child == 0) {
            const Growth growth = grow(count);
            _exit(write(ends[1], &growth, sizeof(growth)) == sizeof(growth) ? 0 : 1);
        }
        Growth growth;
        if (child < 0 || read(ends[0], &growth, sizeof(growth)) != sizeof(growth))
            state.SkipWithError("the child said nothing");
        waitpid(child, nullptr, 0);
        const std::string suffix = "/" + std::to_string(count);
        state.counters["bytes/spawned" + suffix] = growth.spawned;
        state.counters["bytes/settled" + suffix] = growth.settled;
        state.SetIterationTime(1);
    }
    close(ends[0]);
    close(ends[1]);
}

const bool registered = [] {
    for (const std::size_t count : {1000UL, 10000UL, 100000UL, 1000000UL}) {
        const std::string number = std::to_string(count);
        benchmark::RegisterBenchmark(("memory/" + number).c_str(),
                                     [=](auto& state) { measure(state, count); })
            ->UseManualTime()
            ->Iterations(1);
        bench::addRow(
            {"memory per entity with 2 components of 8 bytes, no history, right after the "
             "spawn, " +
                 number,
             "bytes/spawned/" + number, "", 0, 0, "bytes"});
        bench::addRow({"the same a second later, " + number, "bytes/settled/" + number, "", 0,
                       count == 100000 ? 130.0 : 0.0, "bytes"});
    }
    return true;
}();

}  // namespace

#endif
