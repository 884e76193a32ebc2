// State that is no component's bytes: of hooks, systems and resources; taken, compared, put back.
#include <algorithm>
#include <cstring>

#include "world/codec/value_bytes.hpp"
#include "rewind/record/recorder.hpp"
#include "rewind/record/state_hash.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

StateKey Recorder::nameKey(char kind, const std::string& name) {
    const std::string full = kind + name;
    auto found = std::ranges::find(stateNames_, full);
    if (found == stateNames_.end()) found = stateNames_.insert(stateNames_.end(), full);
    return {{}, static_cast<std::uint32_t>(found - stateNames_.begin())};
}

std::optional<StateKey> Recorder::findSystemKey(const std::string& name) const {
    auto found = std::ranges::find(stateNames_, 's' + name);
    if (found == stateNames_.end()) return std::nullopt;
    return StateKey{{}, static_cast<std::uint32_t>(found - stateNames_.begin())};
}

// Compares the states that hooks and names give with those of the last frame.
void Recorder::takeStates(Delta& delta) {
    const auto types = static_cast<ComponentTypeId>(world_.components().count());
    for (ComponentTypeId id = 0; id < types; ++id) {
        const ComponentType& type = world_.components().at(id);
        if (!type.hooks || !type.hooks->isRewound()) continue;
        shadow_.forTracked(type, [&](std::uint32_t owner, const std::byte* slot) {
            if (!type.hooks->hasRewindState(slot)) return;
            const EntityId entity = world_.forest().pool.at(owner).id;
            scratch_.clear();
            type.hooks->getRewindState(entity, slot, scratch_);
            noteState({entity, id}, scratch_, delta);
        });
    }
    for (const auto& system : world_.getSystems())
        if (hasState(*system)) {
            std::vector<std::byte> state;
            getState(*system, state);
            noteState(nameKey('s', system->getName()), std::move(state), delta);
        }
    if (resourcesAsOf_ == world_.resources().rewindVersion()) return;
    resourcesAsOf_ = world_.resources().rewindVersion();
    resourcesHash_ = resourcesHash(world_);
    for (const auto& [name, resource] : world_.resources().all())
        if (const auto* value = std::any_cast<Value>(&resource.value); value && resource.rewind) {
            world_.components().noteEntityFields();
            std::vector<std::byte> state;
            appendValue(state, *value);
            noteState(nameKey('r', name), std::move(state), delta);
        }
    for (const auto& [key, state] : states_) {
        if (!key.id.isNull() || stateNames_[key.what][0] != 'r') continue;
        const auto* resource = world_.resources().find(stateNames_[key.what].substr(1));
        if (!resource || !resource->rewind) delta.states.push_back({key, state, {}});
    }
}

void Recorder::noteState(const StateKey& key, const std::vector<std::byte>& state, Delta& delta) {
    auto known = states_.find(key);
    if (known == states_.end())
        delta.states.push_back({key, {}, state});
    else if (known->second != state)
        delta.states.push_back({key, known->second, state});
}

std::uint64_t Recorder::hashOf(const StateKey& key, std::span<const std::byte> state) const {
    if (!key.id.isNull()) {
        const ComponentType& type = world_.components().at(static_cast<ComponentTypeId>(key.what));
        // A tool may have opened a history without having its hooks.
        if (!type.hooks) return 0;
        return hookedHash(type, world_.forest().pool.at(key.id.index).serial, state);
    }
    const std::string& name = stateNames_[key.what];
    return name[0] == 's' ? systemHash(name.substr(1), state) : 0;
}

void Recorder::setState(const StateKey& key, const State& state) {
    auto found = states_.find(key);
    if (found != states_.end()) {
        stateSum_ -= hashOf(key, found->second);
        stateBytes_ -= found->second.capacity();
    }
    if (!state) {
        if (found != states_.end()) states_.erase(found);
        return;
    }
    stateSum_ += hashOf(key, *state);
    stateBytes_ += state->size();
    states_.insert_or_assign(key, *state);
}

void Recorder::applyState(const StateKey& key, const State& state) {
    if (!key.id.isNull()) {
        EntityRecord* record = find(key.id);
        ComponentType& type = world_.components().at(static_cast<ComponentTypeId>(key.what));
        std::byte* slot = record && record->managed ? record->slotOf(type.id) : nullptr;
        if (slot && state && type.hooks) type.hooks->restoreRewindState(key.id, slot, *state);
        return;
    }
    const std::string name = stateNames_[key.what].substr(1);
    if (stateNames_[key.what][0] == 'r') {
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

void Recorder::giveStates(const std::vector<StateKey>& keys) {
    for (const StateKey& key : keys)
        if (auto found = states_.find(key); found != states_.end()) applyState(key, found->second);
}

void Recorder::restoreStates() {
    auto target = [this](const StateKey& key) {
        auto found = states_.find(key);
        return found == states_.end() ? State() : State(found->second);
    };
    std::vector<StateKey> given;
    try {
        for (const auto& [key, had] : restored_) {
            const State wanted = target(key);
            if (wanted == had) continue;
            given.push_back(key);
            applyState(key, wanted);
        }
    } catch (...) {
        // The caller takes the world back; those that were given another state get theirs.
        for (const StateKey& key : given) {
            try {
                applyState(key, restored_.at(key));
            } catch (...) {  // it has failed before, and what it was is not known any better
                continue;
            }
        }
        throw;
    }
    restored_.clear();
    resourcesAsOf_ = world_.resources().rewindVersion();
    resourcesHash_ = resourcesHash(world_);
}

}  // namespace revenant
