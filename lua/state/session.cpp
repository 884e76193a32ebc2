#include "lua/state/session.hpp"

#include <lua.hpp>

#include "lua/state/error_carrier.hpp"
#include "lua/state/world_link.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

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
    // What others keep of this state finds out by its token, which is gone already.
    // By index: components that are told that they are gone may do anything.
    for (std::size_t i = 0; i < links_.size(); ++i) links_[i]->close();
    links_.clear();
    trash_.clear();
    worlds_.clear();
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
    links_.push_back(std::make_unique<WorldLink>(*this, world));
    return *links_.back();
}

World& Session::makeWorld() {
    worlds_.push_back(std::make_unique<World>());
    return *worlds_.back();
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

LuaReference::LuaReference(lua_State* state)
    : session_(Session::sharedOf(state)), reference_(luaL_ref(state, LUA_REGISTRYINDEX)) {}

LuaReference::~LuaReference() {
    if (const auto session = Session::lock(session_))
        luaL_unref(session->state(), LUA_REGISTRYINDEX, reference_);
}

void LuaReference::push(lua_State* state) const {
    lua_rawgeti(state, LUA_REGISTRYINDEX, reference_);
}

}  // namespace revenant
