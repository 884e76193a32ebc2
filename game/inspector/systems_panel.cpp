#include "game/inspector/systems_panel.hpp"

#include <imgui.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace revenant::game {

namespace {

// The ring as bars in the cell, the newest at the right; `most`: as high as the cell.
void plot(const TimeRing& ring, float most, ImU32 color) {
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float height = ImGui::GetTextLineHeight();
    ImGui::Dummy({width, height});
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(corner, {corner.x + width, corner.y + height}, theme::sunken, 2);
    const auto columns = std::min(static_cast<std::size_t>(std::max(width, 0.0F)), TimeRing::size);
    for (std::size_t i = 0; i < columns; ++i) {
        const float value =
            ring.microseconds[(ring.next + TimeRing::size - columns + i) % TimeRing::size];
        if (value <= 0) continue;
        const float bar = std::clamp(value / most, 0.06F, 1.0F) * height;
        const float x = corner.x + width - static_cast<float>(columns - i);
        list.AddRectFilled({x, corner.y + height - bar}, {x + 1, corner.y + height}, color);
    }
}

// The last tick as lanes, one per thread, with a bar for each system where it ran.
void drawLanes(const std::vector<std::shared_ptr<System>>& systems, int lanes) {
    std::uint64_t begin = UINT64_MAX;
    std::uint64_t end = 0;
    for (const auto& system : systems) {
        if (!system->isEnabled() || system->getLastTickBeginNanoseconds() == 0) continue;
        begin = std::min(begin, system->getLastTickBeginNanoseconds());
        end =
            std::max(end, system->getLastTickBeginNanoseconds() + system->getLastTickNanoseconds());
    }
    if (end <= begin) return;
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float width = std::max(ImGui::GetContentRegionAvail().x, 1.0F);
    const float height = ImGui::GetTextLineHeight();
    const float scale = width / static_cast<float>(end - begin);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (int lane = 0; lane < lanes; ++lane) {
        const float top = corner.y + static_cast<float>(lane) * (height + 2);
        list.AddRectFilled({corner.x, top}, {corner.x + width, top + height}, theme::sunken, 2);
    }
    for (const auto& system : systems) {
        const std::uint64_t from = system->getLastTickBeginNanoseconds();
        if (!system->isEnabled() || from < begin) continue;
        const int lane = std::min(system->getLastTickLane(), lanes - 1);
        const float top = corner.y + static_cast<float>(lane) * (height + 2);
        const float left = corner.x + static_cast<float>(from - begin) * scale;
        const float right =
            std::max(left + 1, left + static_cast<float>(system->getLastTickNanoseconds()) * scale);
        list.AddRectFilled({left, top}, {right, top + height},
                           colorOfName(system->getName().c_str()), 2);
        if (ImGui::IsMouseHoveringRect({left, top}, {right, top + height}))
            ImGui::SetTooltip("%s: %.1f \u00B5s on thread %d", system->getName().c_str(),
                              static_cast<double>(system->getLastTickNanoseconds()) / 1000, lane);
    }
    ImGui::Dummy({width, static_cast<float>(lanes) * (height + 2)});
}

}  // namespace

void SystemsPanel::draw(Inspection& inspection) {
    const auto systems = inspection.world.getSystems();
    if (systems.empty()) {
        ImGui::TextDisabled("There are no systems.");
        return;
    }
    const TimeRing& total = inspection.times.total();
    ImGui::TextDisabled("all systems: %.0f \u00B5s in the last tick, %.0f on average, %.0f at most",
                        static_cast<double>(total.last()), static_cast<double>(total.average()),
                        static_cast<double>(total.highest()));
    if (const int lanes = inspection.world.getThreads(); lanes > 1) drawLanes(systems, lanes);
    constexpr ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                      ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersInnerV;
    if (!ImGui::BeginTable("systems", 6, flags)) return;
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableSetupColumn("on", ImGuiTableColumnFlags_WidthFixed, 22);
    ImGui::TableSetupColumn("system", ImGuiTableColumnFlags_WidthFixed, 150);
    ImGui::TableSetupColumn("priority", ImGuiTableColumnFlags_WidthFixed, 56);
    ImGui::TableSetupColumn("\u00B5s", ImGuiTableColumnFlags_WidthFixed, 50);
    ImGui::TableSetupColumn("most", ImGuiTableColumnFlags_WidthFixed, 50);
    ImGui::TableSetupColumn("the last four seconds", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableHeadersRow();
    float most = 20;
    for (const auto& system : systems)
        if (const TimeRing* ring = inspection.times.find(system->getName()))
            most = std::max(most, std::min(ring->highest(), 2 * ring->average()));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {2, 0});
    for (const auto& system : systems) {
        ImGui::PushID(system.get());
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        bool isOn = system->isEnabled();
        if (ImGui::Checkbox("##on", &isOn)) system->setEnabled(isOn);
        ImGui::TableNextColumn();
        const SystemOptions& options = system->getOptions();
        ImGui::TextUnformatted(system->getName().c_str());
        if (ImGui::IsItemHovered())
            ImGui::SetTooltip("%s", options.tickWhileRewinding
                                        ? "ticks also while the past is shown"
                                        : "does not tick while the past is shown");
        ImGui::TableNextColumn();
        if (options.priority > 1000000)
            ImGui::TextDisabled("first");
        else
            ImGui::Text("%d", options.priority);
        const TimeRing* ring = inspection.times.find(system->getName());
        ImGui::TableNextColumn();
        if (ring) ImGui::Text("%.1f", static_cast<double>(ring->last()));
        ImGui::TableNextColumn();
        if (ring) ImGui::Text("%.1f", static_cast<double>(ring->highest()));
        ImGui::TableNextColumn();
        if (ring) plot(*ring, most, colorOfName(system->getName().c_str()));
        ImGui::PopID();
    }
    ImGui::PopStyleVar();
    ImGui::EndTable();
}

}  // namespace revenant::game
