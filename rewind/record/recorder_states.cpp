// State that is no component's bytes: of hooks, systems and resources; taken, compared, put back.
#include <algorithm>
#include <cstring>
#include <utility>

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
    struct Noter final : StateSink {
        Recorder& recorder;
        Delta& delta;
        const std::vector<HookedComponent>& hooked;
        ComponentTypeId type;

        Noter(Recorder& of, Delta& into, const std::vector<HookedComponent>& list,
              ComponentTypeId id)
            : recorder(of), delta(into), hooked(list), type(id) {}
        void take(std::size_t place, std::span<const std::byte> state) override {
            recorder.noteState({hooked[place].owner, type}, state, delta);
        }
    };
    std::vector<HookedComponent> hooked = std::exchange(hooked_, {});  // for its memory
    const auto types = static_cast<ComponentTypeId>(world_.components().count());
    for (ComponentTypeId id = 0; id < types; ++id) {
        const ComponentType& type = world_.components().at(id);
        if (!type.hooks || !type.hooks->isRewound()) continue;
        hooked.clear();
        shadow_.forTracked(type, [&](std::uint32_t owner, const std::byte* slot) {
            if (type.hooks->hasRewindState(slot))
                hooked.push_back({world_.forest().pool.at(owner).id, slot});
        });
        Noter noter(*this, delta, hooked, id);
        type.hooks->getRewindStates(hooked, noter);
    }
    hooked_ = std::move(hooked);
    for (const auto& system : world_.getSystems())
        if (hasState(*system)) {
            std::vector<std::byte> state;
            getState(*system, state);
            noteState(nameKey('s', system->getName()), state, delta);
        }
    if (resourcesAsOf_ == world_.resources().rewindVersion()) return;
    resourcesAsOf_ = world_.resources().rewindVersion();
    resourcesHash_ = resourcesHash(world_);
    for (const auto& [name, resource] : world_.resources().all())
        if (const auto* value = std::any_cast<Value>(&resource.value); value && resource.rewind) {
            world_.components().noteEntityFields();
            std::vector<std::byte> state;
            appendValue(state, *value);
            noteState(nameKey('r', name), state, delta);
        }
    const std::size_t first = delta.states.size();
    for (const auto& [key, hash, bytes] : states_.entries()) {
        if (!key.id.isNull() || key == requestsKey || stateNames_[key.what][0] != 'r') continue;
        const auto* resource = world_.resources().find(stateNames_[key.what].substr(1));
        if (!resource || !resource->rewind) delta.states.push_back({key, bytes, {}});
    }
    std::sort(delta.states.begin() + static_cast<std::ptrdiff_t>(first), delta.states.end(),
              [](const StateChange& a, const StateChange& b) { return a.key < b.key; });
}

void Recorder::noteState(const StateKey& key, std::span<const std::byte> state, Delta& delta) {
    const StateTable::Entry* known = states_.find(key);
    if (known && known->bytes.size() == state.size() &&
        (state.empty() || std::memcmp(known->bytes.data(), state.data(), state.size()) == 0))
        return;
    StateChange& change = delta.states.emplace_back();
    change.key = key;
    change.after.emplace(state.begin(), state.end());
}

std::uint64_t Recorder::hashOf(const StateKey& key, std::span<const std::byte> state) const {
    if (!key.id.isNull()) {
        const ComponentType& type = world_.components().at(static_cast<ComponentTypeId>(key.what));
        // A tool may have opened a history without having its hooks.
        if (!type.hooks) return 0;
        return hookedHash(type, world_.forest().pool.at(key.id.index).serial, state);
    }
    if (key == requestsKey) return 0;
    const std::string& name = stateNames_[key.what];
    return name[0] == 's' ? systemHash(name.substr(1), state) : 0;
}

State Recorder::setState(const StateKey& key, const State& state) {
    State had;
    StateTable::Entry* entry = states_.find(key);
    if (!entry && !state) return had;
    std::vector<std::byte> bytes = state.value_or(std::vector<std::byte>());
    const std::uint64_t hash = state ? hashOf(key, bytes) : 0;
    if (entry) {
        stateSum_ -= entry->hash;
        stateBytes_ -= entry->bytes.size();
        had = std::move(entry->bytes);
    } else {
        entry = &states_.put(key);
    }
    stateSum_ += hash;
    stateBytes_ += bytes.size();
    entry->hash = hash;
    entry->bytes = std::move(bytes);
    if (!state) states_.erase(key);
    return had;
}

void Recorder::applyState(const StateKey& key, const State& state) {
    if (!key.id.isNull()) {
        EntityRecord* record = find(key.id);
        ComponentType& type = world_.components().at(static_cast<ComponentTypeId>(key.what));
        std::byte* slot = record && record->managed ? record->slotOf(type.id) : nullptr;
        if (slot && state && type.hooks) type.hooks->restoreRewindState(key.id, slot, *state);
        return;
    }
    if (key == requestsKey) return;  // until play resumes: askAgain
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
        if (const auto* entry = states_.find(key)) applyState(key, State(entry->bytes));
}

void Recorder::restoreStates() {
    auto target = [this](const StateKey& key) {
        const auto* entry = states_.find(key);
        return entry ? State(entry->bytes) : State();
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
