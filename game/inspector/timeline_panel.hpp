// TimelinePanel: every frame that is kept, on one line: memory per stretch, who came and went, checkpoints;
// the mouse scrubs both ways, the wheel zooms.
#pragma once

#include <string>
#include <vector>

#include "game/inspector/inspection.hpp"

namespace revenant::game {

class TimelinePanel {
public:
    void draw(Inspection& inspection);

private:
    // Which frames are in sight, and where.
    struct Scale {
        float left = 0;
        float width = 0;
        double first = 0;
        double last = 1;

        float x(double frame) const {
            return left + static_cast<float>((frame - first) / (last - first)) * width;
        }
        double frame(float x) const {
            return first + static_cast<double>(x - left) / width * (last - first);
        }
        float frameWidth() const { return width / static_cast<float>(last - first); }
    };

    void drawControls(Inspection& inspection);
    void drawCheckpointInput(Inspection& inspection);
    void drawTracks(Inspection& inspection);
    void drawRuler(const Scale& scale, float top) const;
    void drawMemory(const std::vector<StretchInfo>& stretches, const Scale& scale, float top,
                    float height) const;
    void drawMarks(const std::vector<FrameMark>& marks, const Scale& scale, float top,
                   float height) const;
    void drawCheckpoints(Inspection& inspection, const Scale& scale, float top) const;
    static void drawCursor(float x, float top, float bottom, ImU32 color, const char* label);
    void handleMouse(Inspection& inspection, const Scale& scale);

    double zoomFirst_ = 0;  // the frames in sight; equal: all
    double zoomLast_ = 0;
    std::string checkpointName_;
};

}  // namespace revenant::game
