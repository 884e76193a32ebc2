#include "game/inspector/timeline_panel.hpp"

#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

namespace revenant::game {

namespace {

constexpr float rulerHeight = 20;
constexpr float gutter = 48;    // for the names of the tracks
constexpr float cellWidth = 4;  // from which on single frames are drawn

void sign(const char* text, const char* hint, bool isEnabled, bool& isPressed) {
    ImGui::BeginDisabled(!isEnabled);
    ImGui::PushID(hint);
    isPressed = ImGui::Button(text, {44, 0});
    ImGui::PopID();
    ImGui::EndDisabled();
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) ImGui::SetTooltip("%s", hint);
    ImGui::SameLine(0, 4);
}

const char* stateOf(const StretchInfo& stretch) {
    if (!stretch.isPacked) return "not packed yet";
    return stretch.isUnpacked ? "packed, and unpacked to be looked at" : "packed";
}

}  // namespace

void TimelinePanel::draw(Inspection& inspection) {
    if (!inspection.history || !inspection.history->getFrame()) {
        ImGui::TextDisabled("There is no history yet.");
        return;
    }
    drawControls(inspection);
    drawTracks(inspection);
}

void TimelinePanel::drawControls(Inspection& inspection) {
    TimeRewindSys& history = *inspection.history;
    const std::int64_t shown = *history.getFrame();
    const std::int64_t oldest = *history.getOldestFrame();
    const std::int64_t newest = *history.getNewestFrame();
    const Signs& signs = inspection.signs;
    bool isPressed = false;
    sign(signs.first, "the oldest frame", shown > oldest, isPressed);
    if (isPressed) inspection.seek(oldest);
    sign(signs.back, "one frame back", shown > oldest, isPressed);
    if (isPressed) inspection.seek(shown - 1);
    sign(inspection.isPaused ? signs.play : signs.pause,
         !inspection.isPaused    ? "pause"
         : !inspection.hasGame   ? "play the recording"
         : history.isRewinding() ? "play on from here: the frames behind are dropped"
                                 : "play on",
         true, isPressed);
    if (isPressed) {
        inspection.isPaused = !inspection.isPaused;
        if (!inspection.isPaused && inspection.hasGame && history.isRewinding())
            inspection.attempt([&] { history.stop(); });
    }
    sign(signs.forward, shown < newest ? "one frame forward" : "play one step",
         shown < newest || inspection.hasGame, isPressed);
    if (isPressed) {
        if (shown < newest) {
            inspection.seek(shown + 1);
        } else {
            inspection.isPaused = true;
            if (history.isRewinding()) inspection.attempt([&] { history.stop(); });
            inspection.stepsWanted = 1;
        }
    }
    sign(signs.last, "the newest frame", shown < newest, isPressed);
    if (isPressed) inspection.seek(newest);
    ImGui::SameLine(0, 14);
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(vectorOf(history.isRewinding() ? theme::past : theme::good), "frame %lld",
                       static_cast<long long>(shown));
    if (ImGui::IsItemHovered())
        ImGui::SetTooltip("hash %016llx",
                          static_cast<unsigned long long>(history.frameHash(shown)));
    ImGui::SameLine();
    ImGui::TextDisabled("of %lld to %lld   %.2f s", static_cast<long long>(oldest),
                        static_cast<long long>(newest), inspection.world.getTime());
    drawCheckpointInput(inspection);
}

void TimelinePanel::drawCheckpointInput(Inspection& inspection) {
    TimeRewindSys& history = *inspection.history;
    const std::int64_t shown = *history.getFrame();
    ImGui::SameLine(std::max(ImGui::GetCursorPosX(), ImGui::GetWindowWidth() - 336));
    if (ImGui::Button("A")) inspection.frameA = shown;
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("compare this frame ...");
    ImGui::SameLine(0, 4);
    if (ImGui::Button("B")) inspection.frameB = shown;
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("... with this one");
    ImGui::SameLine(0, 12);
    ImGui::SetNextItemWidth(140);
    const bool isEntered =
        ImGui::InputTextWithHint("##checkpoint", "name of a checkpoint", &checkpointName_,
                                 ImGuiInputTextFlags_EnterReturnsTrue);
    ImGui::SameLine(0, 4);
    if (ImGui::Button("Checkpoint") || isEntered)
        inspection.attempt([&] {
            history.setCheckpoint(checkpointName_.empty() ? sentence("frame ", shown)
                                                          : checkpointName_);
            checkpointName_.clear();
        });
}

void TimelinePanel::drawTracks(Inspection& inspection) {
    TimeRewindSys& history = *inspection.history;
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const ImVec2 room = ImGui::GetContentRegionAvail();
    if (room.x < 2 * gutter) return;  // nothing could be told apart
    const float height = std::max(room.y, 90.0F);
    ImGui::InvisibleButton("tracks", {room.x, height});
    const auto oldest = static_cast<double>(*history.getOldestFrame());
    const auto newest = static_cast<double>(*history.getNewestFrame());
    Scale scale{corner.x + gutter, room.x - gutter, oldest, std::max(newest + 1, oldest + 60)};
    if (zoomLast_ > zoomFirst_) {
        // Keeps to what there is, also when the oldest frames go.
        const double span = std::min(zoomLast_ - zoomFirst_, scale.last - scale.first);
        zoomFirst_ = std::clamp(zoomFirst_, scale.first, scale.last - span);
        scale.first = zoomFirst_;
        scale.last = zoomFirst_ + span;
    }
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float bottom = corner.y + height;
    list.AddRectFilled(corner, {corner.x + room.x, bottom}, theme::sunken, 3);
    list.PushClipRect(corner, {corner.x + room.x, bottom}, true);
    const float tracks = height - rulerHeight;
    const float memoryHeight = tracks * 0.45F;
    const float markTop = corner.y + rulerHeight + memoryHeight;
    if (history.isRewinding() && inspection.hasGame) {
        // What playing on from here would drop.
        const float from = scale.x(static_cast<double>(*history.getFrame()) + 1);
        list.AddRectFilled({from, corner.y}, {scale.x(newest + 1), bottom},
                           IM_COL32(187, 154, 247, 22));
    }
    const auto nameTrack = [&](float y, const char* name) {
        list.AddText({corner.x + 6, y}, theme::faint, name);
    };
    nameTrack(corner.y + 2, "frame");
    nameTrack(markTop - 18, "bytes");
    nameTrack(markTop + 6, "came");
    nameTrack(bottom - 20, "went");
    list.PushClipRect({scale.left, corner.y}, {corner.x + room.x, bottom}, true);
    drawRuler(scale, corner.y);
    drawMemory(history.getStretches(), scale, corner.y + rulerHeight, memoryHeight);
    drawMarks(history.getMarks(), scale, markTop, bottom - markTop);
    drawCheckpoints(inspection, scale, corner.y);
    const auto cursorAt = [&](std::int64_t frame) {
        return scale.x(static_cast<double>(frame) + 0.5);
    };
    if (inspection.frameA)
        drawCursor(cursorAt(*inspection.frameA), corner.y, bottom, theme::good, "A");
    if (inspection.frameB)
        drawCursor(cursorAt(*inspection.frameB), corner.y, bottom, theme::bad, "B");
    drawCursor(cursorAt(*history.getFrame()), corner.y, bottom, theme::accent, nullptr);
    list.PopClipRect();
    list.PopClipRect();
    handleMouse(inspection, scale);
}

void TimelinePanel::drawRuler(const Scale& scale, float top) const {
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

void TimelinePanel::drawMemory(const std::vector<StretchInfo>& stretches, const Scale& scale,
                               float top, float height) const {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    double most = 1;  // bytes per frame
    const auto perFrame = [](const StretchInfo& stretch) {
        return static_cast<double>(stretch.bytes) /
               static_cast<double>(stretch.last - stretch.first + 1);
    };
    for (const StretchInfo& stretch : stretches) most = std::max(most, perFrame(stretch));
    for (const StretchInfo& stretch : stretches) {
        const float left = scale.x(static_cast<double>(stretch.first));
        const float right = scale.x(static_cast<double>(stretch.last) + 1);
        if (right < scale.left || left > scale.left + scale.width) continue;
        // By its root: packed stretches are a tenth of open ones and should still be seen.
        const auto part = static_cast<float>(std::sqrt(perFrame(stretch) / most));
        const float bar = std::max(2.0F, part * (height - 40));
        const ImU32 color = !stretch.isPacked    ? theme::warm
                            : stretch.isUnpacked ? theme::past
                                                 : theme::accent;
        const ImU32 body = (color & ~IM_COL32_A_MASK) | (70U << IM_COL32_A_SHIFT);
        list.AddRectFilled({left + 1, top + height - bar}, {right - 1, top + height}, body);
        list.AddLine({left + 1, top + height - bar}, {right - 1, top + height - bar}, color);
        const char* const state = stateOf(stretch);
        const std::string label = sentence(bytesText(stretch.bytes), ", ", state);
        if (right - left > ImGui::CalcTextSize(label.c_str()).x + 10)
            list.AddText({std::max(left, scale.left) + 6, top + height - bar - 17}, theme::dim,
                         label.c_str());
        if (ImGui::IsMouseHoveringRect({left, top}, {right, top + height}) &&
            ImGui::IsItemHovered())
            ImGui::SetTooltip(
                "frames %lld to %lld\n%s, %s\n%zu came, %zu went",
                static_cast<long long>(stretch.first), static_cast<long long>(stretch.last),
                bytesText(stretch.bytes).c_str(), stretch.isPacked ? "packed" : "not packed yet",
                stretch.births, stretch.departures);
    }
    if (scale.frameWidth() < cellWidth) return;
    for (double frame = std::floor(scale.first); frame < scale.last; ++frame)
        list.AddLine({scale.x(frame), top + height - 4}, {scale.x(frame), top + height},
                     theme::line);
}

void TimelinePanel::drawMarks(const std::vector<FrameMark>& marks, const Scale& scale, float top,
                              float height) const {
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

void TimelinePanel::drawCheckpoints(Inspection& inspection, const Scale& scale, float top) const {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (const auto& [name, frame] : inspection.history->getCheckpoints()) {
        const float x = scale.x(static_cast<double>(frame) + 0.5);
        const float y = top + rulerHeight;
        list.AddLine({x, y}, {x, y + 14}, theme::warm);
        list.AddQuadFilled({x, y - 5}, {x + 5, y}, {x, y + 5}, {x - 5, y}, theme::warm);
        list.AddText({x + 7, y - 3}, theme::warm, name.c_str());
    }
}

void TimelinePanel::drawCursor(float x, float top, float bottom, ImU32 color, const char* label) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddLine({x, top}, {x, bottom}, color, 2);
    if (label) {
        list.AddRectFilled({x, bottom - 18}, {x + 16, bottom}, color, 2);
        list.AddText({x + 4, bottom - 17}, theme::sunken, label);
    } else {
        list.AddTriangleFilled({x - 6, top}, {x + 6, top}, {x, top + 8}, color);
    }
}

void TimelinePanel::handleMouse(Inspection& inspection, const Scale& scale) {
    const ImGuiIO& io = ImGui::GetIO();
    TimeRewindSys& history = *inspection.history;
    if (ImGui::IsItemActive() && ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
        const auto frame = static_cast<std::int64_t>(std::floor(scale.frame(io.MousePos.x)));
        const std::int64_t wanted =
            std::clamp(frame, *history.getOldestFrame(), *history.getNewestFrame());
        if (wanted != *history.getFrame() || !history.isRewinding()) inspection.seek(wanted);
    }
    if (!ImGui::IsItemHovered()) return;
    if (io.MouseWheel != 0) {
        const double at = scale.frame(io.MousePos.x);
        const double factor = std::pow(0.8, io.MouseWheel);
        zoomFirst_ = at - (at - scale.first) * factor;
        zoomLast_ = std::max(zoomFirst_ + 10, at + (scale.last - at) * factor);
    }
    if (ImGui::IsMouseDragging(ImGuiMouseButton_Right)) {
        const double moved = io.MouseDelta.x / static_cast<double>(scale.frameWidth());
        zoomFirst_ = scale.first - moved;
        zoomLast_ = scale.last - moved;
    }
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Right)) zoomFirst_ = zoomLast_ = 0;
}

}  // namespace revenant::game
