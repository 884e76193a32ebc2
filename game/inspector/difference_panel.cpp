#include "game/inspector/difference_panel.hpp"

#include <imgui.h>

#include <algorithm>

namespace revenant::game {

void DifferencePanel::editFrame(Inspection& inspection, const char* label,
                                std::optional<std::int64_t>& frame) {
    std::int64_t value = frame.value_or(*inspection.history->getFrame());
    ImGui::SetNextItemWidth(90);
    if (ImGui::InputScalar(label, ImGuiDataType_S64, &value))
        frame = std::clamp(value, *inspection.history->getOldestFrame(),
                           *inspection.history->getNewestFrame());
    ImGui::SameLine();
}

void DifferencePanel::compare(Inspection& inspection) {
    if (!inspection.history || !inspection.history->getFrame()) return;
    if (!inspection.frameA) inspection.frameA = inspection.history->getFrame();
    if (!inspection.frameB) inspection.frameB = inspection.history->getFrame();
    inspection.isPaused = true;
    inspection.attempt([&] {
        found_ =
            inspection.history->compareFrames(*inspection.frameA, *inspection.frameB, mostShown);
        comparedA_ = inspection.frameA;
        comparedB_ = inspection.frameB;
    });
}

void DifferencePanel::draw(Inspection& inspection) {
    if (!inspection.history || !inspection.history->getFrame()) {
        ImGui::TextDisabled("There is no history yet.");
        return;
    }
    editFrame(inspection, "A", inspection.frameA);
    editFrame(inspection, "B", inspection.frameB);
    if (ImGui::Button("Compare")) compare(inspection);
    if (comparedA_ && comparedB_) {
        ImGui::SameLine();
        ImGui::TextDisabled("%zu%s differences", found_.size(),
                            found_.size() == mostShown ? " and more" : "");
        drawTable();
    } else {
        ImGui::TextDisabled("Choose two frames: here, or with A and B on the timeline.");
    }
}

void DifferencePanel::drawTable() const {
    constexpr ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                      ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersInnerV;
    if (!ImGui::BeginTable("differences", 4, flags)) return;
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableSetupColumn("entity");
    ImGui::TableSetupColumn("field");
    char title[48];
    std::snprintf(title, sizeof title, "frame %lld", static_cast<long long>(*comparedA_));
    ImGui::TableSetupColumn(title);
    char other[48];
    std::snprintf(other, sizeof other, "frame %lld ", static_cast<long long>(*comparedB_));
    ImGui::TableSetupColumn(other);
    ImGui::TableHeadersRow();
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(found_.size()));
    while (clipper.Step())
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            const Divergence& each = found_[static_cast<std::size_t>(i)];
            const bool isWhole = each.field == "the entity";
            ImGui::TableNextRow();
            ImGui::TableNextColumn();
            ImGui::TextUnformatted(each.entity.empty() ? "the world" : each.entity.c_str());
            ImGui::TableNextColumn();
            if (each.component.empty())
                ImGui::TextDisabled("%s", each.field.c_str());
            else
                ImGui::Text("%s.%s", each.component.c_str(), each.field.c_str());
            ImGui::TableNextColumn();
            ImGui::TextColored(
                vectorOf(isWhole && each.here == "absent" ? theme::dim : theme::good), "%s",
                each.here.c_str());
            ImGui::TableNextColumn();
            ImGui::TextColored(
                vectorOf(isWhole && each.there == "absent" ? theme::dim : theme::bad), "%s",
                each.there.c_str());
        }
    ImGui::EndTable();
}

}  // namespace revenant::game
