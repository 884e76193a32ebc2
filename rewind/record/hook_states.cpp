#include "rewind/record/hook_states.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "rewind/record/state_hash.hpp"
#include "world/codec/value_bytes.hpp"
#include "world/core/world_core.hpp"
#include "world/outside_hooks.hpp"

namespace revenant {

StateKey HookStates::keyOf(char kind, const std::string& name) {
    const std::string full = kind + name;
    auto found = std::ranges::find(names_, full);
    if (found == names_.end()) found = names_.insert(names_.end(), full);
    return {{}, static_cast<std::uint32_t>(found - names_.begin())};
}

std::optional<StateKey> HookStates::findSystemKey(const std::string& name) const {
    auto found = std::ranges::find(names_, 's' + name);
    if (found == names_.end()) return std::nullopt;
    return StateKey{{}, static_cast<std::uint32_t>(found - names_.begin())};
}

const StateBytes* HookStates::find(const StateKey& key) const noexcept {
    const StateTable::Entry* entry = table_.peek(key);
    return entry ? &entry->bytes : nullptr;
}

std::vector<StateChange> HookStates::all() const {
    std::vector<StateChange> changes;
    for (const StateTable::Entry* entry : table_.sorted())
        if (!entry->isOut || known_.find(entry->key.id))
            changes.push_back({entry->key, {}, entry->state()});
    return changes;
}

void HookStates::take(std::vector<StateChange>& changes) {
    takeComponents(changes);
    for (const auto& system : world_.getSystems())
        if (hasState(*system)) {
            std::vector<std::byte> state;
            getState(*system, state);
            note(keyOf('s', system->getName()), state, changes);
        }
}

void HookStates::takeComponents(std::vector<StateChange>& changes) {
    struct Noter final : StateSink {
        HookStates& states;
        std::vector<StateChange>& changes;
        const std::vector<HookedComponent>& hooked;
        ComponentTypeId type;

        Noter(HookStates& of, std::vector<StateChange>& into,
              const std::vector<HookedComponent>& list, ComponentTypeId id)
            : states(of), changes(into), hooked(list), type(id) {}
        void take(std::size_t place, std::span<const std::byte> state) override {
            states.note({hooked[place].owner, type}, state, changes);
        }
    };
    std::vector<HookedComponent> hooked = std::exchange(hooked_, {});
    const auto types = static_cast<ComponentTypeId>(world_.components().count());
    for (ComponentTypeId id = 0; id < types; ++id) {
        const ComponentType& type = world_.components().at(id);
        if (!type.hooks || !type.hooks->isRewound()) continue;
        hooked.clear();
        shadow_.forTracked(type, [&](std::uint32_t owner, const std::byte* slot) {
            if (type.hooks->hasRewindState(slot))
                hooked.push_back({world_.forest().pool.at(owner).id, slot});
        });
        Noter noter(*this, changes, hooked, id);
        type.hooks->getRewindStates(hooked, noter);
    }
    hooked_ = std::move(hooked);
}

void HookStates::takeResources(std::vector<StateChange>& changes) {
    if (resourcesAsOf_ == world_.resources().rewindVersion()) return;
    for (const auto& [name, resource] : world_.resources().all())
        if (const auto* value = std::any_cast<Value>(&resource.value); value && resource.rewind) {
            world_.components().noteEntityFields();
            std::vector<std::byte> state;
            appendValue(state, *value);
            note(keyOf('r', name), state, changes);
        }
    const std::size_t first = changes.size();
    for (const StateTable::Entry& entry : table_.entries()) {
        const StateKey& key = entry.key;
        if (!key.id.isNull() || key == requestsKey || names_[key.what][0] != 'r') continue;
        const auto* resource = world_.resources().find(names_[key.what].substr(1));
        if (!resource || !resource->rewind) changes.push_back({key, entry.state(), {}});
    }
    std::sort(changes.begin() + static_cast<std::ptrdiff_t>(first), changes.end(),
              [](const StateChange& a, const StateChange& b) { return a.key < b.key; });
    resourcesHash_ = revenant::resourcesHash(world_);
    resourcesAsOf_ = world_.resources().rewindVersion();
}

void HookStates::note(const StateKey& key, std::span<const std::byte> state,
                      std::vector<StateChange>& changes) {
    const StateTable::Entry* known = table_.find(key);
    if (known && !known->isOut && known->bytes.size() == state.size() &&
        (state.empty() || std::memcmp(known->bytes.data(), state.data(), state.size()) == 0))
        return;
    StateChange& change = changes.emplace_back();
    change.key = key;
    change.after = StateBytes(state);
}

bool HookStates::isThere(const StateKey& key) const {
    const EntityRecord* record = known_.find(key.id);
    return record && known_.of(*record).isIn &&
           shadow_.trackedSlotOf(*record,
                                 world_.components().at(static_cast<ComponentTypeId>(key.what)));
}

void HookStates::takeGone(std::vector<StateChange>& changes) {
    std::vector<StateKey> gone = std::exchange(gone_, {});
    const std::vector<Outside> left = std::exchange(left_, {});
    if (gone.empty()) return;
    std::ranges::sort(gone);
    gone.erase(std::unique(gone.begin(), gone.end()), gone.end());
    for (const StateKey& key : gone) {
        const auto* entry = table_.find(key);
        if (!entry || isThere(key)) continue;
        const auto found = std::ranges::lower_bound(left, key, {}, &Outside::key);
        State after;
        if (found != left.end() && found->key == key && !found->isPassed)
            after = found->state ? found->state : State(entry->bytes, true);
        else if (entry->isOut)
            continue;
        if (entry->state() != after) changes.push_back({key, entry->state(), after});
    }
}

void HookStates::set(std::vector<StateChange>& changes) {
    for (StateChange& change : changes) {
        State had = set(change.key, change.after);
        if (!change.before) change.before = std::move(had);
    }
}

State HookStates::set(const StateKey& key, const State& state) {
    State had;
    StateTable::Entry* entry = table_.find(key);
    if (!entry && !state) {
        out_.erase(key);
        return had;
    }
    if (state.isOut()) out_.insert(key);
    StateBytes bytes = *state;
    const std::uint64_t hash = state.isIn() ? hashOf(key, bytes) : 0;
    if (entry) {
        hashSum_ -= entry->hash;
        stateBytes_ -= entry->bytes.heapBytes();
        had = State(std::move(entry->bytes), entry->isOut);
    } else {
        entry = &table_.put(key);
    }
    hashSum_ += hash;
    if (!state.isOut() && had.isOut()) out_.erase(key);
    stateBytes_ += bytes.heapBytes();
    entry->hash = hash;
    entry->bytes = std::move(bytes);
    entry->isOut = state.isOut();
    if (!state) table_.erase(key);
    return had;
}

std::uint64_t HookStates::hashOf(const StateKey& key, std::span<const std::byte> state) const {
    if (!key.id.isNull()) {
        const ComponentType& type = world_.components().at(static_cast<ComponentTypeId>(key.what));
        // A tool may have opened a history without having its hooks.
        if (!type.hooks) return 0;
        return hookedHash(type, world_.forest().pool.at(key.id.index).serial, state);
    }
    if (key == requestsKey) return 0;
    const std::string& name = names_[key.what];
    if (name[0] != 's') return 0;
    const std::string system = name.substr(1);
    return systemHash(world_, world_.systems().find(system), system, state);
}

void HookStates::undo(const std::vector<StateChange>& changes) {
    for (const StateChange& change : changes) move(change.key, change.after, change.before);
}

void HookStates::redo(const std::vector<StateChange>& changes) {
    for (const StateChange& change : changes) move(change.key, change.before, change.after);
}

void HookStates::move(const StateKey& key, const State& from, const State& to) {
    const bool isOutside = !key.id.isNull() && !from.isIn() && !to.isIn();
    // No frame brings it back any more.
    if (isOutside && !known_.find(key.id) && !table_.find(key)) return;
    given_.try_emplace(key, from);
    set(key, to);
}

void HookStates::noteBound(EntityId owner, const ComponentType& type) {
    if (type.hooks && type.hooks->isRewound()) bound_.insert({owner, type.id});
    noteStateless(owner, type);
}

void HookStates::noteStateless(EntityId owner, const ComponentType& type) {
    if (type.hooks && !type.hooks->isRewound()) stateless_.push_back({owner, type.id});
}

// `restore` gives them their states, once: they may already have those of the next frame.
void HookStates::discardWrites() {
    std::vector<StateChange> written;
    take(written);
    takeResources(written);
    for (StateChange& change : written) given_.try_emplace(change.key, std::move(change.after));
}

void HookStates::doubtAll() {
    for (const StateTable::Entry& entry : table_.entries()) given_[entry.key] = {};
}

std::size_t HookStates::bytes() const noexcept {
    // States count twice: the one before the oldest kept change is counted by no frame.
    constexpr std::size_t bytesPerNode = 64;  // of the set
    return 2 * stateBytes_ + table_.bytes() + out_.size() * bytesPerNode;
}

void HookStates::clear() noexcept {
    table_.clear();
    given_.clear();
    bound_.clear();
    stateless_.clear();
    gone_.clear();
    left_.clear();
    released_.clear();
    out_.clear();
    cursor_ = {};
    looksMore_ = 0;
    isNew_ = true;
    hashSum_ = 0;
    stateBytes_ = 0;
    resourcesAsOf_ = 0;
    resourcesHash_ = 0;
}

}  // namespace revenant
