// The part of HookStates that follows components whose entities are out of the world.
#include <algorithm>
#include <iterator>
#include <utility>

#include "rewind/record/hook_states.hpp"
#include "world/core/world_core.hpp"
#include "world/outside_hooks.hpp"

namespace revenant {

namespace {

OutsideHooks* outsideHooksOf(const ComponentType& type) {
    if (!type.hooks || !type.hooks->isRewound()) return nullptr;
    return dynamic_cast<OutsideHooks*>(type.hooks.get());
}

}  // namespace

void HookStates::addOutside(const StateKey& key, std::vector<Outside>& list) {
    const EntityRecord* record = world_.forest().pool.find(key.id);
    if (!record || !record->isOut()) return;
    const ComponentType& type = world_.components().at(static_cast<ComponentTypeId>(key.what));
    const std::byte* slot = record->slotOf(type.id);
    if (slot && outsideHooksOf(type) && type.hooks->hasRewindState(slot))
        list.push_back({key, slot, {}});
}

void HookStates::addOutside(const EntityRecord& record, std::vector<Outside>& list) {
    for (const ComponentTypeId type : record.shape->types())
        if (world_.components().at(type).hooks) addOutside({record.id, type}, list);
}

// Sorted, each once.
std::vector<HookStates::Outside> HookStates::listOutside(bool comparesAll) {
    constexpr std::size_t comparesPerFrame = 8;
    Forest& forest = world_.forest();
    std::vector<Outside> list;
    for (const StateKey& key : gone_)
        if (!isThere(key)) addOutside(key, list);
    auto addIndex = [&](std::uint32_t index) {
        if (index < forest.pool.count())
            if (const EntityRecord& record = forest.pool.at(index); record.isOut())
                addOutside(record, list);
    };
    if (std::exchange(isNew_, false)) {
        for (std::uint32_t i = 0; i < forest.pool.count(); ++i) addIndex(i);
    } else {
        for (const std::uint32_t index : forest.newborns) addIndex(index);
        for (const std::uint32_t index : forest.changedOutside) addIndex(index);
    }
    if (!out_.empty()) {
        const bool isAll = comparesAll || forest.anyChangedOutside;
        const std::size_t least = comparesPerFrame + std::exchange(looksMore_, 0);
        std::size_t compared = 0;
        auto each = out_.lower_bound(cursor_);
        for (std::size_t i = 0; i < out_.size(); ++i) {
            if (!isAll && i >= least && compared >= comparesPerFrame) break;
            if (each == out_.end()) each = out_.begin();
            const StateKey key = *each++;
            // The history may never have known the entity.
            if (!forest.pool.findKnown(key.id)) {
                released_.push_back(key.id);
            } else if (isAll || compared < comparesPerFrame) {
                addOutside(key, list);
                ++compared;
            }
        }
        cursor_ = each == out_.end() ? StateKey{} : *each;
    }
    std::ranges::sort(list, {}, &Outside::key);
    const auto isSame = [](const Outside& a, const Outside& b) { return a.key == b.key; };
    list.erase(std::unique(list.begin(), list.end(), isSame), list.end());
    return list;
}

// By type, in few calls.
void HookStates::ask(std::vector<Outside>& list) {
    struct Sink final : OutsideSink {
        std::vector<Outside*>& asked;

        explicit Sink(std::vector<Outside*>& of) : asked(of) {}
        void take(std::size_t place, std::span<const std::byte> state) override {
            asked[place]->state = State(StateBytes(state), true);
        }
        void pass(std::size_t place) override { asked[place]->isPassed = true; }
    };
    std::vector<Outside*> order;
    order.reserve(list.size());
    for (Outside& each : list) order.push_back(&each);
    std::ranges::stable_sort(order, {}, [](const Outside* each) { return each->key.what; });
    std::vector<Outside*> asked;
    std::vector<HookedComponent> components;
    for (auto begin = order.begin(); begin != order.end();) {
        const std::uint32_t what = (*begin)->key.what;
        const auto end = std::find_if(
            begin, order.end(), [what](const Outside* each) { return each->key.what != what; });
        asked.assign(begin, end);
        components.clear();
        for (const Outside* each : asked) components.push_back({each->key.id, each->slot});
        Sink sink(asked);
        outsideHooksOf(world_.components().at(static_cast<ComponentTypeId>(what)))
            ->getOutsideStates(components, sink);
        begin = end;
    }
}

void HookStates::takeOutside(std::vector<StateChange>& changes, bool comparesAll) {
    left_.clear();
    std::vector<Outside> list = listOutside(comparesAll);
    eraseReleased();
    if (list.empty()) return;
    ask(list);
    std::vector<StateKey> gone;
    for (const StateKey& key : gone_)
        if (!isThere(key)) gone.push_back(key);
    std::ranges::sort(gone);
    for (Outside& each : list) {
        const StateTable::Entry* entry = table_.find(each.key);
        // The bytes are shared where they are the same.
        if (entry && each.state && entry->bytes == *each.state)
            each.state = State(entry->bytes, true);
        if (entry && std::ranges::binary_search(gone, each.key)) {
            left_.push_back(std::move(each));
        } else if (!each.state || (entry && entry->state() == each.state)) {
            continue;
        } else if (entry || known_.find(each.key.id)) {
            changes.push_back({each.key, entry ? entry->state() : State(), each.state});
        } else {
            set(each.key, each.state);
            // Those of destroyed entities are found in turn: so their number stays in proportion to the others.
            looksMore_ += 2;
        }
    }
}

void HookStates::release(EntityId id) {
    if (!out_.empty()) released_.push_back(id);
}

void HookStates::eraseReleased() {
    for (const EntityId id : std::exchange(released_, {})) {
        if (world_.forest().pool.findKnown(id)) continue;
        const auto types = static_cast<std::uint32_t>(world_.components().count());
        for (std::uint32_t type = 0; !out_.empty() && type < types; ++type)
            if (world_.components().at(static_cast<ComponentTypeId>(type)).hooks)
                set({id, type}, {});
    }
}

}  // namespace revenant
