#include "lua/state/script_lifecycles.hpp"

#include <algorithm>
#include <cstring>
#include <lua.hpp>
#include <utility>

#include "lua/state/error_carrier.hpp"
#include "lua/state/lua_values.hpp"
#include "lua/state/script_tables.hpp"
#include "lua/state/session.hpp"
#include "lua/state/world_link.hpp"

namespace revenant {

namespace {

// The table of a component's bytes; 0 for one of another link.
std::uint32_t tableOf(const std::byte* slot, std::uint32_t link) noexcept {
    ScriptReference reference;
    std::memcpy(&reference, slot, sizeof reference);
    return reference.link == link ? reference.table : 0;
}

}  // namespace

void ScriptLifecycles::watch(std::uint32_t table, EntityId owner, ComponentTypeId type,
                             bool isOfFile) {
    if (entries_.size() <= table)
        entries_.resize(std::max<std::size_t>(table + 1, entries_.size() * 2));
    if (types_.size() <= type) types_.resize(type + 1U);
    if (!isOfFile) fresh_.push_back(table);
    entries_[table] = {owner, type, Told::Watched};
    ++count_;
    if (types_[type]) return;
    types_[type] = true;
    shapes_.clear();
    link_.core().components().noteWatchers();
}

void ScriptLifecycles::unwatch(std::uint32_t table) noexcept {
    if (!isWatched(table)) return;
    entries_[table] = Entry{};
    --count_;
}

void ScriptLifecycles::noteFreed(std::uint32_t table) {
    if (!isWatched(table) || entries_[table].isDead) return;
    dead_.push_back(table);
    entries_[table].isDead = true;
}

bool ScriptLifecycles::hasWatched(const Shape& shape) {
    if (shapes_.size() <= shape.id()) shapes_.resize(shape.id() + 1, -1);
    std::int8_t& known = shapes_[shape.id()];
    if (known < 0)
        known = std::ranges::any_of(shape.types(), [this](ComponentTypeId type) {
            return type < types_.size() && types_[type];
        });
    return known > 0;
}

void ScriptLifecycles::noteShape(const EntityRecord& record) {
    if (!hasWatched(*record.shape)) return;
    const auto& types = record.shape->types();
    for (std::size_t i = 0; i < types.size(); ++i)
        if (types[i] < types_.size() && types_[types[i]])
            if (const std::uint32_t table = tableOf(record.slotAt(i), link_.mark()))
                candidates_.push_back(table);
}

void ScriptLifecycles::onReconcile(const ChangeSet& changes) {
    if (count_ == 0) return;
    for (const RetiredSlot& retired : changes.retired)
        if (retired.type < types_.size() && types_[retired.type])
            if (const std::uint32_t table = tableOf(retired.slot, link_.mark()))
                candidates_.push_back(table);
    for (const Change& change : changes.left) noteShape(*change.record);
    for (const Change& change : changes.changed)
        if (change.entered() || change.rebound) noteShape(*change.record);
}

bool ScriptLifecycles::isPresent(std::uint32_t table) const {
    const Entry& entry = entries_[table];
    const EntityRecord* record = link_.core().forest().pool.find(entry.owner);
    const std::byte* slot = record && record->managed ? record->slotOf(entry.type) : nullptr;
    return slot && tableOf(slot, link_.mark()) == table;
}

bool ScriptLifecycles::isBound(std::uint32_t table) const {
    const Entry& entry = entries_[table];
    const EntityRecord* record = link_.core().forest().pool.findKnown(entry.owner);
    const std::byte* slot = record ? record->slotOf(entry.type) : nullptr;
    return slot && tableOf(slot, link_.mark()) == table;
}

bool ScriptLifecycles::isOfLivingEntity(const Entry& entry) const {
    return link_.core().forest().pool.findKnown(entry.owner) != nullptr;
}

std::uint32_t ScriptLifecycles::labelOf(std::uint32_t table) const {
    const EntityRecord* record = link_.core().forest().pool.findKnown(entries_[table].owner);
    return record ? record->opening.label : 0;
}

void ScriptLifecycles::sortByOrder(std::vector<std::uint32_t>& tables) const {
    std::ranges::sort(tables, {}, [this](std::uint32_t table) {
        return std::tuple(labelOf(table), entries_[table].type, table);
    });
}

// Of those that are bound: the frame after the newest may be the first one that shows them, or the newest, where that was
// taken since.
void ScriptLifecycles::setFirstFrames(std::int64_t newest) {
    for (const std::uint32_t table : fresh_)
        if (isWatched(table)) entries_[table].firstFrame = newest + (isPresent(table) ? 1 : 0);
    fresh_.clear();
    if (newest >= std::exchange(newestSeen_, newest)) return;
    for (std::uint32_t table = 0; table < entries_.size(); ++table)
        if (Entry& entry = entries_[table];
            entry.firstFrame > newest && (!entry.isUnbound || isBound(table)))
            entry.firstFrame = newest + 1;
}

void ScriptLifecycles::tellChanges(ErrorList& errors) {
    if (count_ == 0) {
        fresh_.clear();
        return candidates_.clear();
    }
    std::vector<std::uint32_t> removed;
    std::vector<std::uint32_t> added;
    auto candidates = std::exchange(candidates_, {});
    std::ranges::sort(candidates);
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    std::int64_t oldest = 0;
    std::int64_t newest = 0;
    findFrames(link_.world(), oldest, newest);
    // That listeners removed since the reconcile: the next frame still has them, and the next reconcile lists them.
    std::vector<std::uint32_t> retired;
    for (const RetiredSlot& each : link_.core().components().retired())
        if (each.type < types_.size() && types_[each.type])
            retired.push_back(tableOf(each.slot, link_.mark()));
    std::ranges::sort(retired);
    for (const std::uint32_t table : candidates) {
        if (!isWatched(table)) continue;
        Entry& entry = entries_[table];
        const bool isIn = isPresent(table);
        if (isIn && std::exchange(entry.isUnbound, false)) std::erase(unbound_, table);
        if (isIn && entry.told != Told::Present) added.push_back(table);
        if (!isIn && entry.told == Told::Present) removed.push_back(table);
        if (isIn || entry.isUnbound || entry.isDead || !isOfLivingEntity(entry)) continue;
        if (isBound(table)) continue;  // its entity is out, with it
        if (std::ranges::binary_search(retired, table)) continue;
        entry.isUnbound = true;
        entry.lastFrame = newest;
        unbound_.push_back(table);
    }
    const bool isShortened = newest < newestSeen_;
    setFirstFrames(newest);
    sortByOrder(removed);
    sortByOrder(added);
    // A call for another one may have destroyed its entity: then it was called before.
    for (const std::uint32_t table : removed) callRemoved(table, true, errors);
    for (const std::uint32_t table : added) {
        if (!isWatched(table)) continue;  // the world was reset meanwhile
        const bool isFirst = entries_[table].told == Told::Watched;
        entries_[table].told = Told::Present;
        entries_[table].isEmpty = false;
        call(table, isFirst ? "onAdded" : "onRestored", true, errors);
    }
    if (!unbound_.empty()) settleUnbound(isShortened);
}

// Unbound components are gone for good once no frame shows them.
void ScriptLifecycles::settleUnbound(bool isShortened) {
    if (link_.world().isInPast()) return;
    std::int64_t oldest = 0;
    std::int64_t newest = 0;
    const bool hasHistory = findFrames(link_.world(), oldest, newest);
    // In the order in which they went, unless frames were dropped at the other end.
    std::erase_if(unbound_, [&, isBehind = false](std::uint32_t table) mutable {
        Entry& entry = entries_[table];
        if (isBehind && !isShortened) return false;
        if (isBound(table)) {  // a restore has given it back to an entity that is out
            entry.isUnbound = false;
            return true;
        }
        const bool isLost = !hasHistory || entry.lastFrame < oldest || entry.firstFrame > newest;
        isBehind = !isLost;
        if (isLost) {
            entry.isLost = true;
            noteFreed(table);
        }
        return isLost;
    });
}

void ScriptLifecycles::tellDestroyed(ErrorList& errors) {
    while (!dead_.empty()) {
        auto dead = std::exchange(dead_, {});
        for (const std::uint32_t table : dead) {
            if (!isWatched(table)) continue;
            // A restore frees components, too, that it binds again.
            if (!entries_[table].isLost && isOfLivingEntity(entries_[table])) {
                entries_[table].isDead = false;
                continue;
            }
            callRemoved(table, true, errors);
            if (!isWatched(table)) continue;
            if (entries_[table].isUnbound) std::erase(unbound_, table);
            const bool isEmpty = entries_[table].isEmpty;
            entries_[table] = Entry{};
            --count_;
            if (!isEmpty) call(table, "onDestroyed", false, errors);
        }
    }
}

void ScriptLifecycles::tellLeaving(const EntityRecord& record, ErrorList& errors) {
    if (count_ == 0 || !hasWatched(*record.shape)) return;
    std::vector<std::uint32_t> tables;  // what is called may bind others
    const auto& types = record.shape->types();
    for (std::size_t i = 0; i < types.size(); ++i)
        if (types[i] < types_.size() && types_[types[i]])
            tables.push_back(tableOf(record.slotAt(i), link_.mark()));
    for (const std::uint32_t table : tables) callRemoved(table, true, errors);
}

void ScriptLifecycles::endAll(bool hasWorld, ErrorList& errors) {
    std::vector<std::uint32_t> present;
    std::vector<std::uint32_t> all;
    for (std::uint32_t table = 0; table < entries_.size(); ++table) {
        if (!isWatched(table)) continue;
        all.push_back(table);
        if (entries_[table].told == Told::Present) present.push_back(table);
    }
    if (hasWorld) {
        sortByOrder(present);
        sortByOrder(all);
    }
    for (const std::uint32_t table : present) callRemoved(table, hasWorld, errors);
    for (const std::uint32_t table : all) {
        entries_[table].isLost = true;
        noteFreed(table);
    }
    candidates_.clear();
    unbound_.clear();
    tellDestroyed(errors);
}

void ScriptLifecycles::callRemoved(std::uint32_t table, bool withEntity, ErrorList& errors) {
    if (table >= entries_.size() || entries_[table].told != Told::Present) return;
    entries_[table].told = Told::Absent;
    call(table, "onRemoved", withEntity, errors);
}

void ScriptLifecycles::call(std::uint32_t table, const char* method, bool withEntity,
                            ErrorList& errors) {
    const EntityId owner = withEntity ? entries_[table].owner : EntityId{};
    try {
        link_.callInReconcile([&](lua_State* state) {
            link_.session().pushCore(state, "tellLifecycle");
            lua_pushnumber(state, link_.number());
            lua_pushnumber(state, table);
            lua_pushstring(state, method);
            lua_pushnumber(state, owner.index);
            lua_pushnumber(state, owner.generation);
            callLua(state, 5, 0);
        });
    } catch (...) {
        errors.add(std::current_exception());
    }
}

}  // namespace revenant
