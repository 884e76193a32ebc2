#include "lua/state/session.hpp"

#include <algorithm>
#include <atomic>
#include <lua.hpp>

#include "lua/state/error_carrier.hpp"
#include "lua/state/world_link.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "world/core/error_list.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

// The session that uses the process-wide world; null: none does.
std::atomic<const Session*> instanceUser{nullptr};
// Of all sessions, so that it costs nothing to ask while there are none.
std::atomic<int> gravesWaiting{0};

// The address is the key of the session in the registry.
const char sessionKey = 0;

int endSession(lua_State* state) {
    auto* session = static_cast<std::shared_ptr<Session>*>(lua_touserdata(state, 1));
    if (*session) (*session)->close();
    session->reset();
    return 0;
}

std::shared_ptr<Session>* find(lua_State* state) {
    lua_pushlightuserdata(state, const_cast<char*>(&sessionKey));
    lua_rawget(state, LUA_REGISTRYINDEX);
    auto* found = static_cast<std::shared_ptr<Session>*>(lua_touserdata(state, -1));
    lua_pop(state, 1);
    return found;
}

}  // namespace

Session::Session(lua_State* main) : main_(main), current_(main) {}

Session::~Session() {
    close();
}

void Session::close() noexcept {
    isClosed_ = true;
    emptyTrash();
    // Objects that outlive this state notice that its token is gone.
    // NOLINTNEXTLINE(modernize-loop-convert): onDestroyed of a component may make another link
    for (std::size_t i = 0; i < links_.size(); ++i) links_[i]->close();
    for (const auto& link : links_) link->dropHistories();
    trash_.clear();
    bury(std::exchange(graves_, {}));
    links_.clear();
    worlds_.clear();
    const Session* self = this;
    instanceUser.compare_exchange_strong(self, nullptr);
}

std::shared_ptr<Session> Session::sharedOf(lua_State* state) {
    if (const auto* known = find(state)) return *known;
    lua_pushlightuserdata(state, const_cast<char*>(&sessionKey));
    auto* session = new (lua_newuserdata(state, sizeof(std::shared_ptr<Session>)))
        std::shared_ptr<Session>(std::make_shared<Session>(state));
    lua_createtable(state, 0, 1);
    lua_pushcfunction(state, &endSession);
    lua_setfield(state, -2, "__gc");
    lua_setmetatable(state, -2);
    lua_rawset(state, LUA_REGISTRYINDEX);
    return *session;
}

std::shared_ptr<Session> Session::lock(const std::weak_ptr<Session>& token) noexcept {
    auto session = token.lock();
    return session && !session->isClosed_ ? session : nullptr;
}

Session& Session::of(lua_State* state) {
    const auto* known = find(state);
    if (!known || !*known)
        fail(ErrorCode::WrongState, "this Lua state is being closed; revenant is gone from it");
    return **known;
}

Session::Entry::Entry(lua_State* state)
    : session_((Session::of(state), sharedOf(state))), before_(session_->current_) {
    session_->current_ = state;
}

Session::Entry::~Entry() {
    session_->current_ = before_;
}

WorldLink& Session::link(World& world) {
    for (const auto& link : links_)
        if (link->isTo(world)) return *link;
    if (&world == &World::getInstance()) claimInstance();
    links_.push_back(std::make_unique<WorldLink>(*this, world));
    return *links_.back();
}

void Session::claimInstance() {
    const Session* user = nullptr;
    if (!instanceUser.compare_exchange_strong(user, this) && user != this)
        fail(ErrorCode::WrongState,
             "getInstance: another Lua state of this process uses the process-wide world; make a "
             "world of your own with World:new(), or close that state first");
}

World& Session::makeWorld() {
    worlds_.push_back(std::make_unique<World>());
    WorldCore::of(*worlds_.back()).components().keepMapped();
    return *worlds_.back();
}

void Session::dispose(std::uint32_t number) {
    WorldLink& link = WorldLink::requireOpen(number);
    const auto world =
        std::ranges::find_if(worlds_, [&](const auto& each) { return link.isTo(*each); });
    if (world == worlds_.end())
        fail(ErrorCode::BadArgument,
             "dispose: only a world made by World:new() can be disposed of; reset() empties any "
             "other");
    if (link.core().isTicking())
        fail(ErrorCode::Reentrant,
             "dispose: called from inside a tick, a listener or a hook of the world; dispose of it "
             "between ticks");
    graves_.reserve(graves_.size() + 1);
    ErrorList errors;
    link.end(errors);
    // Searched again: components may have made worlds when they were called for the end.
    const auto owner =
        std::ranges::find_if(worlds_, [&](const auto& each) { return link.isTo(*each); });
    const auto own = std::ranges::find(links_, &link, &std::unique_ptr<WorldLink>::get);
    if (owner != worlds_.end() && own != links_.end()) {
        Grave& grave = graves_.emplace_back();
        grave.histories = link.dropHistories();
        std::erase_if(trash_, [&](auto& rewind) {
            if (!link.isTo(rewind->getWorld())) return false;
            grave.histories.push_back(std::move(rewind));
            return true;
        });
        grave.world = std::move(*owner);
        grave.link = std::move(*own);
        worlds_.erase(owner);
        links_.erase(own);
        ++gravesWaiting;
    }
    errors.raise();
}

bool Session::hasGraves() noexcept {
    return gravesWaiting > 0;
}

void Session::emptyGraves(lua_State* state) noexcept {
    const auto* known = find(state);
    if (known && *known) bury(std::exchange((*known)->graves_, {}));
}

void Session::bury(std::vector<Grave> graves) noexcept {
    for (Grave& grave : graves) {
        grave.histories.clear();
        grave.world.reset();
        grave.link.reset();
        --gravesWaiting;
    }
}

void Session::discard(std::shared_ptr<TimeRewindSys> rewind) {
    trash_.push_back(std::move(rewind));
}

void Session::emptyTrash() {
    std::erase_if(
        trash_, [](const auto& rewind) { return !WorldCore::of(rewind->getWorld()).isTicking(); });
}

void Session::pushCore(lua_State* state, const char* function) const {
    lua_rawgeti(state, LUA_REGISTRYINDEX, coreReference);
    lua_getfield(state, -1, function);
    lua_remove(state, -2);
}

namespace {

// Pushes the table in which the values of a link's world are kept; false where it is gone, with nothing pushed.
// Allocates nothing: no finalizer may run in a destructor.
bool pushKeptValues(lua_State* state, const Session& session, std::uint32_t link) {
    lua_rawgeti(state, LUA_REGISTRYINDEX, session.keptReference);
    lua_rawgeti(state, -1, static_cast<int>(link));
    lua_remove(state, -2);
    if (lua_istable(state, -1)) return true;
    lua_pop(state, 1);
    return false;
}

}  // namespace

LuaReference::LuaReference(lua_State* state)
    : session_(Session::sharedOf(state)), reference_(luaL_ref(state, LUA_REGISTRYINDEX)) {}

LuaReference::LuaReference(lua_State* state, std::uint32_t link)
    : session_(Session::sharedOf(state)), link_(link), reference_(LUA_NOREF) {
    if (!pushKeptValues(state, Session::of(state), link))
        fail(ErrorCode::WrongState, "this world has ended");
    lua_insert(state, -2);
    reference_ = luaL_ref(state, -2);
    lua_pop(state, 1);
}

LuaReference::~LuaReference() {
    const auto session = Session::lock(session_);
    if (!session || lua_checkstack(session->state(), 8) == 0) return;
    lua_State* state = session->state();
    if (link_ == 0)
        luaL_unref(state, LUA_REGISTRYINDEX, reference_);
    else if (pushKeptValues(state, *session, link_)) {
        luaL_unref(state, -1, reference_);
        lua_pop(state, 1);
    }
}

void LuaReference::push(lua_State* state) const {
    if (link_ == 0)
        lua_rawgeti(state, LUA_REGISTRYINDEX, reference_);
    else if (pushKeptValues(state, Session::of(state), link_)) {
        lua_rawgeti(state, -1, reference_);
        lua_remove(state, -2);
    } else {
        lua_pushnil(state);
    }
}

}  // namespace revenant
