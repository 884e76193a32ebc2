// What the tables of script components call by FFI.

#include "lua/bind/ffi_function.hpp"
#include "lua/state/error_carrier.hpp"
#include "lua/state/world_link.hpp"

namespace revenant {

namespace {

// Returns a number for the table of a script component that the entity is about to get.
int addTable(std::uint32_t link, std::uint32_t index, std::uint32_t generation, std::uint32_t type,
             double* out) noexcept {
    return guarded([&] {
        WorldLink& of = WorldLink::require(link);
        *out = of.tables.add({index, generation}, static_cast<ComponentTypeId>(type));
    });
}
// Records that the component with that table has lifecycle methods.
int watchTable(std::uint32_t link, std::uint32_t index, std::uint32_t generation,
               std::uint32_t type, std::uint32_t table, int isOfFile) noexcept {
    return guarded([&] {
        WorldLink::require(link).lifecycles.watch(
            table, {index, generation}, static_cast<ComponentTypeId>(type), isOfFile != 0);
    });
}

// Takes the number that a component has in a history that was saved elsewhere. 0: another one has it.
int adoptTable(std::uint32_t link, std::uint32_t index, std::uint32_t generation,
               std::uint32_t type, std::uint32_t table) noexcept {
    bool isAdopted = false;
    guarded([&] {
        WorldLink& of = WorldLink::require(link);
        of.lifecycles.makeRoomToNote();
        isAdopted = of.tables.adopt(table, {index, generation}, static_cast<ComponentTypeId>(type));
        if (isAdopted) of.lifecycles.noteUnbound(table);  // it may be in the world: onAdded is due
    });
    return isAdopted ? 1 : 0;
}

// Copies the numbers of tables whose entities have values that are held weakly, from `first` on, in ascending
// order. Returns how many it copied.
std::uint32_t weakTables(std::uint32_t link, std::uint32_t first, std::uint32_t* out,
                         std::uint32_t room) noexcept {
    const WorldLink* of = WorldLink::find(link);
    return of ? of->tables.copyIf({out, room}, first,
                                  [of](EntityId owner) { return of->values.isWeak(owner); })
              : 0;
}

// Takes both back: the component was not bound.
void dropTable(std::uint32_t link, std::uint32_t table) noexcept {
    WorldLink* of = WorldLink::find(link);
    if (!of) return;
    of->lifecycles.unwatch(table);
    of->tables.remove(table);
}

void sweepTables(std::uint32_t link) noexcept {
    guarded([&] {
        WorldLink& of = WorldLink::require(link);
        of.tables.sweep(of.world(), of.mark(), of.lifecycles);
    });
}
std::uint32_t takeFreedTables(std::uint32_t link, std::uint32_t* out, std::uint32_t room) noexcept {
    std::uint32_t count = 0;
    guarded([&] { count = WorldLink::require(link).tables.takeFreed({out, room}); });
    return count;
}

}  // namespace

std::span<const FfiFunction> tableFunctions() {
    static const FfiFunction functions[] = {
        ffiFunction("addTable", &addTable),       ffiFunction("watchTable", &watchTable),
        ffiFunction("weakTables", &weakTables),   ffiFunction("dropTable", &dropTable),
        ffiFunction("sweepTables", &sweepTables), ffiFunction("takeFreedTables", &takeFreedTables),
        ffiFunction("adoptTable", &adoptTable),
    };
    return functions;
}

}  // namespace revenant
