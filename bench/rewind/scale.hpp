// The rows of rewind at scale: crowds that all change, beside what a user would write by hand.
#pragma once

#include <cstddef>
#include <string>

namespace bench {

// Names of parts: scheduling, packer, kept, keptlong, overload. Most pace themselves at 60 Hz, for `seconds` and more each;
// overload plays that many seconds as fast as it can.
void scaleRows(const std::string& part, double seconds);
// Names of parts: raw, spawn, structure, slow, truth; see structure.cpp.
void structureRows(const std::string& part, double seconds);

}  // namespace bench
