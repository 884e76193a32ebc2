// SystemStates: the states of a save's systems, given to those of a world: all, or none. Systems of which the
// save knows nothing keep theirs; those that are no longer there are passed over.
#pragma once

#include <cstddef>
#include <vector>

#include "save/image/entity_references.hpp"
#include "save/image/save_image.hpp"

namespace revenant {

class System;
class WorldCore;

class SystemStates {
public:
    SystemStates(const SaveImage& image, WorldCore& world, const EntityTranslation& entityOf);

    // Throws what a hook throws, having given back what the others had.
    void give();

private:
    struct State {
        System* system;
        bool hasState;
        double seconds;
        std::vector<std::byte> bytes;
        double secondsBefore;
        std::vector<std::byte> bytesBefore;
    };

    std::vector<State> states_;
};

}  // namespace revenant
