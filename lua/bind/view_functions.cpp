// What views and their columns call by FFI.

#include <algorithm>
#include <cstring>

#include "lua/bind/ffi_function.hpp"
#include "lua/state/error_carrier.hpp"
#include "lua/state/world_link.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

// Opens a column that is closed. 1: it was released, or its world has ended.
int openColumn(ColumnCells* cells, std::uint32_t link, std::uint32_t view, int column) noexcept {
    return guarded([&] {
        WorldLink& of = WorldLink::require(link);
        of.views.openColumn(*cells, view, column, of.world().getClock());
    });
}

// Ties the cells of a column's Lua object to the view. Column -1: `entities`.
int bindColumn(ColumnCells* cells, std::uint32_t link, std::uint32_t view, int column) noexcept {
    return guarded([&] {
        ViewLink& of = WorldLink::require(link).views.at(view);
        of.cells.at(static_cast<std::size_t>(column) + 1) = cells;
    });
}

int dropView(std::uint32_t link, std::uint32_t view) noexcept {
    return guarded([&] { WorldLink::require(link).views.drop(view); });
}

// -1: the view was released.
int countRows(std::uint32_t link, std::uint32_t view) noexcept {
    int count = -1;
    guarded(
        [&] { count = static_cast<int>(WorldLink::require(link).views.at(view).view->count()); });
    return count;
}

// The index of the entity in a row, from 0; -1: there is no such row, or no such view any more.
int entityAt(std::uint32_t link, std::uint32_t view, std::uint32_t row) noexcept {
    int index = -1;
    guarded([&] {
        const ComponentsView& of = *WorldLink::require(link).views.at(view).view;
        if (row < of.count()) index = static_cast<int>(of.getEntity(row).getId().index);
    });
    return index;
}

std::uint32_t generationAt(std::uint32_t link, std::uint32_t index) noexcept {
    std::uint32_t generation = 0;
    guarded([&] {
        const EntityPool& pool = WorldLink::require(link).core().forest().pool;
        if (index < pool.count()) generation = pool.idAt(index).generation;
    });
    return generation;
}

// Opens the columns, a set of bits, and copies the runs of rows that lie side by side in all of them, as many as
// there is room for (ViewLinks::openRuns). Returns how many there are; -1: released.
int openRuns(ColumnCells* cells, std::uint32_t link, std::uint32_t view, double columns,
             int mayScatter, ViewLink::Run* out, std::uint32_t room, double* found) noexcept {
    int count = -1;
    guarded([&] {
        WorldLink& of = WorldLink::require(link);
        const ViewLink::Runs& runs =
            of.views.openRuns(*cells, view, static_cast<std::uint64_t>(columns), mayScatter != 0,
                              of.world().getClock());
        std::copy_n(runs.runs.begin(), std::min<std::size_t>(runs.runs.size(), room), out);
        found[0] = runs.isScattered ? 1 : 0;
        found[1] = runs.startChanges;
        found[2] = runs.runs.empty() ? 0 : runs.runs.front().count;
        count = static_cast<int>(runs.runs.size());
    });
    return count;
}

int findRow(std::uint32_t link, std::uint32_t view, std::uint32_t index, std::uint32_t generation,
            double* out) noexcept {
    return guarded([&] {
        WorldLink& of = WorldLink::require(link);
        *out = static_cast<double>(of.views.at(view).view->rowOf(of.entity(index, generation)));
    });
}

int isViewDirty(std::uint32_t link, std::uint32_t view, double* out) noexcept {
    return guarded([&] { *out = WorldLink::require(link).views.at(view).view->isDirty() ? 1 : 0; });
}

// What to draw of a component: 0: there is none; 1: the component as it is; 2: the values copied to `out`, if
// that is not null.
int findDisplay(std::uint32_t link, std::uint32_t index, std::uint32_t type, void* out) noexcept {
    int answer = 0;
    guarded([&] {
        WorldCore& world = WorldLink::require(link).core();
        if (index >= world.forest().pool.count()) return;  // a finalizer has reset the world
        const EntityRecord& record = world.forest().pool.at(index);
        if (!record.alive) return;
        const auto* own = record.slotOf(static_cast<ComponentTypeId>(type));
        answer = own ? 1 : 0;
        const auto* rewind = dynamic_cast<TimeRewindSys*>(world.systems().find("TimeRewindSys"));
        if (!own || !rewind || !rewind->isRewinding()) return;
        const ComponentSchema& schema =
            world.components().at(static_cast<ComponentTypeId>(type)).schema;
        const std::byte* shown = rewind->getDisplay(world.entity(record.id), schema.name);
        if (shown == own) return;
        answer = shown ? 2 : 0;
        if (shown && out) std::memcpy(out, shown, schema.size);
    });
    return answer;
}

const void* emptyAddress() noexcept {
    return &emptyComponent;
}

// Orders the numbers from 0 to count - 1 by their keys, equal ones by number; only the first `most` of
// them are put in order. 1: there is not enough memory.
int sortByKeys(const double* keys, std::uint32_t* places, std::uint32_t count,
               std::uint32_t most) noexcept {
    return guarded([&] {
        for (std::uint32_t i = 0; i < count; ++i) places[i] = i;
        const auto isBefore = [keys](std::uint32_t a, std::uint32_t b) {
            return keys[a] != keys[b] ? keys[a] < keys[b] : a < b;
        };
        std::partial_sort(places, places + std::min(most, count), places + count, isBefore);
    });
}

// Where changes of listeners are counted (Listeners::changes); null where there is no such world.
const double* getListenerChanges(std::uint32_t link) noexcept {
    const double* changes = nullptr;
    guarded([&] { changes = WorldLink::require(link).core().listeners().changes().address(); });
    return changes;
}

std::uint32_t getClock(std::uint32_t link) noexcept {
    std::uint32_t clock = 0;
    guarded([&] { clock = WorldLink::require(link).world().getClock(); });
    return clock;
}

}  // namespace

std::span<const FfiFunction> viewFunctions() {
    static const FfiFunction functions[] = {
        ffiFunction("openColumn", &openColumn),
        ffiFunction("bindColumn", &bindColumn),
        ffiFunction("dropView", &dropView),
        ffiFunction("countRows", &countRows),
        ffiFunction("entityAt", &entityAt),
        ffiFunction("generationAt", &generationAt),
        ffiFunction("openRuns", &openRuns),
        ffiFunction("findRow", &findRow),
        ffiFunction("isViewDirty", &isViewDirty),
        ffiFunction("findDisplay", &findDisplay),
        ffiFunction("emptyAddress", &emptyAddress),
        ffiFunction("sortByKeys", &sortByKeys),
        ffiFunction("getListenerChanges", &getListenerChanges),
        ffiFunction("getClock", &getClock),
    };
    return functions;
}

}  // namespace revenant
