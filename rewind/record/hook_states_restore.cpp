// The way back of HookStates: gives hooks, systems and resources the states of the current frame.
#include <algorithm>
#include <cstring>
#include <utility>

#include "rewind/record/hook_states.hpp"
#include "rewind/record/state_hash.hpp"
#include "world/codec/value_bytes.hpp"
#include "world/core/world_core.hpp"
#include "world/outside_hooks.hpp"

namespace revenant {

void HookStates::apply(const StateKey& key, const State& state) {
    if (!key.id.isNull()) {
        EntityRecord* record = known_.find(key.id);
        if (record && state && record->managed != state.isOut()) put(key, *record, *state);
        return;
    }
    if (key == requestsKey) return;  // until play resumes: WaitingRequests::askAgain
    const std::string name = names_[key.what].substr(1);
    if (names_[key.what][0] == 'r') {
        if (state)
            world_.resources().set(name, readValue(*state), {.rewind = true});
        else
            world_.resources().remove(name);
        return;
    }
    System* system = world_.systems().find(name);
    double seconds = 0;
    if (!system || !state || state->size() < sizeof seconds) return;
    std::memcpy(&seconds, state->data(), sizeof seconds);
    system->setAccumulatedSeconds(seconds);
    if (system->hasRewindState()) system->restoreRewindState(hookedPart(*state));
}

// Gives a component's hook its bytes, wherever the entity is.
void HookStates::put(const StateKey& key, EntityRecord& record, std::span<const std::byte> state) {
    ComponentType& type = world_.components().at(static_cast<ComponentTypeId>(key.what));
    std::byte* slot = record.slotOf(type.id);
    if (!slot || !type.hooks) return;
    if (record.managed)
        type.hooks->restoreRewindState(key.id, slot, state);
    else if (auto* outside = dynamic_cast<OutsideHooks*>(type.hooks.get()))
        outside->restoreOutsideState(key.id, slot, state);
}

// The entity may not be where it was when the hook had that state.
void HookStates::giveBack(const StateKey& key, const State& state) {
    EntityRecord* record = known_.find(key.id);
    if (record && state)
        put(key, *record, *state);
    else
        apply(key, state);
}

void HookStates::give(const std::vector<StateKey>& keys) {
    for (const StateKey& key : keys)
        if (const auto* entry = table_.find(key)) apply(key, entry->state());
}

void HookStates::tellStateless() {
    for (const StateKey& key : std::exchange(stateless_, {})) {
        ComponentType& type = world_.components().at(static_cast<ComponentTypeId>(key.what));
        const EntityRecord* record = known_.find(key.id);
        const std::byte* slot = record ? record->slotOf(type.id) : nullptr;
        if (slot && type.hooks) type.hooks->noteBound(key.id, slot);
    }
}

HookStates::Leaving HookStates::noteLeaving(std::vector<EntityId> ids) const {
    Leaving leaving;
    for (const EntityId id : ids)
        if (const EntityRecord* record = known_.find(id))
            for (const ComponentTypeId type : record->shape->types())
                if (const auto* entry = table_.peek({id, type}))
                    leaving.states.emplace(entry->key, entry->state());
    leaving.ids = std::move(ids);
    return leaving;
}

void HookStates::restore(const Leaving& leaving) {
    auto target = [&](const StateKey& key) {
        if (!key.id.isNull() && std::ranges::binary_search(leaving.ids, key.id)) {
            const auto found = leaving.states.find(key);
            return found == leaving.states.end() ? State() : found->second;
        }
        const auto* entry = table_.find(key);
        return entry ? entry->state() : State();
    };
    tellStateless();
    for (const StateKey& key : bound_) given_.try_emplace(key);
    std::vector<StateKey> applied;
    try {
        for (const auto& [key, had] : given_) {
            const State wanted = target(key);
            const bool isBound = bound_.contains(key);
            if (wanted == had && !isBound) continue;
            // What was bound is bound anew on the way back.
            if (!isBound) applied.push_back(key);
            apply(key, wanted);
        }
    } catch (...) {
        for (const StateKey& key : applied) {
            try {
                giveBack(key, given_.at(key));
            } catch (...) {  // it has failed before, and what it was is not known any better
                continue;
            }
        }
        throw;
    }
    given_.clear();
    bound_.clear();
    resourcesAsOf_ = world_.resources().rewindVersion();
    resourcesHash_ = revenant::resourcesHash(world_);
}

}  // namespace revenant
