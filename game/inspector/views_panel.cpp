#include "game/inspector/views_panel.hpp"

#include <imgui.h>

#include "views/rows/view_tables.hpp"
#include "world/core/world_core.hpp"

namespace revenant::game {

namespace {

// Component names mostly have a common ending, which says nothing.
std::string shortened(std::string name) {
    for (std::size_t at = name.find("CMP"); at != std::string::npos; at = name.find("CMP", at))
        if (at + 3 == name.size() || name[at + 3] == ' ')
            name.erase(at, 3);
        else
            ++at;
    return name;
}

}  // namespace

void ViewsPanel::draw(Inspection& inspection) {
    const std::vector<ViewInfo> views =
        WorldCore::of(inspection.world).observer<ViewTables>().list();
    if (views.empty()) {
        ImGui::TextDisabled("There are no views.");
        return;
    }
    constexpr ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                      ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersInnerV;
    if (!ImGui::BeginTable("views", 8, flags)) return;
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableSetupColumn("view", ImGuiTableColumnFlags_WidthStretch);
    const auto column = [](const char* name, float width) {
        ImGui::TableSetupColumn(name, ImGuiTableColumnFlags_WidthFixed, width);
    };
    column("users", 40);
    column("rows", 46);
    column("runs", 40);
    column("in runs", 52);
    column("passes", 52);
    column("moved", 56);
    column("\u00B5s/pass", 58);
    ImGui::TableHeadersRow();
    for (const auto& [name, users, stats] : views) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(shortened(name).c_str());
        if (ImGui::IsItemHovered())
            ImGui::SetTooltip("%s\n%llu rows added, %llu dropped, %s", name.c_str(),
                              static_cast<unsigned long long>(stats.rowsAdded),
                              static_cast<unsigned long long>(stats.rowsDropped),
                              bytesText(stats.bytes).c_str());
        const auto number = [](unsigned long long value) {
            ImGui::TableNextColumn();
            ImGui::Text("%llu", value);
        };
        number(users);
        number(stats.rows);
        number(stats.segments);
        ImGui::TableNextColumn();
        if (stats.rows > 0)
            ImGui::Text("%zu%%", stats.contiguousRows * 100 / stats.rows);
        else
            ImGui::TextDisabled("-");
        number(stats.passes);
        number(stats.rowsMoved);
        ImGui::TableNextColumn();
        const double passes = stats.passes == 0 ? 1 : static_cast<double>(stats.passes);
        ImGui::Text("%.1f", static_cast<double>(stats.nanoseconds) / 1000 / passes);
    }
    ImGui::EndTable();
}

}  // namespace revenant::game
