// Packs a stretch. Touches nothing but its arguments, so that it can run on any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "rewind/stretch_words.hpp"

namespace revenant {

struct PackOptions {
    int zstdLevel = 12;  // 1 (fast) to 22 (small)
};

// REQUIRES: streams ascending by key, as many values as the streams say, none beyond `frames`.
std::vector<std::byte> packStretch(StretchWords words, const PackOptions& options = {});

}  // namespace revenant
