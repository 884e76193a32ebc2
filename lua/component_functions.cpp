// What component data, prefabs and script components call by FFI.

#include <cstring>

#include "lua/error_carrier.hpp"
#include "lua/ffi_function.hpp"
#include "lua/prefab.hpp"
#include "lua/world_link.hpp"

namespace revenant {

namespace {

struct TextOut {
    const char* text;
    std::uint32_t length;
};

ComponentType& typeOf(World& world, std::uint32_t type) {
    if (type >= world.components().count())
        fail(ErrorCode::UnknownComponent, "no component has the number ", type);
    return world.components().at(static_cast<ComponentTypeId>(type));
}

// -1: there is no component of that name.
int findType(std::uint32_t link, const char* name, std::uint32_t length) noexcept {
    int found = -1;
    guarded([&] {
        const ComponentType* type =
            WorldLink::require(link).world().components().find({name, length});
        if (type) found = type->id;
    });
    return found;
}

int addComponent(std::uint32_t link, std::uint32_t index, std::uint32_t generation,
                 std::uint32_t type, const void* bytes) noexcept {
    return guarded([&] {
        WorldLink& of = WorldLink::requireOpen(link);
        of.entity(index, generation).addComponent(typeOf(of.world(), type), bytes);
    });
}

int removeComponent(std::uint32_t link, std::uint32_t index, std::uint32_t generation,
                    std::uint32_t type) noexcept {
    return guarded([&] {
        WorldLink& of = WorldLink::requireOpen(link);
        of.entity(index, generation).removeComponent(typeOf(of.world(), type));
    });
}

// The component for reading; null where there is none, or no such entity.
const void* findComponent(std::uint32_t link, std::uint32_t index, std::uint32_t generation,
                          std::uint32_t type) noexcept {
    const WorldLink* of = WorldLink::find(link);
    if (!of) return nullptr;
    const std::byte* found = nullptr;
    guarded([&] {
        const EntityRecord* record = of->world().forest().pool.find({index, generation});
        if (record) found = record->slotOf(static_cast<ComponentTypeId>(type));
    });
    return found;
}

// The same for writing: marked changed at this tick.
void* writeComponent(std::uint32_t link, std::uint32_t index, std::uint32_t generation,
                     std::uint32_t type) noexcept {
    std::byte* found = nullptr;
    guarded([&] {
        World& world = WorldLink::require(link).world();
        EntityRecord* record = world.forest().pool.find({index, generation});
        if (!record) return;
        ComponentType& component = typeOf(world, type);
        if (!record->managed && record->parked)
            world.components().unpark(*record, world.getClock());
        found = record->slotOf(component.id);
        if (found) component.pool.markChanged(found, world.getClock());
    });
    return found;
}

int hasComponent(std::uint32_t link, std::uint32_t index, std::uint32_t generation,
                 std::uint32_t type, double* out) noexcept {
    return guarded([&] {
        WorldLink& of = WorldLink::require(link);
        const EntityRecord& record =
            of.world().requireRecord(of.entity(index, generation), "hasComponent");
        *out = record.shape->has(static_cast<ComponentTypeId>(type)) ? 1 : 0;
    });
}

int setComponentEnabled(std::uint32_t link, std::uint32_t index, std::uint32_t generation,
                        std::uint32_t type, int on) noexcept {
    return guarded([&] {
        WorldLink& of = WorldLink::requireOpen(link);
        of.entity(index, generation)
            .setComponentEnabled(typeOf(of.world(), type).schema.name, on != 0);
    });
}

int isComponentEnabled(std::uint32_t link, std::uint32_t index, std::uint32_t generation,
                       std::uint32_t type, double* out) noexcept {
    return guarded([&] {
        WorldLink& of = WorldLink::require(link);
        const bool on =
            of.entity(index, generation).isComponentEnabled(typeOf(of.world(), type).schema.name);
        *out = on ? 1 : 0;
    });
}

// Writes all of a component. 1: there is none.
int setComponent(std::uint32_t link, std::uint32_t index, std::uint32_t generation,
                 std::uint32_t type, const void* bytes) noexcept {
    void* found = writeComponent(link, index, generation, type);
    if (!found) return 1;
    return guarded([&] {
        const World& world = WorldLink::require(link).world();
        std::memcpy(found, bytes,
                    world.components().at(static_cast<ComponentTypeId>(type)).schema.size);
    });
}

int intern(std::uint32_t link, const char* text, std::uint32_t length, double* out) noexcept {
    return guarded([&] {
        *out = WorldLink::require(link).world().components().strings().intern({text, length}).value;
    });
}

int getText(std::uint32_t link, std::uint32_t id, TextOut* out) noexcept {
    return guarded([&] {
        const std::string& text =
            WorldLink::require(link).world().components().strings().text(StringId{id});
        *out = {text.data(), static_cast<std::uint32_t>(text.size())};
    });
}

// A number for the table of a script component that the entity is about to get.
int addTable(std::uint32_t link, std::uint32_t index, std::uint32_t generation, std::uint32_t type,
             double* out) noexcept {
    return guarded([&] {
        WorldLink& of = WorldLink::require(link);
        *out = of.tables.add({index, generation}, static_cast<ComponentTypeId>(type));
    });
}

void sweepTables(std::uint32_t link) noexcept {
    guarded([&] {
        WorldLink& of = WorldLink::require(link);
        of.tables.sweep(of.world(), of.number());
    });
}
std::uint32_t takeFreedTables(std::uint32_t link, std::uint32_t* out, std::uint32_t room) noexcept {
    std::uint32_t count = 0;
    guarded([&] { count = WorldLink::require(link).tables.takeFreed({out, room}); });
    return count;
}

// Makes `count` instances of a prefab, and tells their ids, each root before its descendants, as far
// as there is room. Answers how many there are; -1: an error.
double spawnPrefab(std::uint32_t link, std::uint32_t prefab, std::uint32_t count, int addToWorld,
                   EntityId* ids, std::uint32_t room) noexcept {
    double made = -1;
    guarded([&] {
        WorldLink& of = WorldLink::requireOpen(link);
        of.prefabAt(prefab).spawn(of.world(), count, addToWorld != 0, of.list);
        made = of.copyList(ids, room);
    });
    return made;
}

#define REVENANT_OF "uint32_t, uint32_t, uint32_t, uint32_t"
const FfiFunction functions[] = {
    ffiFunction("findType", &findType, "int (*)(uint32_t, const char*, uint32_t)"),
    ffiFunction("addComponent", &addComponent, "int (*)(" REVENANT_OF ", const void*)"),
    ffiFunction("removeComponent", &removeComponent, "int (*)(" REVENANT_OF ")"),
    ffiFunction("findComponent", &findComponent, "const void* (*)(" REVENANT_OF ")"),
    ffiFunction("writeComponent", &writeComponent, "void* (*)(" REVENANT_OF ")"),
    ffiFunction("setComponent", &setComponent, "int (*)(" REVENANT_OF ", const void*)"),
    ffiFunction("hasComponent", &hasComponent, "int (*)(" REVENANT_OF ", double*)"),
    ffiFunction("setComponentEnabled", &setComponentEnabled, "int (*)(" REVENANT_OF ", int)"),
    ffiFunction("isComponentEnabled", &isComponentEnabled, "int (*)(" REVENANT_OF ", double*)"),
    ffiFunction("intern", &intern, "int (*)(uint32_t, const char*, uint32_t, double*)"),
    ffiFunction("getText", &getText, "int (*)(uint32_t, uint32_t, revenant_Text*)"),
    ffiFunction("addTable", &addTable, "int (*)(" REVENANT_OF ", double*)"),
    ffiFunction("sweepTables", &sweepTables, "void (*)(uint32_t)"),
    ffiFunction("takeFreedTables", &takeFreedTables, "uint32_t (*)(uint32_t, uint32_t*, uint32_t)"),
    ffiFunction("spawnPrefab", &spawnPrefab,
                "double (*)(uint32_t, uint32_t, uint32_t, int, revenant_Id*, uint32_t)"),
};

}  // namespace

std::span<const FfiFunction> componentFunctions() noexcept {
    return functions;
}

}  // namespace revenant
