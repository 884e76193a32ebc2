#include "game/inspector/field_editor.hpp"

#include <imgui_stdlib.h>

#include <cmath>

namespace revenant::game {

namespace {

// Draws a widget for one value. Returns whether the user changed it.
bool editNumber(const Field& field, double& number) {
    const double speed = std::max(0.05, std::abs(number) * 0.005);
    auto value = static_cast<float>(number);
    if (field.type == FieldType::F64)
        return ImGui::DragScalar("##value", ImGuiDataType_Double, &number,
                                 static_cast<float>(speed), nullptr, nullptr, "%.4f");
    if (!ImGui::DragFloat("##value", &value, static_cast<float>(speed), 0, 0, "%.3f")) return false;
    number = value;
    return true;
}

bool editWhole(const Field& field, std::int64_t& whole) {
    static constexpr std::int64_t zero = 0;
    static constexpr std::int64_t most8 = UINT8_MAX;
    static constexpr std::int64_t most32 = UINT32_MAX;
    static constexpr std::int64_t least = INT32_MIN;
    static constexpr std::int64_t most = INT32_MAX;
    const std::int64_t* low = nullptr;
    const std::int64_t* high = nullptr;
    if (field.type == FieldType::U8) low = &zero, high = &most8;
    if (field.type == FieldType::U32) low = &zero, high = &most32;
    if (field.type == FieldType::I32) low = &least, high = &most;
    return ImGui::DragScalar("##value", ImGuiDataType_S64, &whole, 0.1F, low, high, "%lld",
                             ImGuiSliderFlags_AlwaysClamp);
}

bool editValue(Inspection& inspection, const Field& field, Value& value) {
    ImGui::SetNextItemWidth(-1);
    if (const auto* flag = value.as<bool>()) {
        bool isOn = *flag;
        if (!ImGui::Checkbox("##value", &isOn)) return false;
        value = isOn;
        return true;
    }
    if (const auto* id = value.as<EntityId>()) {
        const std::string text = entityText(inspection.world, *id);
        if (ImGui::Selectable(text.c_str()) && Entity(inspection.world, *id).isValid())
            inspection.select(*id);
        return false;
    }
    if (const auto* text = value.as<std::string>()) {
        std::string edited = *text;
        if (!ImGui::InputText("##value", &edited, ImGuiInputTextFlags_EnterReturnsTrue))
            return false;
        value = edited;
        return true;
    }
    if (const auto* whole = value.as<std::int64_t>()) {
        std::int64_t edited = *whole;
        if (!editWhole(field, edited)) return false;
        value = edited;
        return true;
    }
    if (const auto* number = value.as<double>()) {
        double edited = *number;
        if (!editNumber(field, edited)) return false;
        value = edited;
        return true;
    }
    ImGui::TextDisabled("none");
    return false;
}

bool editArray(Inspection& inspection, const Field& field, Value& value) {
    const auto* values = value.as<ValueArray>();
    if (!values) return false;
    char label[32];
    std::snprintf(label, sizeof label, "%zu values", values->size());
    if (!ImGui::TreeNodeEx("##array", ImGuiTreeNodeFlags_SpanAvailWidth, "%s", label)) return false;
    bool isChanged = false;
    ValueArray edited = *values;
    for (std::size_t i = 0; i < edited.size(); ++i) {
        ImGui::PushID(static_cast<int>(i));
        isChanged = editValue(inspection, field, edited[i]) || isChanged;
        ImGui::PopID();
    }
    ImGui::TreePop();
    if (isChanged) value = edited;
    return isChanged;
}

}  // namespace

std::string entityText(World& world, EntityId id) {
    if (id == EntityId{}) return "none";
    const Entity entity(world, id);
    if (!entity.isValid()) return sentence("gone (#", id.index, ".", id.generation, ")");
    return sentence(entity.getName(), " (#", id.index, ".", id.generation, ")");
}

void editField(Inspection& inspection, Entity entity, const std::string& component,
               const Field& field) {
    Value value = entity.getField(component, field.name);
    ImGui::PushID(field.name.c_str());
    const bool isChanged =
        field.isArray ? editArray(inspection, field, value) : editValue(inspection, field, value);
    ImGui::PopID();
    if (isChanged) inspection.attempt([&] { entity.setField(component, field.name, value); });
}

}  // namespace revenant::game
