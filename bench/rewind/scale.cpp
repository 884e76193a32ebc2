#include "bench/rewind/scale.hpp"

#include <cstring>

#include "bench/rewind/swarm.hpp"
#include "bench/rewind/table.hpp"
#include "bench/scene.hpp"
#include "rewind/state_hash.hpp"

namespace bench {

namespace {

using scene::Stopwatch;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

std::string thousands(std::size_t count) {
    return std::to_string(count / 1000) + "k";
}

// ---- ticks that lose time to packing

struct Lost {
    int ticks = 0;  // that were over 1 ms longer by the wall than by the processor
    long switches = 0;
    long waits = 0;
    double cpu = 0;  // per tick, ms
    double worst = 0;
};

Lost lostTicks(bool packs, double seconds) {
    const RewindOptions options{.seconds = 1e9, .pack = packs};
    Swarm swarm(20000, Motion::Honest, &options);
    Lost lost;
    Pace pace;
    const int ticks = static_cast<int>(seconds * 60);
    for (int i = 0; i < ticks + 60; ++i)
        pace([&] {
            const ThreadUse before = ThreadUse::now();
            const Stopwatch watch;
            swarm.tick();
            const double wall = watch.seconds();
            const ThreadUse after = ThreadUse::now();
            if (i < 60) return;  // warming up
            const double away = wall - (after.seconds - before.seconds);
            lost.ticks += away > 1e-3 ? 1 : 0;
            lost.switches += after.switches - before.switches;
            lost.waits += after.waits - before.waits;
            lost.cpu += (after.seconds - before.seconds) * 1e3 / ticks;
            lost.worst = std::max(lost.worst, away * 1e3);
        });
    return lost;
}

void schedulingRows(double seconds) {
    const Lost off = lostTicks(false, seconds);
    const Lost on = lostTicks(true, seconds);
    auto told = [](const Lost& lost) {
        return std::to_string(lost.ticks) + " ticks, " + std::to_string(lost.switches) +
               " switches, " + std::to_string(lost.waits) + " waits, " +
               text("%.2f ms cpu", lost.cpu) + text(", worst %.1f ms", lost.worst);
    };
    row("20k honest, 60 Hz, " + std::to_string(static_cast<int>(seconds * 60)) +
            " ticks: those that lose > 1 ms",
        told(on), "packing off: " + told(off), "", "0 more than without",
        on.ticks <= off.ticks && on.waits <= off.waits + 2);
}

// ---- what a budget keeps

// A history as a user would write it by hand: copies of the same bytes in a ring that fills the budget.
double ringSeconds(std::size_t count, std::size_t bytes) {
    const std::size_t frames = bytes / (count * sizeof(Bullet));
    return static_cast<double>(frames) / 60;
}

void keptRow(std::size_t count, Motion motion, std::size_t bytes, double seconds,
             double markSeconds, double markBytes) {
    const RewindOptions options{.seconds = 1e9, .bytes = bytes};
    Swarm swarm(count, motion, &options);
    const int ticks = static_cast<int>(seconds * 60);
    std::size_t most = 0;
    Pace pace;
    for (int i = 0; i < ticks; ++i)
        pace([&] {
            swarm.tick();
            most = std::max(most, swarm.rewind->getMemory());
        });
    const auto oldest = *swarm.rewind->getOldestFrame();
    const double kept = static_cast<double>(*swarm.rewind->getNewestFrame() - oldest + 1) / 60;
    double frames = 0;
    double packed = 0;
    double packedBytes = 0;
    for (const BlockInfo& block : swarm.rewind->getBlocks()) {
        frames += static_cast<double>(block.last - block.first + 1);
        if (!block.isPacked || block.isUnpacked) continue;
        packed += static_cast<double>(block.last - block.first + 1);
        packedBytes += static_cast<double>(block.bytes);
    }
    const double perFrame = packed > 0 ? packedBytes / packed / static_cast<double>(count) : 0;
    bool exact = true;
    for (const double part : {0.0, 0.3, 0.9}) {
        const auto frame = oldest + static_cast<std::int64_t>(part * (frames - 1));
        swarm.rewind->seek(frame);
        exact = exact && stateHash(swarm.world) == swarm.rewind->frameHash(frame);
    }
    const bool isFilled = oldest > 1;
    row(thousands(count) + (motion == Motion::Linear ? " linear, " : " honest, ") +
            std::to_string(bytes / mebibyte) + " MiB: kept after " + text("%.0f s", seconds) +
            (isFilled ? "" : ", not filled yet"),
        text("%.1f s", kept) + text(", %.1f B", perFrame) +
            text(", %.0f %% packed", 100 * packed / frames) +
            text(", %.0f MiB at most", static_cast<double>(most) / mebibyte) +
            (exact ? "" : ", NOT EXACT"),
        text("ring of copies %.1f s", ringSeconds(count, bytes)), "",
        text("≥ %.0f s", markSeconds) + (markBytes > 0 ? text(", ≤ %.0f B", markBytes) : ""),
        exact && most <= bytes && (kept >= markSeconds || !isFilled) &&
            (markBytes <= 0 || perFrame <= markBytes));
}

// ---- whether packing keeps up

// Processor time of so many ticks that also pack, in the same thread, less that of ticks that do not.
double packingSeconds(std::size_t count, Motion motion, int ticks) {
    auto measure = [&](bool packs) {
        const RewindOptions options{
            .seconds = 1e9, .bytes = 1024 * mebibyte, .pack = packs, .packInBackground = false};
        Swarm swarm(count, motion, &options);
        swarm.tick();
        const double before = ThreadUse::now().seconds;
        for (int i = 0; i < ticks; ++i) swarm.tick();
        if (packs) swarm.rewind->finishPacking();
        return ThreadUse::now().seconds - before;
    };
    return measure(true) - measure(false);
}

void packerRow(std::size_t count, Motion motion) {
    constexpr int ticks = 60;
    const double busy = packingSeconds(count, motion, ticks) * 60 / ticks;
    const double words = static_cast<double>(count) * 60 * (motion == Motion::Linear ? 2 : 4);
    row("the packer, " + thousands(count) + (motion == Motion::Linear ? " linear" : " honest") +
            ": processor time per second of play",
        text("%.2f s", busy), text("%.0f ns per word", busy * 1e9 / words), "", "≤ 1 s", busy <= 1);
}

// ---- overload for long

// Virtual play without a pause: frames come faster than they can be packed, and the budget changes every ten seconds. At every
// tick the history is within it, and frames that are kept are exact.
void overloadRow(double minutes) {
    constexpr std::size_t count = 100000;
    constexpr std::size_t budgets[] = {64, 256, 48, 128, 32};
    RewindOptions options{.seconds = 1e9, .bytes = budgets[0] * mebibyte};
    Swarm swarm(count, Motion::Honest, &options);
    TimeRewindSys& rewind = *swarm.rewind;
    const int ticks = static_cast<int>(minutes * 3600);
    int over = 0;
    int inexact = 0;
    double worst = 0;
    double least = 1e9;  // kept seconds, ten seconds after a change
    std::minstd_rand random(5);
    for (int i = 1; i <= ticks; ++i) {
        swarm.tick();
        const auto used = static_cast<double>(rewind.getMemory());
        over += rewind.getMemory() > options.bytes ? 1 : 0;
        worst = std::max(worst, used / static_cast<double>(options.bytes));
        if (i % 600 != 0) continue;
        const auto oldest = *rewind.getOldestFrame();
        const auto newest = *rewind.getNewestFrame();
        least = std::min(least, static_cast<double>(newest - oldest) / 60);
        const auto frame = oldest + static_cast<std::int64_t>(
                                        random() % static_cast<std::uint64_t>(newest - oldest + 1));
        rewind.seek(frame);
        inexact += stateHash(swarm.world) == rewind.frameHash(frame) ? 0 : 1;
        over += rewind.getMemory() > options.bytes ? 1 : 0;
        rewind.seek(newest);
        rewind.stop();
        options.bytes = budgets[static_cast<std::size_t>(i / 600) % std::size(budgets)] * mebibyte;
        rewind.setBudget(options);
        over += rewind.getMemory() > options.bytes ? 1 : 0;
    }
    row("100k honest without a pause, " + text("%.1f", minutes) +
            " minutes of virtual play, budgets of 32 to 256 MiB in turn",
        std::to_string(over) + " ticks over the budget, " + std::to_string(inexact) +
            " frames inexact",
        text("at most %.2f of the budget", worst) + text(", at least %.1f s kept", least), "", "0",
        over == 0 && inexact == 0);
}

}  // namespace

void scaleRows(const std::string& part, double seconds) {
    if (part == "scheduling") schedulingRows(seconds);
    if (part == "packer") {
        packerRow(20000, Motion::Honest);
        packerRow(100000, Motion::Linear);
        packerRow(100000, Motion::Honest);
    }
    if (part == "kept") {
        keptRow(20000, Motion::Honest, 64 * mebibyte, seconds, 6, 8);
        keptRow(100000, Motion::Linear, 64 * mebibyte, seconds, 3, 0);
        keptRow(100000, Motion::Honest, 64 * mebibyte, seconds, 1, 0);
    }
    if (part == "overload") overloadRow(seconds / 60);
    if (part == "keptlong") {
        keptRow(20000, Motion::Honest, 1024 * mebibyte, 10 * seconds, 120, 7);
        keptRow(100000, Motion::Linear, 1024 * mebibyte, 8 * seconds, 90, 0);
        keptRow(100000, Motion::Honest, 1024 * mebibyte, 3 * seconds, 15, 0);
    }
}

}  // namespace bench
