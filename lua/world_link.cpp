#include "lua/world_link.hpp"

#include <lua.hpp>

#include "lua/error_carrier.hpp"
#include "lua/session.hpp"
#include "views/view_tables.hpp"

namespace revenant {

namespace {

constexpr int mostTries = 100;

// All links of the process, by number. Never freed: worlds may end after everything else.
std::vector<WorldLink*>& allLinks() {
    static auto* links = new std::vector<WorldLink*>(1, nullptr);
    return *links;
}

}  // namespace

WorldLink::WorldLink(Session& session, World& world)
    : values(world),
      session_(session),
      world_(&world),
      number_(static_cast<std::uint32_t>(allLinks().size())) {
    allLinks().push_back(this);
    world.observer<ViewTables>();  // first: columns are opened from rows that are up to date
    world.observer<WorldLinks>().add(*this);
    // Who listens may come before what fires.
    for (const char* event : {"rewindStarted", "rewindEnded", "levelLoaded", "levelUnloaded"})
        world.listeners().defineEvent(event);
}

WorldLink::~WorldLink() {
    allLinks()[number_] = nullptr;
}

WorldLink* WorldLink::find(std::uint32_t number) noexcept {
    return number < allLinks().size() ? allLinks()[number] : nullptr;
}

WorldLink& WorldLink::require(std::uint32_t number) {
    WorldLink* link = find(number);
    if (!link || !link->world_) fail(ErrorCode::WrongState, "this world has ended");
    return *link;
}

WorldLink& WorldLink::requireOpen(std::uint32_t number) {
    WorldLink& link = require(number);
    if (link.hooks_ > 0)
        fail(ErrorCode::Reentrant,
             "getRewindState and restoreRewindState only read and write their own state; they "
             "cannot "
             "change the world");
    return link;
}

World& WorldLink::world() const {
    if (!world_) fail(ErrorCode::WrongState, "this world has ended");
    return *world_;
}

void WorldLink::close() noexcept {
    if (!world_) return;
    for (const ListenerToken token : listeners) {
        try {
            world_->off(token);
        } catch (const Error&) {
            continue;  // went with a reset
        }
    }
    for (const auto& weak : systems)
        if (const auto system = weak.lock())
            if (world_->getSystem(system->getName()) == system.get())
                world_->unregisterSystem(*system);
    for (const auto& [id, count] : retained_)
        for (std::uint32_t i = 0; i < count && Entity(*world_, id).isValid(); ++i)
            Entity(*world_, id).release();
    world_->observer<WorldLinks>().remove(*this);
    forgetWorld();
}

void WorldLink::forgetWorld() noexcept {
    values.clear();
    retained_.clear();
    views.forget();
    world_ = nullptr;
}

// ---- values

void WorldLink::sweepValues() {
    values.sweep();
    isSwept_ = true;
    tellMoves();
}

void WorldLink::tellMoves() noexcept {
    // A finalizer of the script's own may run meanwhile, and make things move: that is told after this.
    if (isTelling_) return;
    isTelling_ = true;
    lua_State* state = session_.state();
    EntityValues::Moves told;
    // Only such finalizers can raise here: each has had its turn then.
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
    entity.retain();
    ++retained_[entity.getId()];
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

// ---- prefabs

std::uint32_t WorldLink::addPrefab(Prefab prefab) {
    prefabs_.push_back(std::make_unique<Prefab>(std::move(prefab)));
    return static_cast<std::uint32_t>(prefabs_.size() - 1);
}

const Prefab& WorldLink::prefabAt(std::uint32_t number) const {
    if (number >= prefabs_.size())
        fail(ErrorCode::BadArgument, "no prefab has the number ", number);
    return *prefabs_[number];
}

// ---- of the observer

void WorldLink::onClockRaised() noexcept {
    views.closeColumns();
    // Where C++ keeps the loop nobody has looked since the last tick.
    if (!isSwept_) {
        values.sweep();
        tellMoves();
    }
    isSwept_ = false;
}

void WorldLink::onReconcile(const ChangeSet& changes) {
    values.onReconcile(changes);
    tellMoves();
}

void WorldLink::onReset() noexcept {
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

// ---- WorldLinks

WorldLinks::~WorldLinks() {
    for (WorldLink* link : links_) link->forgetWorld();
}

void WorldLinks::onReconcile(const ChangeSet& changes) {
    for (WorldLink* link : links_) link->onReconcile(changes);
}

void WorldLinks::onClockRaised() {
    for (WorldLink* link : links_) link->onClockRaised();
}

void WorldLinks::onReset() {
    for (WorldLink* link : links_) link->onReset();
}

}  // namespace revenant
