// ViewsPanel: all views of the world: their rows, how these lie in memory, and what keeping them costs.
#pragma once

#include "game/inspector/inspection.hpp"

namespace revenant::game {

class ViewsPanel {
public:
    void draw(Inspection& inspection);
};

}  // namespace revenant::game
