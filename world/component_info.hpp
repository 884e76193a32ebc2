// ComponentInfo: a component type as tools list it (World::getComponentTypes). Plain data.
#pragma once

#include <cstddef>
#include <string>

namespace revenant {

struct ComponentInfo {
    std::string name;
    std::size_t count = 0;  // entities that have it now, in the world or out of it
    std::size_t size = 0;   // bytes of one component
    std::size_t bytes = 0;  // of memory that is set aside for all of them
    // 0: its state is not in its bytes (a script component), or it has none.
    std::size_t fields = 0;
};

}  // namespace revenant
