// CollisionEvent: what a physics system reports and triggers read, in the same tick. The world
// keeps the events of one frame and clears them at the next reconcile.
#pragma once

#include <any>

#include "world/entity.hpp"

namespace revenant {

struct CollisionEvent {
    Entity first;
    Entity second = {};  // none: the level itself
    double normalX = 0;  // from first to second
    double normalY = 0;
    double pointX = 0;
    double pointY = 0;
    std::any detail = {};  // whatever the reporter adds (Lua: the event's table)
};

}  // namespace revenant
