// Options: what the command line asks for. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace revenant::game {

struct Screenshot {
    std::int64_t frame = 0;  // the step behind which the picture is taken
    std::string path;
};

struct Options {
    std::string gameFolder;            // with main.lua in it; empty: the game that came with this
    std::optional<std::string> level;  // a number or the path of a level file
    std::optional<std::uint64_t> seed;
    bool headless = false;
    bool inspector = false;
    bool help = false;
    bool mute = false;
    std::optional<std::int64_t> frames;  // steps to run; none: until the input ends or for ever
    std::string record;                  // an input log to write
    std::string replay;                  // one to play, comparing hashes
    std::string script;                  // one to play
    std::vector<Screenshot> screenshots;
    std::string history;             // to look at, without the game running
    std::string saveHistory;         // to write when the run ends
    std::string panel;               // of the inspector, to begin with
    std::optional<std::int64_t> at;  // the frame of the history that the inspector shows
    std::optional<std::pair<std::int64_t, std::int64_t>> compare;  // frames, in the inspector
    std::string demonstrate;                                       // a folder for pictures
};

// Throws an Error with a sentence for what it cannot understand.
Options parseOptions(std::span<const char* const> arguments);
// What --help says.
std::string usage(const std::string& program);
// The game's folder: as asked for, or beside the executable, or where it was built. Throws.
std::string findGameFolder(const Options& options, const std::string& executable);

}  // namespace revenant::game
