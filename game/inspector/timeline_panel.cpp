#include "game/inspector/timeline_panel.hpp"

#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "game/inspector/timeline_tracks.hpp"

namespace revenant::game {

namespace {

constexpr float gutter = 48;  // for the names of the tracks

void sign(const char* text, const char* hint, bool isEnabled, bool& isPressed) {
    ImGui::BeginDisabled(!isEnabled);
    ImGui::PushID(hint);
    isPressed = ImGui::Button(text, {44, 0});
    ImGui::PopID();
    ImGui::EndDisabled();
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) ImGui::SetTooltip("%s", hint);
    ImGui::SameLine(0, 4);
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
            std::int64_t next = shown + 1;
            while (next < newest && history.isThinned(next)) ++next;
            inspection.seek(next);
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
    TimelineScale scale{corner.x + gutter, room.x - gutter, oldest,
                        std::max(newest + 1, oldest + 60)};
    if (zoomLast_ > zoomFirst_) {
        // Stays within the frames there are, also when the oldest go.
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
        // The frames that playing on from here would drop.
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
    drawMemory(history.getBlocks(), scale, corner.y + rulerHeight, memoryHeight);
    drawMarks(history.getMarks(), scale, markTop, bottom - markTop);
    drawCheckpoints(history, scale, corner.y);
    if (inspection.frameA)
        drawCursor(*inspection.frameA, scale, corner.y, bottom, theme::good, "A");
    if (inspection.frameB) drawCursor(*inspection.frameB, scale, corner.y, bottom, theme::bad, "B");
    drawCursor(*history.getFrame(), scale, corner.y, bottom, theme::accent, nullptr);
    list.PopClipRect();
    list.PopClipRect();
    handleMouse(inspection, scale);
}

void TimelinePanel::handleMouse(Inspection& inspection, const TimelineScale& scale) {
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
