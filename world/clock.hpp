// Clock: a moment by World::getClock, which counts reconciles. Change marks are kept in it. Unlike
// World::getTick it is never rewound.
#pragma once

#include <cstdint>

namespace revenant {

using Clock = std::uint32_t;

}  // namespace revenant
