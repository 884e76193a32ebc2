#include "game/inspector/timeline_tracks.hpp"

#include <algorithm>
#include <cmath>

#include "game/inspector/inspection.hpp"

namespace revenant::game {

namespace {

constexpr float cellWidth = 4;  // from which on single frames are drawn

std::string stateOf(const BlockInfo& block) {
    std::string state = block.isWaiting    ? "waiting to be packed"
                        : !block.isPacked  ? "not packed yet"
                        : block.isUnpacked ? "packed, and unpacked to be looked at"
                                           : "packed";
    const auto all = static_cast<std::size_t>(block.last - block.first + 1);
    if (block.frames < all) state += sentence(", ", all - block.frames, " thinned out");
    return state;
}

}  // namespace

void drawRuler(const TimelineScale& scale, float top) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    // Steps of 1, 2, 5, 10, ... frames, whichever leaves room for the numbers.
    double step = 1;
    for (int i = 0; step * scale.frameWidth() < 64; ++i) step *= i % 3 == 1 ? 2.5 : 2;
    for (double frame = std::ceil(scale.first / step) * step; frame < scale.last; frame += step) {
        const float x = scale.x(frame);
        list.AddLine({x, top}, {x, top + rulerHeight}, theme::line);
        char number[32];
        std::snprintf(number, sizeof number, "%.0f", frame);
        list.AddText({x + 4, top + 2}, theme::dim, number);
    }
}

void drawMemory(const std::vector<BlockInfo>& blocks, const TimelineScale& scale, float top,
                float height) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    double most = 1;  // bytes per frame
    const auto perFrame = [](const BlockInfo& block) {
        return static_cast<double>(block.bytes) / static_cast<double>(block.frames);
    };
    for (const BlockInfo& block : blocks) most = std::max(most, perFrame(block));
    for (const BlockInfo& block : blocks) {
        const float left = scale.x(static_cast<double>(block.first));
        const float right = scale.x(static_cast<double>(block.last) + 1);
        if (right < scale.left || left > scale.left + scale.width) continue;
        // By its root: packed blocks are a tenth of open ones and should still be seen.
        const auto part = static_cast<float>(std::sqrt(perFrame(block) / most));
        const float bar = std::max(2.0F, part * (height - 40));
        const ImU32 color = !block.isPacked    ? theme::warm
                            : block.isUnpacked ? theme::past
                                               : theme::accent;
        const ImU32 body = (color & ~IM_COL32_A_MASK) | (70U << IM_COL32_A_SHIFT);
        list.AddRectFilled({left + 1, top + height - bar}, {right - 1, top + height}, body);
        list.AddLine({left + 1, top + height - bar}, {right - 1, top + height - bar}, color);
        const std::string state = stateOf(block);
        const std::string label = sentence(bytesText(block.bytes), ", ", state);
        if (right - left > ImGui::CalcTextSize(label.c_str()).x + 10)
            list.AddText({std::max(left, scale.left) + 6, top + height - bar - 17}, theme::dim,
                         label.c_str());
        if (ImGui::IsMouseHoveringRect({left, top}, {right, top + height}) &&
            ImGui::IsItemHovered())
            ImGui::SetTooltip("frames %lld to %lld\n%s, %s\n%zu came, %zu went",
                              static_cast<long long>(block.first),
                              static_cast<long long>(block.last), bytesText(block.bytes).c_str(),
                              state.c_str(), block.births, block.departures);
    }
    if (scale.frameWidth() < cellWidth) return;
    for (double frame = std::floor(scale.first); frame < scale.last; ++frame)
        list.AddLine({scale.x(frame), top + height - 4}, {scale.x(frame), top + height},
                     theme::line);
}

void drawMarks(const std::vector<FrameMark>& marks, const TimelineScale& scale, float top,
               float height) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float middle = top + height / 2;
    list.AddLine({scale.left, middle}, {scale.left + scale.width, middle}, theme::line);
    const float room = height / 2 - 3;
    const auto length = [room](std::size_t count) {
        return room * std::min(1.0F, 0.2F + 0.16F * std::log2(static_cast<float>(count) + 1));
    };
    const float width = std::clamp(scale.frameWidth() - 1, 1.0F, 8.0F);
    for (const FrameMark& mark : marks) {
        const float x = scale.x(static_cast<double>(mark.frame));
        if (x < scale.left - width || x > scale.left + scale.width) continue;
        if (mark.births > 0)
            list.AddRectFilled({x, middle - length(mark.births)}, {x + width, middle}, theme::good);
        if (mark.returns > 0)
            list.AddRectFilled({x, middle - length(mark.returns)}, {x + width, middle},
                               theme::past);
        if (mark.departures > 0)
            list.AddRectFilled({x, middle}, {x + width, middle + length(mark.departures)},
                               theme::bad);
    }
}

void drawCheckpoints(const TimeRewindSys& history, const TimelineScale& scale, float top) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (const auto& [name, frame] : history.getCheckpoints()) {
        const float x = scale.x(static_cast<double>(frame) + 0.5);
        const float y = top + rulerHeight;
        list.AddLine({x, y}, {x, y + 14}, theme::warm);
        list.AddQuadFilled({x, y - 5}, {x + 5, y}, {x, y + 5}, {x - 5, y}, theme::warm);
        list.AddText({x + 7, y - 3}, theme::warm, name.c_str());
    }
}

void drawCursor(std::int64_t frame, const TimelineScale& scale, float top, float bottom,
                ImU32 color, const char* label) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float x = scale.x(static_cast<double>(frame) + 0.5);
    list.AddLine({x, top}, {x, bottom}, color, 2);
    if (label) {
        // To the right of its line, or to the left where that would lead out of sight.
        const float left = x + 16 > scale.left + scale.width ? x - 16 : x;
        list.AddRectFilled({left, bottom - 18}, {left + 16, bottom}, color, 2);
        list.AddText({left + 4, bottom - 17}, theme::sunken, label);
    } else {
        list.AddTriangleFilled({x - 6, top}, {x + 6, top}, {x, top + 8}, color);
    }
}

}  // namespace revenant::game
