// The rows of rewind at scale that are about single frames, single changes and the slowest ticks.
#include <malloc.h>

#include <unistd.h>
#include <fstream>

#include "bench/rewind/scale.hpp"
#include "bench/rewind/swarm.hpp"
#include "bench/rewind/table.hpp"
#include "bench/scene.hpp"

namespace bench {

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

// ---- a frame as it is recorded

void rawRow() {
    constexpr std::size_t count = 20000;
    const RewindOptions options{.seconds = 1e9, .bytes = 1024 * mebibyte, .pack = false};
    Swarm swarm(count, Motion::Honest, &options);
    for (int i = 0; i < 60; ++i) swarm.tick();
    const std::size_t before = swarm.rewind->getMemory();
    for (int i = 0; i < 60; ++i) swarm.tick();
    const double bytes = static_cast<double>(swarm.rewind->getMemory() - before) / 60 / count;
    row("a frame as recorded, per entity of 16 bytes that all changed", text("%.1f B", bytes),
        "16 B", "", "≤ 24 B", bytes <= 24);
}

// ---- one more entity among a million

double worstSpawn(bool hasHistory) {
    const RewindOptions options{.seconds = 1, .bytes = 1024 * mebibyte};
    Swarm swarm(1000000, Motion::Linear, hasHistory ? &options : nullptr);
    auto tick = [&] {
        swarm.world.reconcile();
        if (swarm.rewind) swarm.rewind->tick(Swarm::stepSeconds);
    };
    for (int i = 0; i < 3; ++i) tick();
    double worst = 0;
    // Beyond the next power of two, so that everything that grows by doubling does so on the way.
    for (int i = 0; i < 60000; ++i) {
        const double before = ThreadUse::now().seconds;
        swarm.world.addEntity(swarm.spawn());
        tick();
        worst = std::max(worst, ThreadUse::now().seconds - before);
    }
    return worst * 1e3;
}

// The better of two runs: where the host of a virtual machine has not given the memory yet, the first touch of a huge page
// takes 5 ms.
void spawnRow() {
    const double off = std::min(worstSpawn(false), worstSpawn(false));
    const double on = std::min(worstSpawn(true), worstSpawn(true));
    row("one spawn among 1M entities, the worst of 60 000, processor time, best of two runs",
        text("%.2f ms", on), text("history off %.2f ms", off), text("%.1f", on / off), "≤ 2 ms",
        on <= 2);
}

// ---- structural changes, history on against off

template <class Work>
double perChange(bool hasHistory, std::size_t changes, Work work) {
    double best = 1e9;
    for (int round = 0; round < 5; ++round) {
        const RewindOptions options{.seconds = 0.5};
        Swarm swarm(10000, Motion::Linear, hasHistory ? &options : nullptr);
        auto tick = [&] {
            swarm.world.reconcile();
            if (swarm.rewind) swarm.rewind->tick(Swarm::stepSeconds);
        };
        tick();
        const double before = ThreadUse::now().seconds;
        work(swarm, tick);
        best = std::min(best, ThreadUse::now().seconds - before);
    }
    return best * 1e9 / static_cast<double>(changes);
}

void changeRows() {
    auto compare = [](const char* what, std::size_t changes, auto work) {
        const double off = perChange(false, changes, work);
        const double on = perChange(true, changes, work);
        row(std::string(what) + ", per change, 10k", text("%.0f ns", on),
            text("history off %.0f ns", off), text("%.1f", on / off), "≤ 2 ×", on <= 2 * off);
    };
    compare("create", 10000, [](Swarm& swarm, auto tick) {
        for (int i = 0; i < 10000; ++i) swarm.world.addEntity(swarm.spawn());
        tick();
    });
    compare("remove", 10000, [](Swarm& swarm, auto tick) {
        for (Entity& entity : swarm.entities) swarm.world.removeEntity(entity);
        tick();
    });
    compare("churn of 1 % + 1 %, in order", 20000, [](Swarm& swarm, auto tick) {
        for (std::size_t frame = 0; frame < 100; ++frame) {
            for (std::size_t i = 0; i < 100; ++i) {
                Entity& entity = swarm.entities[frame * 100 + i];
                swarm.world.removeEntity(entity);
                entity = swarm.spawn();
                swarm.world.addEntity(entity);
            }
            tick();
        }
    });
    compare("add and remove a tag", 20000, [](Swarm& swarm, auto tick) {
        for (Entity& entity : swarm.entities) entity.addComponent<Tag>();
        tick();
        for (Entity& entity : swarm.entities) entity.removeComponent<Tag>();
        tick();
    });
}

// ---- the slowest ticks

std::vector<double> churnTicks(bool hasHistory) {
    const RewindOptions options{};
    Swarm swarm(10000, Motion::Linear, hasHistory ? &options : nullptr);
    std::minstd_rand random(3);
    std::vector<double> ticks;
    for (int i = 0; i < 20000; ++i) {
        const double before = ThreadUse::now().seconds;
        for (int k = 0; k < 100; ++k) {
            Entity& entity = swarm.entities[random() % swarm.entities.size()];
            swarm.world.removeEntity(entity);
            entity = swarm.spawn();
            swarm.world.addEntity(entity);
        }
        swarm.tick();
        ticks.push_back((ThreadUse::now().seconds - before) * 1e3);
    }
    return ticks;
}

void slowRow() {
    std::vector<double> off = churnTicks(false);
    std::vector<double> on = churnTicks(true);
    row("10k, 1 % churn, 20 000 unpaced ticks, p99.9 and max, processor time",
        text("%.2f ms", at(on, 0.999)) + text(" and %.2f ms", at(on, 1)),
        text("history off %.2f ms", at(off, 0.999)) + text(" and %.2f ms", at(off, 1)),
        text("%.1f", at(on, 0.999) / at(off, 0.999)) + text(" and %.1f", at(on, 1) / at(off, 1)),
        "≤ 2 × and ≤ 3 ×", at(on, 0.999) <= 2 * at(off, 0.999) && at(on, 1) <= 3 * at(off, 1));
}

// ---- what the process grows by

std::size_t residentBytes() {
    std::size_t pages = 0;
    std::ifstream in("/proc/self/statm");
    in >> pages >> pages;
    return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void truthRow(double seconds) {
    const RewindOptions options{.seconds = 1e9, .bytes = 256 * mebibyte};
    Swarm swarm(20000, Motion::Honest, nullptr);
    for (int i = 0; i < 10; ++i) swarm.tick();
    malloc_trim(0);
    const std::size_t before = residentBytes();
    swarm.rewind = std::make_shared<TimeRewindSys>(swarm.world, options);
    Pace pace;
    for (int i = 0; i < static_cast<int>(seconds * 60); ++i) pace([&] { swarm.tick(); });
    const auto grown = static_cast<double>(residentBytes() - before);
    const auto told = static_cast<double>(swarm.rewind->getMemory());
    row("getMemory against what the process grew by, 20k honest", text("%.0f MiB", told / mebibyte),
        text("process %.0f MiB", grown / mebibyte), text("%.2f", told / grown), "within 10 %",
        told > 0.9 * grown && told < 1.1 * grown);
}

}  // namespace

void structureRows(const std::string& part, double seconds) {
    if (part == "raw") rawRow();
    if (part == "spawn") spawnRow();
    if (part == "structure") changeRows();
    if (part == "slow") slowRow();
    if (part == "truth") truthRow(seconds);
}

}  // namespace bench
