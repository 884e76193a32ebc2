#include "lua/state/world_link.hpp"

#include <algorithm>
#include <lua.hpp>
#include <utility>

#include "lua/state/error_carrier.hpp"
#include "lua/state/link_numbers.hpp"
#include "lua/state/lua_values.hpp"
#include "lua/state/session.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "views/rows/view_tables.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

constexpr int mostTries = 100;

}  // namespace

WorldLink::WorldLink(Session& session, World& world)
    : values(WorldCore::of(world)),
      session_(session),
      world_(&world),
      number_(LinkNumbers::add(*this)),
      isInstance_(&world == &World::getInstance()) {
    try {
        observe();
    } catch (...) {
        LinkNumbers::remove(number_);
        throw;
    }
}

void WorldLink::observe() {
    // Defined up front, so scripts can subscribe before the emitter exists.
    for (const char* event : {"rewindStarted", "rewindEnded", "levelLoaded", "levelUnloaded"})
        world_->defineEvent(event);
    // Observers are called in the order in which they were made. Views come first, so that Lua opens columns
    // on rows that are up to date.
    core().observer<ViewTables>();
    mark_ = core().observer<WorldLinks>().add(*this);
}

WorldLink::~WorldLink() {
    LinkNumbers::remove(number_);
}

void WorldLink::failEnded() {
    fail(ErrorCode::WrongState, "this world has ended");
}

void WorldLink::failInHook() {
    fail(ErrorCode::Reentrant,
         "getRewindState, restoreRewindState, lerpRewindState and migrate only read and write "
         "their own state; they cannot change the world");
}

lua_State* WorldLink::luaState() const noexcept {
    return session_.state();
}

// Errors that components raise at the end wait for the next reconcile; without a world they are dropped, as no call is left
// to raise them.
void WorldLink::endLifecycles(bool hasWorld) noexcept {
    ErrorList errors;
    lifecycles.endAll(hasWorld, errors);
    if (hasWorld && !session_.isClosed()) core().reconciler().heldErrors().add(std::move(errors));
}

void WorldLink::forgetWorld() noexcept {
    values.clear();
    retained_.clear();
    views.forget();
    matches.clear();
    world_ = nullptr;  // first: what components call now finds no world any more
    endLifecycles(false);
}

// ---- values

void WorldLink::sweepValues() noexcept {
    if (!world_) return;
    const auto memory = core().useReserve();
    try {
        values.sweep();
        isSwept_ = true;
    } catch (const std::bad_alloc&) {
        isSwept_ = false;  // the next reconcile looks again
    }
    tellMoves();
}

void WorldLink::tellMoves() noexcept {
    // A script's finalizer may run meanwhile and cause further moves: they are reported after these.
    if (isTelling_) return;
    isTelling_ = true;
    lua_State* state = session_.state();
    EntityValues::Moves told;
    // Only such finalizers can raise here; by then each has run.
    for (int tries = 0; tries < mostTries; ++tries) {
        if (told.empty()) std::swap(told, values.moves);
        if (told.empty()) break;
        try {
            protect(state, [&](lua_State* inside) {
                session_.pushCore(inside, "moveValues");
                lua_pushnumber(inside, number_);
                for (const auto* moved : {&told.promoted, &told.demoted, &told.dropped}) {
                    lua_pushnumber(inside, static_cast<lua_Number>(
                                               reinterpret_cast<std::uintptr_t>(moved->data())));
                    lua_pushnumber(inside, static_cast<lua_Number>(moved->size()));
                }
                lua_call(inside, 7, 0);
            });
            told.clear();
        } catch (const std::exception&) {
            continue;
        }
    }
    if (told.empty() && values.moves.empty())
        std::swap(told, values.moves);  // its memory is good for the next time
    else
        values.moves.addBefore(told);
    isTelling_ = false;
}

// ---- references

void WorldLink::retain(Entity entity) {
    std::uint32_t& count = retained_[entity.getId()];
    try {
        entity.retain();
    } catch (...) {
        if (count == 0) retained_.erase(entity.getId());
        throw;
    }
    ++count;
}

void WorldLink::release(Entity entity) {
    const auto found = retained_.find(entity.getId());
    if (found == retained_.end() && entity.isValid())
        fail(ErrorCode::ReleaseBelowZero, "release: ", describe(entity),
             " is not retained by a script; every release needs a retain of the same entity before "
             "it");
    entity.release();
    if (--found->second == 0) retained_.erase(found);
}

// ---- lifecycles

void WorldLink::destroy(Entity entity) {
    std::vector<EntityId> members;
    EntityRecord* top = core().forest().pool.find(entity.getId());
    if (top) core().refusePast(*top, "destroy");
    for (EntityRecord* at = top; at; at = nextInSubtree(at, top)) {
        if (this->entity(at->id.index, at->id.generation).getState() != EntityState::Detached ||
            at->ownRefs > 0)
            return entity.destroy();  // which refuses
        if (mayAct()) members.push_back(at->id);
    }
    ErrorList errors;
    for (const EntityId id : members) {
        if (const EntityRecord* member = core().forest().pool.find(id))
            lifecycles.tellLeaving(*member, errors);
        if (!hasEnded()) matches.tellLeaving(id, errors);
        if (hasEnded()) return;
    }
    core().reconciler().heldErrors().add(std::move(errors));
    if (members.empty() || entity.isValid()) entity.destroy();  // a script may have, meanwhile
}

// ---- prefabs

std::uint32_t WorldLink::addPrefab(Prefab prefab) {
    auto free = std::find(prefabs_.begin(), prefabs_.end(), nullptr);
    if (free == prefabs_.end()) free = prefabs_.insert(free, nullptr);
    *free = std::make_unique<Prefab>(std::move(prefab));
    return static_cast<std::uint32_t>(free - prefabs_.begin());
}

void WorldLink::removePrefab(std::uint32_t number) noexcept {
    if (number < prefabs_.size()) prefabs_[number] = nullptr;
}

const Prefab& WorldLink::prefabAt(std::uint32_t number) const {
    if (number >= prefabs_.size() || !prefabs_[number])
        fail(ErrorCode::BadArgument, "no prefab has the number ", number);
    return *prefabs_[number];
}

// ---- of the observer

void WorldLink::onClockRaised() noexcept {
    views.closeColumns();
    // Where C++ runs the loop, nothing has swept since the last tick.
    if (!isSwept_) {
        values.sweep();
        tellMoves();
    }
    isSwept_ = false;
}

void WorldLink::onReconcile(const ChangeSet& changes) {
    values.onReconcile(changes);
    tellMoves();
    lifecycles.onReconcile(changes);
    matches.onReconcile(changes);
}

void WorldLink::onChangesTold(ErrorList& errors) {
    lifecycles.tellChanges(errors);
    matches.tell(errors);
}

void WorldLink::onDestroyedTold(ErrorList& errors) {
    lifecycles.tellDestroyed(errors);
}

// Throws if Lua cannot read the saved resource, or if it is one of the module's own and is invalid.
void WorldLink::checkResource(const std::string& name, const Value& value) {
    try {
        const HookScope scope(*this);
        protect(session_.state(), [&](lua_State* inside) {
            session_.pushCore(inside, "checkResource");
            lua_pushlstring(inside, name.data(), name.size());
            pushValue(inside, value, *this);
            callLua(inside, 2, 1);
            failIfSentence(inside, -1);
        });
    } catch (const Error& error) {
        error.throwBehind("resource '" + name + "': ");
    }
}

void WorldLink::onReplace() {
    retained_.clear();
    protect(session_.state(), [this](lua_State* inside) {
        session_.pushCore(inside, "forgetDeferred");
        lua_pushnumber(inside, number_);
        lua_call(inside, 1, 0);
    });
}

void WorldLink::onReset() noexcept {
    endLifecycles(true);
    matches.clear();
    views.releaseAll();
    values.clear();
    retained_.clear();
    tables.clear();
    listeners.clear();
    try {
        protect(session_.state(), [this](lua_State* inside) {
            session_.pushCore(inside, "forgetAll");
            lua_pushnumber(inside, number_);
            lua_call(inside, 1, 0);
        });
    } catch (const std::exception&) {
        return;  // what is left in Lua's tables is of stale entities
    }
}

}  // namespace revenant
