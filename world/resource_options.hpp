// ResourceOptions: how a world treats a named global value (World::setResource). Plain data.
#pragma once

namespace revenant {

struct ResourceOptions {
    bool rewind =
        false;  // recorded in every frame and restored with it; the value must be a `Value`
};

}  // namespace revenant
