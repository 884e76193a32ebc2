// The part of TimeRewindSys that shows states between two frames.
#include <exception>
#include <utility>

#include "rewind/record/recorder.hpp"
#include "rewind/record/state_hash.hpp"
#include "rewind/time_rewind_parts.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

const std::byte* TimeRewindSys::getDisplay(Entity entity, std::string_view component) const {
    WorldCore& world = core();
    const EntityRecord& record = world.requireRecord(entity, "getDisplay");
    const ComponentType& type = world.components().require(component);
    const std::byte* blended = display_.find(record.id.index, type.id);
    return blended ? blended : record.slotOf(type.id);
}

std::optional<std::vector<std::byte>> TimeRewindSys::getDisplayState(
    Entity entity, std::string_view component) const {
    WorldCore& world = core();
    const EntityRecord& record = world.requireRecord(entity, "getDisplayState");
    const ComponentType& type = world.components().require(component);
    const std::byte* slot = record.slotOf(type.id);
    const auto* states = display_.findStates({record.id, type.id});
    if (!type.hooks || !slot || !states) return std::nullopt;
    const auto [now, next] = *states;  // a hook may do anything, even move time
    std::vector<std::byte> between;
    if (!type.hooks->lerpRewindState(record.id, slot, now, next, blendPart_, between))
        return std::nullopt;
    return between;
}

std::optional<std::vector<std::byte>> TimeRewindSys::getDisplayState(System& system) const {
    const auto key = recorder_.states().findSystemKey(system.getName());
    const auto* states = key ? display_.findStates(*key) : nullptr;
    if (!states || !system.hasRewindState()) return std::nullopt;
    const auto [now, next] = *states;
    std::vector<std::byte> between;
    if (!system.lerpRewindState(hookedPart(now), hookedPart(next), blendPart_, between))
        return std::nullopt;
    return between;
}

// Has hooks move their objects to where they are between two frames.
void TimeRewindSys::applyBlend() {
    if (!appliesBlend_ || blendPart_ <= 0) return;
    const TickScope tick(core());
    const WorkScope scope(*this);
    std::vector<std::byte> unused;
    const auto states = display_.states();  // a hook may do anything
    for (const auto& [key, pair] : states) {
        unused.clear();
        applied_.push_back(key);
        try {
            if (!key.id.isNull()) {
                const ComponentType& type =
                    core().components().at(static_cast<ComponentTypeId>(key.what));
                const EntityRecord* record = core().forest().pool.find(key.id);
                const std::byte* slot = record ? record->slotOf(type.id) : nullptr;
                if (type.hooks && slot)
                    type.hooks->lerpRewindState(key.id, slot, pair.first, pair.second, blendPart_,
                                                unused);
            } else if (key == requestsKey) {
                continue;
            } else if (System* system =
                           getWorld().getSystem(recorder_.states().names()[key.what].substr(1));
                       system && system->hasRewindState()) {
                system->lerpRewindState(hookedPart(pair.first), hookedPart(pair.second), blendPart_,
                                        unused);
            }
        } catch (...) {
            core().reconciler().heldErrors().add(std::current_exception());
        }
    }
}

// Gives the hooks the state of the frame back.
void TimeRewindSys::unapplyBlend() {
    const auto keys = std::exchange(applied_, {});
    if (!keys.empty()) recorder_.states().give(keys);
}

}  // namespace revenant
