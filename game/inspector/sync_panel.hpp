// SyncPanel: the switch of the sync test, which runs the newest frames again each tick, and its report.
#pragma once

#include "game/inspector/inspection.hpp"

namespace revenant::game {

class SyncPanel {
public:
    void draw(Inspection& inspection);

private:
    int frames_ = 8;
};

}  // namespace revenant::game
