// What an entity's methods call by FFI.

#include "lua/bind/ffi_function.hpp"
#include "lua/state/error_carrier.hpp"
#include "lua/state/world_link.hpp"

namespace revenant {

namespace {

// Copies the message of the last error, as much as there is room for. Returns its length.
std::uint32_t fetchError(char* out, std::uint32_t room) noexcept {
    return static_cast<std::uint32_t>(lastError().copy(out, room));
}

int newEntity(std::uint32_t link, const char* name, std::uint32_t length, EntityId* out) noexcept {
    return guarded([&] {
        WorldLink& of = WorldLink::requireOpen(link);
        of.values.makeRoomForNew();
        of.makeRoomForMade(1, 0);
        const Entity made = of.world().newEntity({name, length});
        of.values.noteNew(made);
        of.noteMade(made.getId());
        *out = made.getId();
    });
}

// For an entity whose value Lua has not kept yet: it is held strongly until the next reconcile, as a new one is.
int keepFresh(std::uint32_t link, std::uint32_t index) noexcept {
    return guarded([&] {
        WorldLink& of = WorldLink::require(link);
        const EntityPool& pool = of.core().forest().pool;
        // A finalizer may have destroyed it by now.
        if (index >= pool.count() || !pool.findKnown(pool.idAt(index)))
            return of.values.drop(index);
        of.values.makeRoomForNew();
        of.values.noteNew(of.core().entity(pool.idAt(index)));
    });
}

// What a member function of Entity returns, in `out`.
template <auto Question>
int ask(std::uint32_t link, std::uint32_t index, std::uint32_t generation, double* out) noexcept {
    return guarded([&] {
        const Entity entity = WorldLink::require(link).entity(index, generation);
        *out = static_cast<double>((entity.*Question)());
    });
}
template <auto Request>
int tellWorld(std::uint32_t link, std::uint32_t index, std::uint32_t generation) noexcept {
    return guarded([&] {
        WorldLink& of = WorldLink::requireOpen(link);
        (of.world().*Request)(of.entity(index, generation));
    });
}
template <auto Flag>
int setFlag(std::uint32_t link, std::uint32_t index, std::uint32_t generation, int on) noexcept {
    return guarded([&] {
        Entity entity = WorldLink::requireOpen(link).entity(index, generation);
        (entity.*Flag)(on != 0);
    });
}
template <auto Move>
int moveChild(std::uint32_t link, std::uint32_t index, std::uint32_t generation,
              std::uint32_t childIndex, std::uint32_t childGeneration) noexcept {
    return guarded([&] {
        WorldLink& of = WorldLink::requireOpen(link);
        Entity parent = of.entity(index, generation);
        (parent.*Move)(Entity(of.world(), {childIndex, childGeneration}));
    });
}
// References are counted by link, to be given back when its state is closed.
template <auto Count>
int countReference(std::uint32_t link, std::uint32_t index, std::uint32_t generation) noexcept {
    return guarded([&] {
        WorldLink& of = WorldLink::require(link);
        (of.*Count)(of.entity(index, generation));
    });
}

int isValid(std::uint32_t link, std::uint32_t index, std::uint32_t generation) noexcept {
    const WorldLink* of = WorldLink::find(link);
    if (!of) return 0;
    return guarded([&] {
               if (!of->entity(index, generation).isValid())
                   fail(ErrorCode::StaleEntity, "the entity was destroyed");
           }) == 0;
}
// The number of an EntityState.
int getState(std::uint32_t link, std::uint32_t index, std::uint32_t generation) noexcept {
    int state = static_cast<int>(EntityState::Destroyed);
    guarded([&] {
        state = static_cast<int>(WorldLink::require(link).entity(index, generation).getState());
    });
    return state;
}

int getName(std::uint32_t link, std::uint32_t index, std::uint32_t generation,
            FfiText* out) noexcept {
    return guarded([&] {
        const WorldLink& of = WorldLink::require(link);
        const EntityId id{index, generation};
        // Listeners can still read the name of an entity that a rewind has just taken back past its birth.
        const EntityRecord* record =
            of.isListening() ? of.core().forest().pool.findKnown(id) : nullptr;
        const std::string& name = record ? of.core().components().strings().text(record->name)
                                         : of.entity(index, generation).getName();
        *out = {name.data(), static_cast<std::uint32_t>(name.size())};
    });
}

// What an entity looks like: the number of its shape; 1 enabled + 2 rewindable + 4 persistent, each by itself;
// whether it has children; its disabled components, a bit per position in the shape, in two halves.
int getLooks(std::uint32_t link, std::uint32_t index, std::uint32_t generation,
             double* out) noexcept {
    return guarded([&] {
        WorldLink& of = WorldLink::require(link);
        const EntityRecord& record =
            of.core().requireRecord(of.entity(index, generation), "serialize");
        out[0] = record.shape->id();
        out[1] =
            (record.enabled ? 1 : 0) + (record.rewindable ? 2 : 0) + (record.persistent ? 4 : 0);
        out[2] = record.hasChildren ? 1 : 0;
        out[3] = static_cast<std::uint32_t>(record.disabledComponents());
        out[4] = static_cast<std::uint32_t>(record.disabledComponents() >> 32);
    });
}

int getParent(std::uint32_t link, std::uint32_t index, std::uint32_t generation,
              EntityId* out) noexcept {
    return guarded(
        [&] { *out = WorldLink::require(link).entity(index, generation).getParent().getId(); });
}

// Copies a list to the caller's memory, as far as there is room. The list itself is shared: any allocation in Lua may run
// a finalizer, which may ask for another list. Returns how many there are; -1: an error.
template <class Gather>
double gather(std::uint32_t link, EntityId* ids, std::uint32_t room, Gather from) noexcept {
    double count = -1;
    guarded([&] {
        WorldLink& of = WorldLink::require(link);
        of.list.clear();
        for (const Entity& entity : from(of)) of.list.push_back(entity.getId());
        count = of.copyList(ids, room);
    });
    return count;
}

double getChildren(std::uint32_t link, std::uint32_t index, std::uint32_t generation, EntityId* ids,
                   std::uint32_t room) noexcept {
    return gather(link, ids, room,
                  [&](WorldLink& of) { return of.entity(index, generation).getChildren(); });
}
double getEntities(std::uint32_t link, std::uint32_t which, std::uint32_t /*unused*/, EntityId* ids,
                   std::uint32_t room) noexcept {
    return gather(link, ids, room, [&](WorldLink& of) {
        if (which == 0) return of.world().getAllManagedEntities();
        if (which == 1) return of.world().getActiveEntities();
        return of.world().getZombies();
    });
}
// Destroys the entities with a component, or, without a name, all. Gives the number of those asked to leave in `out`.
int destroyAll(std::uint32_t link, const char* component, std::uint32_t length,
               double* out) noexcept {
    return guarded([&] {
        World& world = WorldLink::requireOpen(link).world();
        *out = static_cast<double>(length == 0 ? world.destroyAll()
                                               : world.destroyAll({component, length}));
    });
}
// What the last query found.
double takeList(std::uint32_t link, EntityId* ids, std::uint32_t room) noexcept {
    double count = -1;
    guarded([&] { count = WorldLink::require(link).copyList(ids, room); });
    return count;
}
int getSpecial(std::uint32_t link, int which, EntityId* out) noexcept {
    return guarded([&] {
        const World& world = WorldLink::require(link).world();
        *out = (which == 0 ? world.getMainCharacter() : world.getMainCamera()).getId();
    });
}
int setSpecial(std::uint32_t link, int which, std::uint32_t index,
               std::uint32_t generation) noexcept {
    return guarded([&] {
        WorldLink& of = WorldLink::requireOpen(link);
        const Entity entity = generation == 0 ? Entity() : of.entity(index, generation);
        if (which == 0)
            of.world().setMainCharacter(entity);
        else
            of.world().setMainCamera(entity);
    });
}

// 1: hold the new value strongly; 0: weakly; -1: the entity was destroyed; -2: an error.
int noteValue(std::uint32_t link, std::uint32_t index, std::uint32_t generation) noexcept {
    WorldLink* of = WorldLink::find(link);
    if (!of || of->hasEnded()) return -1;
    int strongly = -2;
    guarded([&] {
        if (!of->core().isReconciling()) {
            strongly = of->values.note({index, generation});
            return;
        }
        // A reconcile is not undone: scripts are notified of each entity in it, such as those that a save brought.
        const auto memory = of->core().useReserve();
        strongly = of->values.note({index, generation});
    });
    return strongly;
}
void dropValue(std::uint32_t link, std::uint32_t index) noexcept {
    if (WorldLink* of = WorldLink::find(link)) of->values.drop(index);
}
// Copies the indices of values held weakly, from the `first` on, as many as there is room for. Returns
// how many it copied.
std::uint32_t weakValues(std::uint32_t link, std::uint32_t first, std::uint32_t* out,
                         std::uint32_t room) noexcept {
    WorldLink* of = WorldLink::find(link);
    return of ? of->values.copyWeak(first, {out, room}) : 0;
}

}  // namespace

std::span<const FfiFunction> entityFunctions() {
    static const FfiFunction functions[] = {
        ffiFunction("fetchError", &fetchError),
        ffiFunction("newEntity", &newEntity),
        ffiFunction("keepFresh", &keepFresh),
        ffiFunction("addEntity", &tellWorld<&World::addEntity>),
        ffiFunction("removeEntity", &tellWorld<&World::removeEntity>),
        ffiFunction("retain", &countReference<&WorldLink::retain>),
        ffiFunction("release", &countReference<&WorldLink::release>),
        ffiFunction("setEnabled", &setFlag<&Entity::setEnabled>),
        ffiFunction("setRewindable", &setFlag<&Entity::setRewindable>),
        ffiFunction("setPersistent", &setFlag<&Entity::setPersistent>),
        ffiFunction("addChild", &moveChild<&Entity::addChild>),
        ffiFunction("removeChild", &moveChild<&Entity::removeChild>),
        ffiFunction("isValid", &isValid),
        ffiFunction("getState", &getState),
        ffiFunction("isDirty", &ask<&Entity::isDirty>),
        ffiFunction("isEnabled", &ask<&Entity::isEnabled>),
        ffiFunction("isActive", &ask<&Entity::isActive>),
        ffiFunction("isRewindable", &ask<&Entity::isRewindable>),
        ffiFunction("isPersistent", &ask<&Entity::isPersistent>),
        ffiFunction("getRefCount", &ask<&Entity::getRefCount>),
        ffiFunction("getName", &getName),
        ffiFunction("getLooks", &getLooks),
        ffiFunction("getParent", &getParent),
        ffiFunction("getChildren", &getChildren),
        ffiFunction("getEntities", &getEntities),
        ffiFunction("destroyAll", &destroyAll),
        ffiFunction("takeList", &takeList),
        ffiFunction("getSpecial", &getSpecial),
        ffiFunction("setSpecial", &setSpecial),
        ffiFunction("noteValue", &noteValue),
        ffiFunction("dropValue", &dropValue),
        ffiFunction("weakValues", &weakValues),
    };
    return functions;
}

}  // namespace revenant
