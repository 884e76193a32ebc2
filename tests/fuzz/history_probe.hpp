// Does everything with a history file that one can do. Either the loader refuses it, or it shows every frame, in
// any order, in a world that is valid and the same each time; play goes on from there, and a history
// saved then can be loaded again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tests/fuzz/fuzz_run.hpp"
#include "tests/fuzz/history_tree.hpp"

namespace revenant::fuzz {

Verdict probe(std::span<const std::byte> bytes);

// Small histories with something of everything in them, as files.
std::vector<Bytes> seedHistories();

}  // namespace revenant::fuzz
