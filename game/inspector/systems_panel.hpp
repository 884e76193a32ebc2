// SystemsPanel: the systems in ticking order, with the time of each tick as plots.
#pragma once

#include "game/inspector/inspection.hpp"

namespace revenant::game {

class SystemsPanel {
public:
    void draw(Inspection& inspection);
};

}  // namespace revenant::game
