// SystemStates: gives the states of a save's systems to those of a world: all, or none. Systems that are not in
// the save keep their states; states of systems that are gone are skipped.
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

    // If a hook throws, the others get their old states back and the error is rethrown.
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
