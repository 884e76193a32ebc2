// Shared by the tests of history files: recorded flights, and files that are deleted with
// the test.
#pragma once

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <map>
#include <random>

#include "rewind/file/history_file.hpp"
#include "rewind/state_hash.hpp"
#include "tests/rewind/flight.hpp"

namespace revenant {

// A file of its own for each test, deleted with it.
class TemporaryFile {
public:
    TemporaryFile() {
        static std::random_device device;
        path_ = (std::filesystem::temp_directory_path() /
                 ("revenant_" + std::to_string(device()) + ".history"))
                    .string();
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

// A flight of so many frames, and the view of each.
struct Recorded : Flight {
    std::map<std::int64_t, std::string> seen;

    Recorded(int seed, int frames, const RewindOptions& options) : Flight(options) {
        define();
        world.setRandomSeed(static_cast<std::uint64_t>(seed));
        takeOff();
        world.registerSystem("WitnessSys",
                             [this](World&, double) { seen[*rewind->getFrame()] = describe(); },
                             {.priority = 1000});
        ticks(frames);
    }
};

inline void checkAllFrames(Recorded& flight, Flight& tool, unsigned seed) {
    CHECK(tool.rewind->getOldestFrame() == flight.rewind->getOldestFrame());
    CHECK(tool.rewind->getNewestFrame() == flight.rewind->getNewestFrame());
    std::vector<std::int64_t> frames;
    for (auto frame = *flight.rewind->getOldestFrame(); frame <= *flight.rewind->getNewestFrame();
         ++frame)
        frames.push_back(frame);
    std::ranges::shuffle(frames, std::mt19937(seed));
    for (const std::int64_t frame : frames) {
        CAPTURE(frame);
        tool.rewind->seek(frame);
        const auto problems = tool.world.validate();
        CAPTURE(problems);
        REQUIRE(problems.empty());
        REQUIRE(tool.rewind->frameHash(frame) == flight.rewind->frameHash(frame));
        REQUIRE(stateHash(tool.world) == tool.rewind->frameHash(frame));
        REQUIRE(tool.describe() == flight.seen.at(frame));
    }
}

// A small file with something of everything in it.
inline std::vector<std::byte> smallFile() {
    static const std::vector<std::byte> bytes = [] {
        const TemporaryFile file;
        Recorded flight(3, 24, Flight::roomy(10));
        flight.rewind->setCheckpoint("here");
        flight.rewind->saveHistory(file.path());
        return readFile(file.path());
    }();
    return bytes;
}

}  // namespace revenant
