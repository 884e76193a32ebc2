#include "game/inspector/component_panel.hpp"

#include <imgui.h>

#include "game/inspector/field_editor.hpp"
#include "world/core/world_core.hpp"

namespace revenant::game {

void ComponentPanel::drawHead(Inspection& inspection, Entity entity) {
    ImGui::TextUnformatted(entity.getName().c_str());
    ImGui::SameLine();
    ImGui::TextDisabled("#%u.%u", entity.getId().index, entity.getId().generation);
    const std::string state(nameOf(entity.getState()));
    ImGui::TextColored(
        vectorOf(entity.getState() == EntityState::Zombie ? theme::past : theme::good), "%s",
        state.c_str());
    ImGui::SameLine();
    ImGui::TextDisabled("%s%s", entity.isActive() ? "active" : "not active",
                        entity.isDirty() ? ", a change is waiting" : "");
    bool isEnabled = entity.isEnabled();
    if (ImGui::Checkbox("enabled", &isEnabled))
        inspection.attempt([&] { entity.setEnabled(isEnabled); });
    ImGui::SameLine();
    bool isRewindable = entity.isRewindable();
    if (ImGui::Checkbox("rewindable", &isRewindable))
        inspection.attempt([&] { entity.setRewindable(isRewindable); });
    if (const Entity parent = entity.getParent(); parent.isValid()) {
        ImGui::TextDisabled("child of");
        ImGui::SameLine();
        if (ImGui::SmallButton(parent.getName().c_str())) inspection.select(parent.getId());
    }
    const auto children = entity.getChildren();
    if (!children.empty()) {
        ImGui::TextDisabled("parent of");
        for (std::size_t i = 0; i < children.size() && i < 4; ++i) {
            ImGui::SameLine();
            ImGui::PushID(static_cast<int>(i));
            if (ImGui::SmallButton(children[i].getName().c_str()))
                inspection.select(children[i].getId());
            ImGui::PopID();
        }
        if (children.size() > 4) {
            ImGui::SameLine();
            ImGui::TextDisabled("and %zu more", children.size() - 4);
        }
    }
}

void ComponentPanel::drawReferences(Inspection& inspection, Entity entity) {
    const References of = entity.getReferences();
    char title[64];
    std::snprintf(title, sizeof title, "%llu reference%s###references",
                  static_cast<unsigned long long>(entity.getRefCount()),
                  entity.getRefCount() == 1 ? "" : "s");
    if (!ImGui::CollapsingHeader(title, ImGuiTreeNodeFlags_DefaultOpen)) return;
    if (!ImGui::BeginTable("holders", 2, ImGuiTableFlags_SizingStretchProp)) return;
    const auto row = [](const char* who, unsigned long long count, const char* hint) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::TextDisabled("%s", who);
        if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", hint);
        ImGui::TableNextColumn();
        ImGui::Text("%llu", count);
    };
    row("users", of.users, "retain and release, by the game or by C++");
    row("history", of.histories, "one, as long as any kept frame could bring it back");
    for (Entity at = entity.getParent(); at.isValid(); at = at.getParent()) {
        const References above = at.getReferences();
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::PushID(static_cast<int>(at.getId().index));
        if (ImGui::SmallButton(at.getName().c_str())) inspection.select(at.getId());
        ImGui::PopID();
        ImGui::SameLine();
        ImGui::TextDisabled("above it");
        ImGui::TableNextColumn();
        ImGui::Text("%u", above.users + above.histories);
        ImGui::SameLine();
        ImGui::TextDisabled("(%u users, %u history)", above.users, above.histories);
    }
    row("held by Lua values", of.holds, "they keep it only while it is detached");
    ImGui::EndTable();
}

void ComponentPanel::drawComponent(Inspection& inspection, Entity entity, const std::string& name) {
    const ComponentType& type = WorldCore::of(inspection.world).components().require(name);
    ImGui::PushID(name.c_str());
    bool isOn = entity.isComponentEnabled(name);
    if (ImGui::Checkbox("##on", &isOn))
        inspection.attempt([&] { entity.setComponentEnabled(name, isOn); });
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("to views, a disabled component is absent");
    ImGui::SameLine();
    const bool isOpen = ImGui::CollapsingHeader(name.c_str(), ImGuiTreeNodeFlags_DefaultOpen);
    if (isOpen && type.hooks) {
        std::vector<std::byte> state;
        inspection.attempt([&] {
            const EntityRecord& record =
                WorldCore::of(inspection.world).requireRecord(entity, "inspector");
            type.hooks->getRewindState(entity.getId(), record.slotOf(type.id), state);
        });
        ImGui::TextDisabled("a table of a script's own, %zu bytes as the history sees it",
                            state.size());
    } else if (isOpen && type.schema.fields.empty()) {
        ImGui::TextDisabled("no fields");
    } else if (isOpen && ImGui::BeginTable("fields", 2, ImGuiTableFlags_SizingFixedFit)) {
        ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed, 110);
        ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
        for (const Field& field : type.schema.fields) {
            ImGui::TableNextRow();
            ImGui::TableNextColumn();
            ImGui::AlignTextToFramePadding();
            ImGui::TextDisabled("%s", field.name.c_str());
            if (ImGui::IsItemHovered())
                ImGui::SetTooltip("%s", std::string(nameOf(field.type)).c_str());
            ImGui::TableNextColumn();
            editField(inspection, entity, name, field);
        }
        ImGui::EndTable();
    }
    ImGui::PopID();
}

void ComponentPanel::draw(Inspection& inspection) {
    const Entity entity(inspection.world, inspection.selected);
    if (inspection.selected == EntityId{}) {
        ImGui::TextDisabled("Select an entity to see what it is made of.");
        return;
    }
    if (!entity.isValid()) {
        ImGui::TextDisabled("#%u.%u is %s.", inspection.selected.index,
                            inspection.selected.generation,
                            std::string(nameOf(entity.getState())).c_str());
        return;
    }
    drawHead(inspection, entity);
    ImGui::Spacing();
    drawReferences(inspection, entity);
    for (const std::string& name : entity.getComponentNames())
        drawComponent(inspection, entity, name);
}

}  // namespace revenant::game
