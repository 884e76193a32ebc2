#include "game/inspector/map_panel.hpp"

#include "world/core/world_core.hpp"

#include <imgui.h>

#include <algorithm>
#include <cmath>

namespace revenant::game {

namespace {

// Two fields of numbers that a component has, say x and y.
struct Pair {
    const ComponentType* type = nullptr;
    const Field* first = nullptr;
    const Field* second = nullptr;
};

bool isNumber(const Field* field) {
    return field && !field->isArray &&
           (field->type == FieldType::F32 || field->type == FieldType::F64 ||
            field->type == FieldType::I32);
}

float numberOf(const World& world, const Field& field, const std::byte* component) {
    const Value value = readField(WorldCore::of(world).components().strings(), field, component);
    if (const auto* number = value.as<double>()) return static_cast<float>(*number);
    if (const auto* whole = value.as<std::int64_t>()) return static_cast<float>(*whole);
    return 0;
}

// The first component that has both fields, preferably one whose name sounds like a place.
Pair findPair(const World& world, const char* first, const char* second) {
    Pair found;
    for (std::size_t i = 0; i < WorldCore::of(world).components().count(); ++i) {
        const ComponentType& type =
            WorldCore::of(world).components().at(static_cast<ComponentTypeId>(i));
        const Field* one = type.schema.findField(first);
        const Field* other = type.schema.findField(second);
        if (!isNumber(one) || !isNumber(other)) continue;
        const bool isPlace = type.schema.name.find("ransform") != std::string::npos ||
                             type.schema.name.find("osition") != std::string::npos;
        if (!found.type || isPlace) found = {&type, one, other};
        if (isPlace) break;
    }
    return found;
}

}  // namespace

void MapPanel::gather(World& world) {
    spots_.clear();
    const Pair place = findPair(world, "x", "y");
    const Pair size = findPair(world, "w", "h");
    if (!place.type) return;
    world.forEachManaged([&](Entity entity) {
        const EntityRecord& record = WorldCore::of(world).requireRecord(entity, "inspector");
        const std::byte* at = record.slotOf(place.type->id);
        if (!at) return;
        Spot spot{entity.getId(), entity.getName(), numberOf(world, *place.first, at),
                  numberOf(world, *place.second, at)};
        if (const std::byte* box = size.type ? record.slotOf(size.type->id) : nullptr) {
            spot.width = numberOf(world, *size.first, box);
            spot.height = numberOf(world, *size.second, box);
        }
        if (std::isfinite(spot.x) && std::isfinite(spot.y)) spots_.push_back(std::move(spot));
    });
}

void MapPanel::widen() {
    for (const Spot& spot : spots_) {
        if (!isKnown_) {
            left_ = right_ = spot.x;
            top_ = bottom_ = spot.y;
            isKnown_ = true;
        }
        left_ = std::min(left_, spot.x);
        top_ = std::min(top_, spot.y);
        right_ = std::max(right_, spot.x + spot.width);
        bottom_ = std::max(bottom_, spot.y + spot.height);
    }
}

MapPanel::Projection MapPanel::fit(const Inspection& inspection, float width, float height) {
    constexpr float margin = 24;
    const auto selected = std::ranges::find(spots_, inspection.selected, &Spot::id);
    if (isWhole_ || selected == spots_.end()) {
        const float scale = std::min((width - 2 * margin) / std::max(right_ - left_, 1.0F),
                                     (height - 2 * margin) / std::max(bottom_ - top_, 1.0F));
        return {(width - (right_ - left_) * scale) / 2 - left_ * scale,
                (height - (bottom_ - top_) * scale) / 2 - top_ * scale, scale};
    }
    const float scale = width / unitsWide_;
    return {width / 2 - (selected->x + selected->width / 2) * scale,
            height / 2 - (selected->y + selected->height / 2) * scale, scale};
}

void MapPanel::draw(Inspection& inspection) {
    gather(inspection.world);
    widen();
    ImGui::Checkbox("the whole world", &isWhole_);
    ImGui::SameLine();
    ImGui::TextDisabled("the wheel zooms");
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const ImVec2 room = ImGui::GetContentRegionAvail();
    if (room.x < 20 || room.y < 20) return;
    ImGui::InvisibleButton("map", room);
    const bool isHovered = ImGui::IsItemHovered();
    if (isHovered)
        unitsWide_ =
            std::clamp(unitsWide_ * std::pow(0.85F, ImGui::GetIO().MouseWheel), 40.0F, 100000.0F);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(corner, {corner.x + room.x, corner.y + room.y}, theme::sunken, 3);
    if (!isKnown_) {
        list.AddText({corner.x + 12, corner.y + 10}, theme::dim, "No entity here has a position.");
        return;
    }
    const Projection plan = fit(inspection, room.x, room.y);
    list.PushClipRect(corner, {corner.x + room.x, corner.y + room.y}, true);
    const auto onScreen = [&](float x, float y) {
        return ImVec2{corner.x + plan.x + x * plan.scale, corner.y + plan.y + y * plan.scale};
    };
    list.AddRect(onScreen(left_ - 8, top_ - 8), onScreen(right_ + 8, bottom_ + 8), theme::line);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    ImVec2 labelled = {-1000, 0};  // where the last name ends: the next may not run into it
    for (const Spot& spot : spots_) {
        const ImVec2 from = onScreen(spot.x, spot.y);
        const ImVec2 to = {from.x + std::max(spot.width * plan.scale, 4.0F),
                           from.y + std::max(spot.height * plan.scale, 4.0F)};
        const ImU32 color = colorOfName(spot.name.c_str());
        const bool isSelected = spot.id == inspection.selected;
        list.AddRectFilled(from, to, (color & ~IM_COL32_A_MASK) | (120U << IM_COL32_A_SHIFT), 1);
        list.AddRect(from, to, isSelected ? theme::text : color, 1, 0, isSelected ? 2.0F : 1.0F);
        const bool isCrowded =
            std::abs(from.y - labelled.y) < 14 && std::abs(from.x - labelled.x) < 60;
        if (isSelected || (!isWhole_ && !isCrowded && spot.width * plan.scale > 14)) {
            list.AddText({from.x, from.y - 17}, isSelected ? theme::text : theme::dim,
                         spot.name.c_str());
            labelled = from;
        }
        if (!isHovered || mouse.x < from.x - 2 || mouse.y < from.y - 2 || mouse.x > to.x + 2 ||
            mouse.y > to.y + 2)
            continue;
        ImGui::SetTooltip("%s at %.1f, %.1f", spot.name.c_str(), static_cast<double>(spot.x),
                          static_cast<double>(spot.y));
        if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) inspection.select(spot.id);
    }
    list.PopClipRect();
}

}  // namespace revenant::game
