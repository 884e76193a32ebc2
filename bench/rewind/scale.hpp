// The rows of rewind at scale: crowds that all change, beside what a user would write by hand.
#pragma once

#include <cstddef>
#include <string>

namespace bench {

// Names of parts: scheduling, kept, keepsup, raw, spawn, structure, slow, truth. Those that pace themselves at 60 Hz
// run for `seconds` each.
void scaleRows(const std::string& part, double seconds);

}  // namespace bench
