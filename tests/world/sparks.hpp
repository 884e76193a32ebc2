// The components of sparks: entities that tests make many of at once.
#pragma once

#include "world/world.hpp"

namespace sparks {

struct Place {
    float x = 0, y = 0;
};
struct Speed {
    float x = 0, y = 0;
};

inline void define(revenant::World& world) {
    using revenant::field;
    world.defineComponent<Place>("Place", {field("x", &Place::x), field("y", &Place::y)});
    world.defineComponent<Speed>("Speed", {field("x", &Speed::x), field("y", &Speed::y)});
}

}  // namespace sparks
