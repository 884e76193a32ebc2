// ResourceOptions: how a world treats a named global value (World::setResource). Plain data.
#pragma once

namespace revenant {

struct ResourceOptions {
    // Recorded in every frame and restored with it; the value must be a `Value`.
    bool rewind = false;
};

}  // namespace revenant
