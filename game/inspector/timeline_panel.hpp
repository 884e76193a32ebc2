// TimelinePanel: every frame that is kept, on one line: memory per block, who came and went, checkpoints;
// the mouse scrubs both ways, the wheel zooms.
#pragma once

#include <string>

#include "game/inspector/inspection.hpp"

namespace revenant::game {

struct TimelineScale;

class TimelinePanel {
public:
    void draw(Inspection& inspection);

private:
    void drawControls(Inspection& inspection);
    void drawCheckpointInput(Inspection& inspection);
    void drawTracks(Inspection& inspection);
    void handleMouse(Inspection& inspection, const TimelineScale& scale);

    double zoomFirst_ = 0;  // the frames in sight; equal: all
    double zoomLast_ = 0;
    std::string checkpointName_;
};

}  // namespace revenant::game
