// Divergence: where two states that should be equal first differ. It helps to find out why a game plays
// differently the second time. Plain data.
#pragma once

#include <cstdint>
#include <string>

namespace revenant {

struct Divergence {
    std::int64_t frame = 0;
    std::string entity;     // its name and serial; empty: something of the whole world
    std::string component;  // or empty: the entity itself
    std::string field;      // or what differs: "parent", "random numbers", ...
    std::string here;
    std::string there;

    // "frame 12: 'walker' (serial 3), TransformCMP.x is 4.5 here and 4.25 there"
    std::string describe() const;
};

}  // namespace revenant
