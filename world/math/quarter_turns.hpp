// Reduction of an angle to a quarter turn around zero, exact for every double.
#pragma once

#include "world/math/double_pair.hpp"

namespace revenant::math {

struct QuarterTurns {
    int quadrant = 0;  // 0 to 3
    DoublePair rest;   // within a little more than pi / 4 around zero
};

// REQUIRES: radians is finite.
QuarterTurns quarterTurns(double radians) noexcept;

}  // namespace revenant::math
