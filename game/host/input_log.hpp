// InputLog: what was held when, as a text that people can write, and what came of it:
//
//     # comment
//     level 1
//     seed 7
//     10 60 right jump          # held in the steps [10, 60)
//     hash 120 8b1a9953c4611296 # world:stateHash() after step 120
//
// Steps count from 0. Plain data; spans may overlap.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "game/host/action.hpp"

namespace revenant::game {

struct InputLog {
    struct Span {
        std::int64_t first = 0;
        std::int64_t end = 0;  // the first step behind it
        ActionSet held;
    };

    std::optional<std::string> level;  // a number or a path
    std::optional<std::uint64_t> seed;
    std::vector<Span> spans;
    std::map<std::int64_t, std::uint64_t> hashes;  // by step

    ActionSet heldIn(std::int64_t step) const noexcept;
    // How many steps it covers.
    std::int64_t length() const noexcept;
    // Notes what was held in the step behind the last one.
    void append(std::int64_t step, ActionSet held);
};

// Throws an Error that names file and line.
InputLog parseInputLog(std::string_view text, const std::string& name);
InputLog readInputLog(const std::string& path);
std::string writeInputLog(const InputLog& log);
void saveInputLog(const InputLog& log, const std::string& path);

}  // namespace revenant::game
