#include "game/inspector/entity_panel.hpp"

#include "world/core/world_core.hpp"

#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>

namespace revenant::game {

namespace {

bool contains(std::string_view text, std::string_view part) {
    const auto alike = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) ==
               std::tolower(static_cast<unsigned char>(b));
    };
    return std::search(text.begin(), text.end(), part.begin(), part.end(), alike) != text.end() ||
           part.empty();
}

struct Look {
    ImU32 color = theme::good;
    const char* state = "managed";
};

Look lookOf(const Entity& entity) {
    switch (entity.getState()) {
        case EntityState::Managed:
            if (!entity.isEnabled()) return {theme::dim, "managed, disabled"};
            if (!entity.isActive()) return {theme::dim, "managed, an ancestor is disabled"};
            return {theme::good, "managed"};
        case EntityState::PendingAdd: return {theme::warm, "to be added"};
        case EntityState::PendingRemove: return {theme::warm, "to be removed"};
        case EntityState::Zombie: return {theme::past, "zombie"};
        case EntityState::Detached: return {theme::dim, "detached"};
        default: return {theme::bad, "gone"};
    }
}

}  // namespace

bool EntityPanel::isWanted(const World& world, const EntityRecord& record) const {
    if (contains(WorldCore::of(world).components().strings().text(record.name), search_))
        return true;
    return std::ranges::any_of(record.shape->types(), [&](ComponentTypeId type) {
        return contains(WorldCore::of(world).components().at(type).schema.name, search_);
    });
}

// Lists the matches of a search; without one, the whole forest but for folded parts.
void EntityPanel::gather(const World& world) {
    rows_.clear();
    int depth = 0;
    int hiddenBelow = -1;  // the depth of the folded entity that the walk is inside of
    for (const OrderNode& node : WorldCore::of(world).forest().order.nodes()) {
        const EntityRecord& record = WorldCore::of(world).forest().recordOf(node);
        if (node.closes) {
            --depth;
            if (depth <= hiddenBelow) hiddenBelow = -1;
            continue;
        }
        if (!search_.empty()) {
            if (isWanted(world, record)) rows_.push_back({record.id, 0, false});
        } else if (hiddenBelow < 0) {
            rows_.push_back({record.id, depth, record.hasClosing});
            if (record.hasClosing && collapsed_.contains(record.id.bits())) hiddenBelow = depth;
        }
        if (record.hasClosing) ++depth;
    }
}

void EntityPanel::drawRow(Inspection& inspection, const Row& row, bool isTree) {
    const Entity entity(inspection.world, row.id);
    if (!entity.isValid()) return;
    const Look look = lookOf(entity);
    ImGui::PushID(static_cast<int>(row.id.index));
    const float indent = static_cast<float>(row.depth) * 14.0F;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = ImGui::GetTextLineHeight();
    if (isTree && row.hasChildren) {
        ImGui::SetCursorPosX(ImGui::GetCursorPosX() + indent);
        if (ImGui::InvisibleButton("fold", {14, height})) {
            const std::uint64_t bits = row.id.bits();
            if (collapsed_.erase(bits) == 0) collapsed_.insert(bits);
        }
        const bool isFolded = collapsed_.contains(row.id.bits());
        ImDrawList* list = ImGui::GetWindowDrawList();
        const float x = at.x + indent + 3;
        const float y = at.y + height / 2;
        if (isFolded)
            list->AddTriangleFilled({x, y - 4}, {x + 6, y}, {x, y + 4}, theme::dim);
        else
            list->AddTriangleFilled({x - 1, y - 3}, {x + 7, y - 3}, {x + 3, y + 4}, theme::dim);
        ImGui::SameLine(0, 0);
        ImGui::SetCursorScreenPos({at.x + indent + 14, at.y});
    } else {
        ImGui::SetCursorScreenPos({at.x + indent + (isTree ? 14 : 0), at.y});
    }
    if (ImGui::Selectable("##row", inspection.selected == row.id)) inspection.selected = row.id;
    if (inspection.scrollToSelected && inspection.selected == row.id) {
        ImGui::SetScrollHereY();
        inspection.scrollToSelected = false;
    }
    if (ImGui::IsItemHovered())
        ImGui::SetTooltip("%s\n%s%s", describe(entity).c_str(), look.state,
                          entity.isRewindable() ? "" : "\ntime does not touch it");
    ImDrawList* list = ImGui::GetWindowDrawList();
    float x = at.x + indent + (isTree ? 14.0F : 0.0F);
    const ImVec2 center = {x + 6, at.y + height / 2};
    if (entity.isRewindable())
        list->AddCircleFilled(center, 3.5F, look.color, 12);
    else
        list->AddCircle(center, 3.5F, look.color, 12, 1.5F);
    x += 16;
    const bool isBright = look.color == theme::good;
    list->AddText({x, at.y}, isBright ? theme::text : look.color, entity.getName().c_str());
    x += ImGui::CalcTextSize(entity.getName().c_str()).x + 8;
    char note[64];
    std::snprintf(note, sizeof note, "#%u.%u%s%s", row.id.index, row.id.generation,
                  entity == inspection.world.getMainCharacter() ? "  main character" : "",
                  entity == inspection.world.getMainCamera() ? "  camera" : "");
    list->AddText({x, at.y}, theme::faint, note);
    ImGui::PopID();
}

void EntityPanel::drawRows(Inspection& inspection) {
    if (inspection.scrollToSelected) {
        // The clipper draws only what is in sight: move there first.
        const auto found = std::ranges::find(rows_, inspection.selected, &Row::id);
        if (found != rows_.end()) {
            const float line = ImGui::GetTextLineHeightWithSpacing();
            const float top = static_cast<float>(found - rows_.begin()) * line;
            ImGui::SetScrollY(std::max(0.0F, top - ImGui::GetWindowHeight() / 2));
        }
        inspection.scrollToSelected = false;
    }
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(rows_.size()), ImGui::GetTextLineHeightWithSpacing());
    while (clipper.Step())
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
            drawRow(inspection, rows_[static_cast<std::size_t>(i)], search_.empty());
}

void EntityPanel::drawZombies(Inspection& inspection) {
    const std::vector<Entity> zombies = inspection.world.getZombies();
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(zombies.size()), ImGui::GetTextLineHeightWithSpacing());
    while (clipper.Step())
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
            drawRow(inspection, {zombies[static_cast<std::size_t>(i)].getId(), 0, false}, false);
}

void EntityPanel::draw(Inspection& inspection) {
    const WorldStats stats = inspection.world.getStats();
    ImGui::SetNextItemWidth(-1);
    ImGui::InputTextWithHint("##search", "search by name or component", &search_);
    gather(inspection.world);
    ImGui::TextColored(vectorOf(theme::dim), "%u managed, %u active, %u waiting", stats.managed,
                       stats.active, stats.pending);
    const float rest = ImGui::GetContentRegionAvail().y;
    const float forZombies = stats.zombies == 0 ? 0 : std::min(rest * 0.3F, 170.0F);
    ImGui::BeginChild("forest", {0, rest - forZombies}, false);
    drawRows(inspection);
    ImGui::EndChild();
    if (stats.zombies == 0) return;
    ImGui::Separator();
    ImGui::TextColored(vectorOf(theme::past), "%u zombies", stats.zombies);
    ImGui::SameLine();
    ImGui::TextColored(vectorOf(theme::dim), "kept by the references to them");
    ImGui::BeginChild("zombies", {0, 0}, false);
    drawZombies(inspection);
    ImGui::EndChild();
}

}  // namespace revenant::game
