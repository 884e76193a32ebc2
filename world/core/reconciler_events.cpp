// Which events a reconcile fires, and which it keeps for later.
#include <algorithm>
#include <unordered_map>

#include "world/core/reconciler.hpp"
#include "world/core/restorer.hpp"
#include "world/core/world_core.hpp"
#include "world/forest/forest.hpp"

namespace revenant {

namespace {

StringId nameOf(const Change& change) noexcept {
    return change.record->id == change.id ? change.record->name : StringId{};
}

bool byOwner(const ComponentStore::Retired& a, const ComponentStore::Retired& b) noexcept {
    return a.owner != b.owner ? a.owner < b.owner : a.type < b.type;
}

}  // namespace

void Reconciler::keepSilent() {
    silenced_.insert(silenced_.end(), changes_.left.begin(), changes_.left.end());
    silenced_.insert(silenced_.end(), changes_.changed.begin(), changes_.changed.end());
}

// What leaves silently is destroyed only after listeners were called for its leaving.
void Reconciler::keepUncollected() {
    forgetLeaving();
    for (Checked check : checked_) {
        check.isLeaf = false;  // it may have children by then
        uncollected_.push_back(check);
    }
}

void Reconciler::tellChanges() {
    forgetLeaving();  // listeners may validate
    if (isAnyoneListening() || mayObserversAct()) reviveUnborn();
    if (!silenced_.empty() || !changes_.empty()) fireEvents();
    tellObservers();
    endRevival();
}

// Entities that a restore has made unborn stay readable while listeners are called for their leaving.
void Reconciler::reviveUnborn() {
    auto revive = [this](const std::vector<Change>& changes) {
        for (const Change& change : changes) {
            if (!change.record->unborn || change.record->id != change.id) continue;
            world_.forest_.pool.setUnborn(*change.record, false);
            revived_.push_back({change.record, change.id});
        }
    };
    revive(silenced_);
    revive(changes_.left);
}

void Reconciler::endRevival() {
    for (const Checked& each : revived_) {
        EntityRecord& record = *each.record;
        if (record.id != each.id || !record.isOut()) continue;
        // A listener has dropped the history: without it no frame can bring the entity back.
        if (!record.remembered) {
            world_.forest_.touch(record);
            continue;
        }
        if (record.isPending()) world_.forest_.pending.erase(record);
        record.loosened = false;
        Restorer(world_).setUnborn(record, true);
        for (const auto& observer : world_.observers_) observer->onUnborn(record);
    }
    revived_.clear();
}

// Makes the current changes those since listeners were last called: for each entity, its state before
// the first change, and its state now.
void Reconciler::addSilenced() {
    std::unordered_map<EntityId, Change> first;
    for (const Change& change : silenced_) {
        Change& before = first.try_emplace(change.id, change).first->second;
        before.resurrected = before.resurrected || change.resurrected;
    }
    auto merge = [&](Change& change) {
        auto found = first.find(change.id);
        if (found == first.end()) return;
        change.settledBefore = found->second.settledBefore;
        change.activeBefore = found->second.activeBefore;
        change.resurrected = change.resurrected || found->second.resurrected;
        change.rebound = true;
        first.erase(found);
    };
    for (Change& change : changes_.left) merge(change);
    for (Change& change : changes_.changed) merge(change);
    for (const Change& change : silenced_) {
        auto found = first.find(change.id);
        if (found == first.end() || change.record->id != change.id) continue;
        found->second.rebound = true;
        (change.record->managed ? changes_.changed : changes_.left).push_back(found->second);
        first.erase(found);
    }
    silenced_.clear();
    std::erase_if(changes_.left, [](const Change& change) { return change.entered(); });
    sortByOrder(changes_.changed);
}

bool Reconciler::isAnyoneListening() const noexcept {
    bool anyone = false;
    for (std::size_t kind = 0; kind < eventKinds; ++kind)
        anyone = anyone || world_.listeners_.any(static_cast<EventKind>(kind));
    return anyone;
}

bool Reconciler::mayObserversAct() const noexcept {
    bool may = false;
    for (const auto& observer : world_.observers_) may = may || observer->mayAct();
    return may;
}

void Reconciler::tellObservers() {
    for (const auto& observer : world_.observers_) observer->onChangesTold(errors_);
}

void Reconciler::fireEvents() {
    if (!isAnyoneListening()) {
        silenced_.clear();
        return;
    }
    if (!silenced_.empty()) addSilenced();
    sortByOrder(changes_.left);
    std::ranges::sort(retired_, byOwner);
    for (const Change& change : changes_.left) {
        fireComponents(EventKind::ComponentRemoved, change, change.settledBefore, nullptr);
        fire(EventKind::EntityRemoved, change.id, nameOf(change));
    }
    for (const Change& change : changes_.changed) {
        // By copy: a listener may make the record another entity's.
        const Shape* shape = change.record->settledShape;
        const bool active = change.record->active;
        if (change.entered())
            fire(change.resurrected ? EventKind::EntityResurrected : EventKind::EntityAdded,
                 change.id, nameOf(change));
        if (change.entered() || change.rebound) {
            fireComponents(EventKind::ComponentRemoved, change, change.settledBefore, shape);
            fireComponents(EventKind::ComponentAdded, change, shape, change.settledBefore);
        }
        if (!change.entered() && change.activeBefore != active)
            fire(active ? EventKind::EntityEnabled : EventKind::EntityDisabled, change.id,
                 nameOf(change));
    }
}

void Reconciler::fireComponents(EventKind kind, const Change& change, const Shape* in,
                                const Shape* notIn) {
    if (!in || !world_.listeners_.any(kind)) return;
    for (const ComponentTypeId type : in->types()) {
        if (notIn && notIn->has(type) && !wasReplaced(change.id.index, type)) continue;
        fire(kind, change.id, nameOf(change), world_.components_.at(type).schema.name);
    }
}

bool Reconciler::wasReplaced(std::uint32_t owner, ComponentTypeId type) const noexcept {
    const ComponentStore::Retired wanted{owner, type, nullptr};
    return std::ranges::binary_search(retired_, wanted, byOwner);
}

void Reconciler::fire(EventKind kind, EntityId id, StringId name, std::string_view component) {
    if (!world_.listeners_.any(kind)) return;
    Event event;
    event.id = static_cast<std::uint16_t>(kind);
    event.entity = world_.entity(id);
    event.name = world_.components_.strings().text(name);
    event.component = component;
    world_.listeners_.fire(event, errors_);
}

}  // namespace revenant
