// What one can do with a history file, whatever it is. Either the loader refuses it, or it shows every frame, in
// any order, in a world that is valid and the same each time, play goes on from there, and what is
// saved then can be loaded again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tests/fuzz/fuzz_run.hpp"
#include "tests/fuzz/history_tree.hpp"

namespace revenant::fuzz {

Verdict probe(std::span<const std::byte> bytes);

// Small histories in which there is something of everything, as files.
std::vector<Bytes> seedHistories();

}  // namespace revenant::fuzz
