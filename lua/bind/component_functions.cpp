// What component data call by FFI.

#include <cstring>

#include "lua/bind/ffi_function.hpp"
#include "lua/state/error_carrier.hpp"
#include "lua/state/world_link.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

ComponentType& typeOf(WorldCore& world, std::uint32_t type) {
    if (type >= world.components().count())
        fail(ErrorCode::UnknownComponent, "no component has the number ", type);
    return world.components().at(static_cast<ComponentTypeId>(type));
}

// -1: there is no component of that name.
int findType(std::uint32_t link, const char* name, std::uint32_t length) noexcept {
    int found = -1;
    guarded([&] {
        const ComponentType* type =
            WorldLink::require(link).core().components().find({name, length});
        if (type) found = type->id;
    });
    return found;
}

int addComponent(std::uint32_t link, std::uint32_t index, std::uint32_t generation,
                 std::uint32_t type, const void* bytes) noexcept {
    return guarded([&] {
        WorldLink& of = WorldLink::requireOpen(link);
        WorldCore& world = of.core();
        ComponentType& added = typeOf(world, type);
        if (world.task()) [[unlikely]] {
            of.entity(index, generation).addComponent(added, bytes);
            return;
        }
        EntityRecord& record = world.requireRecord(EntityId{index, generation}, "addComponent");
        world.bind(record, world.checkedForAdd(record, added), bytes);
    });
}

int removeComponent(std::uint32_t link, std::uint32_t index, std::uint32_t generation,
                    std::uint32_t type) noexcept {
    return guarded([&] {
        WorldLink& of = WorldLink::requireOpen(link);
        ComponentType& removed = typeOf(of.core(), type);
        std::uint32_t table = 0;
        if (of.lifecycles.any())
            if (const EntityRecord* record = of.core().forest().pool.find({index, generation}))
                if (const std::byte* slot = record->slotOf(removed.id); slot && removed.hooks)
                    std::memcpy(&table, slot, sizeof table);
        of.lifecycles.makeRoomToNote();
        of.entity(index, generation).removeComponent(removed);
        if (table != 0) of.lifecycles.noteUnbound(table);
    });
}

// The component for reading; null where there is none, or no such entity.
const void* findComponent(std::uint32_t link, std::uint32_t index, std::uint32_t generation,
                          std::uint32_t type) noexcept {
    const WorldLink* of = WorldLink::find(link);
    if (!of) return nullptr;
    const std::byte* found = nullptr;
    guarded([&] {
        const EntityPool& pool = of->core().forest().pool;
        const EntityRecord* record = pool.find({index, generation});
        // Listeners can still read an entity that a rewind has just taken back past its birth.
        if (!record && of->isListening()) record = pool.findKnown({index, generation});
        if (record) found = record->slotOf(static_cast<ComponentTypeId>(type));
    });
    return found;
}

// The same for writing: marked changed at this tick. Null as well for the content of a world that a load is about to
// replace.
void* writeComponent(std::uint32_t link, std::uint32_t index, std::uint32_t generation,
                     std::uint32_t type) noexcept {
    std::byte* found = nullptr;
    guarded([&] {
        WorldCore& world = WorldLink::require(link).core();
        EntityRecord* record = world.forest().pool.find({index, generation});
        if (!record || (world.isReplacing() && record->managed)) return;
        ComponentType& component = typeOf(world, type);
        if (!record->managed && record->parked)
            world.components().unpark(*record, world.getClock());
        found = record->slotOf(component.id);
        if (found) component.pool.markChanged(found, world.getClock());
    });
    return found;
}

// What component_handle.lua keeps of a component: where it was found, and when. All but the first line is good only while
// `moves` is the world's count.
struct HandleCells {
    std::uint32_t index, generation, link;
    std::int32_t
        slot;  // where it is in its page; < 0 where it must be opened before it is written to
    std::uint32_t type;
    double moves;
    const double* now;
    void* at;
    ComponentPool::Page* page;
    const Clock* clock;
};

// Whether the slot is still that of the component. Looked up in dense arrays, as records are far apart. Components that are
// unbound keep their slots there until the next reconcile, and unborn entities are not told from others.
bool isSlotKept(const HandleCells& cells, const WorldCore& world) noexcept {
    if (cells.slot < 0 || world.isInPast() || !world.components().retired().empty()) return false;
    const auto slot = static_cast<std::uint32_t>(cells.slot);
    return !world.forest().pool.isStale({cells.index, cells.generation}) &&
           cells.page->owners[slot] == cells.index &&
           (cells.page->taken[slot / 64] >> (slot % 64) & 1) != 0;
}

// Whether the component is where it was found: then the cells are good again. Most moves are of other entities.
bool isStillThere(HandleCells& cells) noexcept {
    const WorldLink* of = cells.at ? WorldLink::find(cells.link) : nullptr;
    if (!of || of->hasEnded()) return false;
    const WorldCore& world = of->core();
    if (world.isReplacing()) return false;
    if (!isSlotKept(cells, world)) {
        const EntityRecord* record = world.forest().pool.find({cells.index, cells.generation});
        if (!record || record->slotOf(static_cast<ComponentTypeId>(cells.type)) != cells.at)
            return false;
    }
    cells.moves = *cells.now;
    return true;
}

// `isLasting`: the cells may be used until something moves; else they are for this access only.
void fillCells(HandleCells& cells, const WorldLink& of, const void* found, bool isOpen,
               bool isLasting) noexcept {
    const WorldCore& world = of.core();
    const ComponentPool& pool =
        world.components().at(static_cast<ComponentTypeId>(cells.type)).pool;
    const auto* slot = static_cast<const std::byte*>(found);
    cells.moves = isLasting ? *cells.now : 0;
    cells.at = const_cast<void*>(found);  // not written to unless it is open
    cells.page = isOpen ? &pool.pageOf(slot) : nullptr;
    cells.slot = isOpen ? static_cast<std::int32_t>(pool.indexIn(*cells.page, slot)) : -1;
    cells.clock = world.clockAddress();
}

// Fills in where the component is now, for reading or for writing. No Lua runs in between, so that nothing can move.
// 1: there is none.
int findForHandle(void* handle) noexcept {
    auto& cells = *static_cast<HandleCells*>(handle);
    if (isStillThere(cells)) return 0;
    const void* found = findComponent(cells.link, cells.index, cells.generation, cells.type);
    if (!found) return 1;
    // Where nothing need be opened, the component is open for writing, too, as most handles are written to. Exceptions are the
    // content of a world that a load is about to replace, nor an entity that only listeners can still read.
    const WorldLink& of = *WorldLink::find(cells.link);
    const EntityRecord* record = of.core().forest().pool.find({cells.index, cells.generation});
    fillCells(cells, of, found, record && !record->parked && !of.core().isReplacing(),
              record != nullptr);
    return 0;
}
[[gnu::noinline]] int openForHandle(void* handle) noexcept {
    auto& cells = *static_cast<HandleCells*>(handle);
    if (cells.slot >= 0 && isStillThere(cells)) {
        ComponentPool::markChanged(*cells.page, static_cast<std::uint32_t>(cells.slot),
                                   *cells.clock);
        return 0;
    }
    const void* found = writeComponent(cells.link, cells.index, cells.generation, cells.type);
    if (!found) return 1;
    fillCells(cells, *WorldLink::find(cells.link), found, true, true);
    return 0;
}

// Called before a component is written to: opens it where need be, and marks it changed. One call for both, so that
// compiled loops have one path.
int touchForHandle(void* handle) noexcept {
    const auto& cells = *static_cast<const HandleCells*>(handle);
    if (cells.slot < 0 || cells.moves != *cells.now) [[unlikely]]
        return openForHandle(handle);
    ComponentPool::markChanged(*cells.page, static_cast<std::uint32_t>(cells.slot), *cells.clock);
    return 0;
}

// Where the number of moves is counted (ComponentStore::moves); null where there is no such world.
const double* getMoves(std::uint32_t link) noexcept {
    const double* moves = nullptr;
    guarded([&] { moves = WorldLink::require(link).core().components().moves().address(); });
    return moves;
}

int hasComponent(std::uint32_t link, std::uint32_t index, std::uint32_t generation,
                 std::uint32_t type, double* out) noexcept {
    return guarded([&] {
        WorldLink& of = WorldLink::require(link);
        const EntityRecord* known =
            of.isListening() ? of.core().forest().pool.findKnown({index, generation}) : nullptr;
        const EntityRecord& record =
            known ? *known : of.core().requireRecord(of.entity(index, generation), "hasComponent");
        *out = record.shape->has(static_cast<ComponentTypeId>(type)) ? 1 : 0;
    });
}

int setComponentEnabled(std::uint32_t link, std::uint32_t index, std::uint32_t generation,
                        std::uint32_t type, int on) noexcept {
    return guarded([&] {
        WorldLink& of = WorldLink::requireOpen(link);
        of.entity(index, generation)
            .setComponentEnabled(typeOf(of.core(), type).schema.name, on != 0);
    });
}

int isComponentEnabled(std::uint32_t link, std::uint32_t index, std::uint32_t generation,
                       std::uint32_t type, double* out) noexcept {
    return guarded([&] {
        WorldLink& of = WorldLink::require(link);
        const bool on =
            of.entity(index, generation).isComponentEnabled(typeOf(of.core(), type).schema.name);
        *out = on ? 1 : 0;
    });
}

// Writes all of a component. 1: there is none.
int setComponent(std::uint32_t link, std::uint32_t index, std::uint32_t generation,
                 std::uint32_t type, const void* bytes) noexcept {
    void* found = writeComponent(link, index, generation, type);
    if (!found) return 1;
    return guarded([&] {
        const WorldCore& world = WorldLink::require(link).core();
        std::memcpy(found, bytes,
                    world.components().at(static_cast<ComponentTypeId>(type)).schema.size);
    });
}

int intern(std::uint32_t link, const char* text, std::uint32_t length, double* out) noexcept {
    return guarded([&] {
        *out = WorldLink::require(link)
                   .core()
                   .components()
                   .strings()
                   .internField({text, length})
                   .value;
    });
}

int getText(std::uint32_t link, std::uint32_t id, FfiText* out) noexcept {
    return guarded([&] {
        const std::string& text =
            WorldLink::require(link).core().components().strings().text(StringId{id});
        *out = {text.data(), static_cast<std::uint32_t>(text.size())};
    });
}

// Grows when ids of strings may have been used again, so that texts cached by id are out of date.
std::uint32_t getStringReuses(std::uint32_t link) noexcept {
    std::uint32_t reuses = 0;
    guarded([&] { reuses = WorldLink::require(link).core().components().strings().reuses(); });
    return reuses;
}

}  // namespace

std::span<const FfiFunction> componentFunctions() {
    static const FfiFunction functions[] = {
        ffiFunction("findType", &findType),
        ffiFunction("addComponent", &addComponent),
        ffiFunction("removeComponent", &removeComponent),
        ffiFunction("findComponent", &findComponent),
        ffiFunction("writeComponent", &writeComponent),
        ffiFunction("findForHandle", &findForHandle),
        ffiFunction("openForHandle", &openForHandle),
        ffiFunction("touchForHandle", &touchForHandle),
        ffiFunction("getMoves", &getMoves),
        ffiFunction("setComponent", &setComponent),
        ffiFunction("hasComponent", &hasComponent),
        ffiFunction("setComponentEnabled", &setComponentEnabled),
        ffiFunction("isComponentEnabled", &isComponentEnabled),
        ffiFunction("intern", &intern),
        ffiFunction("getText", &getText),
        ffiFunction("getStringReuses", &getStringReuses),
    };
    return functions;
}

}  // namespace revenant
