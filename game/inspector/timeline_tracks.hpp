// The tracks of the timeline: what TimelinePanel draws of the frames, one below the other, all to the same
// scale.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <vector>

#include "rewind/time_rewind_sys.hpp"

namespace revenant::game {

constexpr float rulerHeight = 20;

// Which frames are in sight, and where.
struct TimelineScale {
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

void drawRuler(const TimelineScale& scale, float top);
// The bytes of each block, per frame.
void drawMemory(const std::vector<BlockInfo>& blocks, const TimelineScale& scale, float top,
                float height);
// Entities that came, upwards, and that left, downwards.
void drawMarks(const std::vector<FrameMark>& marks, const TimelineScale& scale, float top,
               float height);
void drawCheckpoints(const TimeRewindSys& history, const TimelineScale& scale, float top);
// A frame that is marked; one without a label is the current frame.
void drawCursor(std::int64_t frame, const TimelineScale& scale, float top, float bottom,
                ImU32 color, const char* label);

}  // namespace revenant::game
