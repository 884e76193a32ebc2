// Plays at random for a given time, checks what must hold, and watches its own memory.
//
//     revenant_soak [--ticks N] [--seconds N] [--seed N] [--game N]     -- without either: until it is stopped
//
// A run is made of games, each in a world of its own, each with a seed made of the run's and its number;
// --game begins with one of them. The first failure ends the run: it says which game it was.
#include <unistd.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <string>

#include "tests/soak/memory_watch.hpp"
#include "tests/soak/tester.hpp"

namespace {

using namespace soak;
using Clock = std::chrono::steady_clock;

struct Options {
    std::uint64_t ticks = UINT64_MAX;  // of all games together
    double seconds = 1e9;
    std::uint64_t seed = 1;
    std::uint64_t game = 1;
};

Options parse(int count, char** arguments) {
    Options options;
    for (int i = 1; i + 1 < count; i += 2) {
        const std::string name = arguments[i];
        const char* value = arguments[i + 1];
        if (name == "--ticks")
            options.ticks = std::strtoull(value, nullptr, 10);
        else if (name == "--seconds")
            options.seconds = std::strtod(value, nullptr);
        else if (name == "--seed")
            options.seed = std::strtoull(value, nullptr, 10);
        else if (name == "--game")
            options.game = std::strtoull(value, nullptr, 10);
        else
            throw Failure("unknown option " + name +
                          ": there are --ticks, --seconds, --seed, --game");
    }
    if (count % 2 == 0) throw Failure("each option is followed by a number");
    return options;
}

double megabytes(std::size_t bytes) {
    return static_cast<double>(bytes) / (1 << 20);
}

class Run {
public:
    explicit Run(const Options& options)
        : options_(options),
          scratchFile_((std::filesystem::temp_directory_path() /
                        ("revenant_soak." + std::to_string(getpid())))
                           .string()) {}
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    ~Run() { std::remove(scratchFile_.c_str()); }

    bool play() {
        for (std::uint64_t game = options_.game; !isOver(); ++game)
            if (!playGame(game)) return false;
        report("done");
        return true;
    }

private:
    // Short games and long ones: what leaks from world to world shows in the former, what grows in
    // one world in the latter.
    static std::uint64_t lengthOf(std::uint64_t game) {
        static constexpr std::uint64_t lengths[] = {2'000, 20'000, 500, 200'000, 5'000, 50'000};
        return lengths[game % std::size(lengths)];
    }

    bool playGame(std::uint64_t game) {
        Tester tester(options_.seed * 1'000'003 + game, scratchFile_, tally_);
        try {
            for (std::uint64_t left = lengthOf(game); left > 0 && !isOver(); --left) {
                tester.tick();
                if (tally_.ticks % 256 == 0) look(game, tester);
            }
            return true;
        } catch (const std::exception& error) {
            std::printf("soak: seed %llu, game %llu, tick %llu: %s\n",
                        static_cast<unsigned long long>(options_.seed),
                        static_cast<unsigned long long>(game),
                        static_cast<unsigned long long>(tally_.ticks), error.what());
            for (const std::string& deed : tester.lastDeeds()) std::printf("  %s\n", deed.c_str());
            return false;
        }
    }

    void look(std::uint64_t game, const Tester& tester) {
        // All lengths of games must have been played.
        if (!memory_.look(tally_.ticks < warmUpTicks))
            throw Failure("memory grows: " + std::to_string(memory_.now() >> 20) +
                          " MiB after a warm-up with at most " +
                          std::to_string(memory_.warm() >> 20));
        if (seconds() - reported_ < 5) return;
        reported_ = seconds();
        report("game " + std::to_string(game) + ", " + tester.describe());
    }
    void report(const std::string& where) const {
        std::printf(
            "%.0f s, %llu ticks, %llu frames shown, %llu resimulated, %llu files; %.1f MiB, "
            "at most %.1f; %s\n",
            seconds(), static_cast<unsigned long long>(tally_.ticks),
            static_cast<unsigned long long>(tally_.shown),
            static_cast<unsigned long long>(tally_.resimulated),
            static_cast<unsigned long long>(tally_.files), megabytes(memory_.now()),
            megabytes(memory_.most()), where.c_str());
        std::fflush(stdout);
    }
    bool isOver() const { return tally_.ticks >= options_.ticks || seconds() >= options_.seconds; }
    double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

    static constexpr std::uint64_t warmUpTicks = 300'000;

    Options options_;
    std::string scratchFile_;
    Tally tally_;
    MemoryWatch memory_;
    Clock::time_point begin_ = Clock::now();
    double reported_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
    try {
        return Run(parse(count, arguments)).play() ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "soak: %s\n", error.what());
        return 2;
    }
}
