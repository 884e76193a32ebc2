// What views and their columns call by FFI.

#include "lua/error_carrier.hpp"
#include "lua/ffi_function.hpp"
#include "lua/world_link.hpp"
#include "rewind/time_rewind_sys.hpp"

namespace revenant {

namespace {

// Opens a column that is closed. 1: it was released, or its world has ended.
int openColumn(ColumnCells* cells) noexcept {
    return guarded([&] {
        WorldLink& of = WorldLink::require(cells->link);
        of.views.openColumn(*cells, of.world().getClock());
    });
}

// Ties the cells of a column's Lua object to the view. Column -1: `entities`.
int bindColumn(ColumnCells* cells) noexcept {
    return guarded([&] {
        ViewLink& view = WorldLink::require(cells->link).views.at(cells->view);
        view.cells.at(static_cast<std::size_t>(cells->column) + 1) = cells;
    });
}

// -1: the view was released.
int countRows(std::uint32_t link, std::uint32_t view) noexcept {
    int count = -1;
    guarded(
        [&] { count = static_cast<int>(WorldLink::require(link).views.at(view).view->count()); });
    return count;
}

std::uint32_t generationAt(std::uint32_t link, std::uint32_t index) noexcept {
    std::uint32_t generation = 0;
    guarded([&] {
        const EntityPool& pool = WorldLink::require(link).world().forest().pool;
        if (index < pool.count()) generation = pool.idAt(index).generation;
    });
    return generation;
}

// The runs of rows that lie side by side in all of `columns`, a set of bits. Null: released.
const ViewLink::Run* findRuns(std::uint32_t link, std::uint32_t view, double columns,
                              double* out) noexcept {
    *out = -1;
    const ViewLink::Run* first = nullptr;
    guarded([&] {
        WorldLink& of = WorldLink::require(link);
        const auto& runs = ViewLinks::runs(of.views.at(view), static_cast<std::uint64_t>(columns));
        *out = static_cast<double>(runs.size());
        first = runs.data();
    });
    return first;
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

// The component as it should be drawn; `isOwn` is 1 where that is the component itself. Null: there is
// none.
const void* findDisplay(std::uint32_t link, std::uint32_t index, std::uint32_t type,
                        double* isOwn) noexcept {
    const std::byte* found = nullptr;
    guarded([&] {
        World& world = WorldLink::require(link).world();
        const EntityRecord& record = world.forest().pool.at(index);
        const auto* own = record.slotOf(static_cast<ComponentTypeId>(type));
        found = own;
        const auto* rewind = dynamic_cast<TimeRewindSys*>(world.getSystem("TimeRewindSys"));
        if (own && rewind && rewind->isRewinding())
            found = rewind->getDisplay(
                Entity(world, record.id),
                world.components().at(static_cast<ComponentTypeId>(type)).schema.name);
        *isOwn = found == own ? 1 : 0;
    });
    return found;
}

const void* emptyAddress() noexcept {
    return &emptyComponent;
}

std::uint32_t getClock(std::uint32_t link) noexcept {
    std::uint32_t clock = 0;
    guarded([&] { clock = WorldLink::require(link).world().getClock(); });
    return clock;
}

const FfiFunction functions[] = {
    ffiFunction("openColumn", &openColumn, "int (*)(void*)"),
    ffiFunction("bindColumn", &bindColumn, "int (*)(void*)"),
    ffiFunction("countRows", &countRows, "int (*)(uint32_t, uint32_t)"),
    ffiFunction("generationAt", &generationAt, "uint32_t (*)(uint32_t, uint32_t)"),
    ffiFunction("findRuns", &findRuns,
                "const revenant_Run* (*)(uint32_t, uint32_t, double, double*)"),
    ffiFunction("findRow", &findRow, "int (*)(uint32_t, uint32_t, uint32_t, uint32_t, double*)"),
    ffiFunction("isViewDirty", &isViewDirty, "int (*)(uint32_t, uint32_t, double*)"),
    ffiFunction("findDisplay", &findDisplay,
                "const void* (*)(uint32_t, uint32_t, uint32_t, double*)"),
    ffiFunction("emptyAddress", &emptyAddress, "const void* (*)()"),
    ffiFunction("getClock", &getClock, "uint32_t (*)(uint32_t)"),
};

}  // namespace

std::span<const FfiFunction> viewFunctions() noexcept {
    return functions;
}

}  // namespace revenant
