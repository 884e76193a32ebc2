#include "game/inspector/sync_panel.hpp"

#include <imgui.h>

namespace revenant::game {

void SyncPanel::draw(Inspection& inspection) {
    TimeRewindSys* history = inspection.history;
    if (!history || !inspection.hasGame) {
        ImGui::TextDisabled("A sync test needs a game that runs, and a history.");
        return;
    }
    bool isOn = history->getSyncTest() > 0;
    if (ImGui::Checkbox("run the newest frames again, each tick", &isOn))
        inspection.attempt(
            [&] { history->setSyncTest(isOn ? static_cast<std::size_t>(frames_) : 0); });
    ImGui::SameLine();
    ImGui::SetNextItemWidth(120);
    if (ImGui::SliderInt("frames", &frames_, 1, 60) && isOn)
        inspection.attempt([&] { history->setSyncTest(static_cast<std::size_t>(frames_)); });
    ImGui::Spacing();
    if (const auto& report = history->getSyncReport()) {
        ImGui::TextColored(vectorOf(theme::bad), "The first difference there was:");
        ImGui::TextWrapped("%s", report->describe().c_str());
        ImGui::Spacing();
        ImGui::TextDisabled("What a system does depends on something that is not in the world:");
        ImGui::TextDisabled("a clock, a random number of its own, the order of pairs, ...");
    } else if (isOn) {
        ImGui::TextColored(vectorOf(theme::good), "Every frame came out the same so far.");
    } else {
        ImGui::TextDisabled("Finds what makes a game play differently the second time.");
    }
}

}  // namespace revenant::game
