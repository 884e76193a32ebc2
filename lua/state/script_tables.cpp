#include "lua/state/script_tables.hpp"

#include <algorithm>

#include "lua/state/script_lifecycles.hpp"
#include "rewind/record/recorder.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "world/core/world_core.hpp"
#include "world/storage/make_room.hpp"

namespace revenant {

bool findFrames(World& world, std::int64_t& oldest, std::int64_t& newest) {
    if (!WorldCore::of(world).observer<Recorder>().isOn()) return false;
    oldest = 0;  // an unregistered history may keep everything
    newest = 0;
    if (const auto* rewind = dynamic_cast<TimeRewindSys*>(world.getSystem("TimeRewindSys"))) {
        oldest = rewind->getOldestFrame().value_or(0);
        newest = rewind->getNewestFrame().value_or(0);
    }
    return true;
}

std::uint32_t ScriptTables::add(EntityId owner, ComponentTypeId type) {
    std::uint32_t number = 0;
    if (free_.empty()) {
        makeRoom(tables_);
        // Makes room for each to be found free.
        free_.reserve(tables_.capacity());
        freed_.reserve(tables_.capacity());
        tables_.emplace_back();
        number = static_cast<std::uint32_t>(tables_.size());
    } else {
        number = free_.back();
        free_.pop_back();
    }
    tables_[number - 1] = {owner, type, -1};
    return number;
}

// `add` made room for it to be free again.
void ScriptTables::remove(std::uint32_t number) noexcept {
    tables_[number - 1] = Table{};
    free_.push_back(number);
}

bool ScriptTables::adopt(std::uint32_t number, EntityId owner, ComponentTypeId type) {
    // Numbers of frames that were not shown yet must not be given to others: none below this is, from now on.
    constexpr std::size_t spared = std::size_t{1} << 16;
    constexpr std::uint32_t most = 1U << 24;
    if (number == 0 || number > most) return false;
    if (tables_.size() < std::max<std::size_t>(number, spared)) {
        free_.reserve(std::max<std::size_t>(number, spared));  // remove cannot fail
        tables_.resize(std::max<std::size_t>(number, spared));
    }
    Table& table = tables_[number - 1];
    if (!table.owner.isNull()) return table.owner == owner && table.type == type;
    std::erase(free_, number);
    table = {owner, type, -1};
    return true;
}

std::uint32_t ScriptTables::takeFreed(std::span<std::uint32_t> out) {
    const std::size_t count = std::min(out.size(), freed_.size());
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = freed_.back();
        free_.push_back(freed_.back());
        freed_.pop_back();
    }
    return static_cast<std::uint32_t>(count);
}

void ScriptTables::sweep(World& world, std::uint32_t link, const ScriptLifecycles& lifecycles) {
    std::int64_t oldest = 0;
    std::int64_t newest = 0;
    const bool hasHistory = findFrames(world, oldest, newest);
    const EntityPool& pool = WorldCore::of(world).forest().pool;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
        Table& table = tables_[i];
        if (table.owner.isNull() || lifecycles.isWatched(static_cast<std::uint32_t>(i + 1)))
            continue;
        const EntityRecord& record = pool.at(table.owner.index);
        if (record.id == table.owner && (record.alive || record.unborn)) {
            if (record.unborn) continue;
            const auto* slot = reinterpret_cast<const ScriptReference*>(record.slotOf(table.type));
            if (slot && slot->table == i + 1 && slot->link == link) {
                table.unboundSince = -1;
                continue;
            }
            // Seen unbound twice, and not in any kept frame: nothing can bring it back.
            const bool isFirst = table.unboundSince < 0;
            if (isFirst) table.unboundSince = newest;
            if (isFirst || (hasHistory && oldest <= table.unboundSince)) continue;
        }
        table = Table{};
        freed_.push_back(static_cast<std::uint32_t>(i + 1));
    }
}

}  // namespace revenant
