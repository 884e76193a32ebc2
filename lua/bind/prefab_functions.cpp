// What prefabs call by FFI.

#include "lua/bind/ffi_function.hpp"
#include "lua/state/error_carrier.hpp"
#include "lua/state/prefab.hpp"
#include "lua/state/world_link.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

void removePrefab(std::uint32_t link, std::uint32_t prefab) noexcept {
    if (WorldLink* of = WorldLink::find(link)) of->removePrefab(prefab);
}

// The number of entities made since the world began.
std::uint32_t lastSerial(std::uint32_t link) noexcept {
    const WorldLink* of = WorldLink::find(link);
    return of && !of->hasEnded() ? of->core().forest().lastSerial : 0;
}

// Makes `count` instances of a prefab and copies their ids, each root before its descendants, as far
// as there is room. Returns how many there are; -1: an error.
double spawnPrefab(std::uint32_t link, std::uint32_t prefab, std::uint32_t count, int addToWorld,
                   EntityId* ids, std::uint32_t room) noexcept {
    double made = -1;
    guarded([&] {
        WorldLink& of = WorldLink::requireOpen(link);
        const Prefab& spawned = of.prefabAt(prefab);
        of.makeRoomForMade(count * static_cast<std::uint32_t>(spawned.nodes.size()), count);
        spawned.spawn(of.world(), count, addToWorld != 0, of.list);
        for (const EntityId id : of.list) of.noteMade(id);
        made = of.copyList(ids, room);
    });
    return made;
}

// Makes one instance, in the world. Gives the id of its root, whose value is held as that of a new entity (newEntity).
int spawnOne(std::uint32_t link, std::uint32_t prefab, EntityId* out) noexcept {
    return guarded([&] {
        WorldLink& of = WorldLink::requireOpen(link);
        const Prefab& spawned = of.prefabAt(prefab);
        of.values.makeRoomForNew();
        of.makeRoomForMade(static_cast<std::uint32_t>(spawned.nodes.size()), 1);
        spawned.spawn(of.world(), 1, true, of.list);
        for (const EntityId id : of.list) of.noteMade(id);
        of.values.noteNew(Entity(of.world(), of.list.front()));
        *out = of.list.front();
    });
}

}  // namespace

std::span<const FfiFunction> prefabFunctions() {
    static const FfiFunction functions[] = {
        ffiFunction("removePrefab", &removePrefab),
        ffiFunction("lastSerial", &lastSerial),
        ffiFunction("spawnPrefab", &spawnPrefab),
        ffiFunction("spawnOne", &spawnOne),
    };
    return functions;
}

}  // namespace revenant
