#include "lua/script_hooks.hpp"

#include <cstring>
#include <lua.hpp>

#include "lua/error_carrier.hpp"
#include "lua/plain_data.hpp"
#include "lua/session.hpp"
#include "lua/world_link.hpp"

namespace revenant {

namespace {

// Restores the height of the stack.
class StackGuard {
public:
    explicit StackGuard(lua_State* state) : state_(state), top_(lua_gettop(state)) {}
    StackGuard(const StackGuard&) = delete;
    StackGuard& operator=(const StackGuard&) = delete;
    ~StackGuard() { lua_settop(state_, top_); }

private:
    lua_State* state_;
    int top_;
};

ScriptReference referenceOf(const std::byte* component) {
    ScriptReference reference;
    std::memcpy(&reference, component, sizeof reference);
    return reference;
}

}  // namespace

ScriptHooks::ScriptHooks(WorldLink& link, std::string name)
    : world_(link.world()), name_(std::move(name)) {
    adopt(link);
}

void ScriptHooks::adopt(WorldLink& link) {
    session_ = Session::sharedOf(link.session().state());
    link_ = link.number();
}

void ScriptHooks::getRewindState(EntityId owner, const std::byte* component,
                                 std::vector<std::byte>& into) {
    const auto session = session_.lock();
    WorldLink* link = WorldLink::find(link_);
    const ScriptReference reference = referenceOf(component);
    if (!session || !link || reference.link != link_) return;
    lua_State* state = session->state();
    if (lua_checkstack(state, 8) == 0) fail(ErrorCode::LimitReached, "the Lua stack is full");
    const StackGuard guard(state);
    const WorldLink::HookScope scope(*link);
    session->pushCore(state, "getScriptState");
    lua_pushnumber(state, link_);
    lua_pushnumber(state, reference.table);
    callLua(state, 2, 2);
    const int ignored = lua_gettop(state);
    encodePlain(
        state, ignored - 1, lua_istable(state, ignored) ? ignored : 0, *link,
        sentence("component '", name_, "' of entity ", describe(Entity(world_, owner)), ": self"),
        into);
}

void ScriptHooks::restoreRewindState(EntityId owner, std::byte* component,
                                     std::span<const std::byte> data) {
    const auto session = session_.lock();
    WorldLink* link = WorldLink::find(link_);
    const ScriptReference reference = referenceOf(component);
    if (!session || !link || reference.link != link_ || data.empty()) return;
    lua_State* state = session->state();
    if (lua_checkstack(state, 12) == 0) fail(ErrorCode::LimitReached, "the Lua stack is full");
    const StackGuard guard(state);
    const WorldLink::HookScope scope(*link);
    // The component's table, its ignored keys, and its own hook, if it has one.
    session->pushCore(state, "findScript");
    lua_pushnumber(state, link_);
    lua_pushnumber(state, reference.table);
    callLua(state, 2, 3);
    const int top = lua_gettop(state);
    if (!lua_istable(state, top - 2)) return;
    if (lua_isnil(state, top)) {
        decodePlain(state, data, top - 2, lua_istable(state, top - 1) ? top - 1 : 0, *link);
        return;
    }
    lua_pushvalue(state, top);
    lua_pushvalue(state, top - 2);
    decodePlain(state, data, 0, 0, *link);
    try {
        callLua(state, 2, 0);
    } catch (const LuaError& error) {
        throw LuaError(sentence("component '", name_, "' of entity ",
                                describe(Entity(world_, owner)), ": ", error.what()));
    }
}

bool ScriptHooks::lerpRewindState(EntityId owner, const std::byte* component,
                                  std::span<const std::byte> now, std::span<const std::byte> next,
                                  double part, std::vector<std::byte>& into) {
    const auto session = session_.lock();
    WorldLink* link = WorldLink::find(link_);
    const ScriptReference reference = referenceOf(component);
    if (!session || !link || reference.link != link_ || now.empty() || next.empty()) return false;
    lua_State* state = session->state();
    if (lua_checkstack(state, 12) == 0) fail(ErrorCode::LimitReached, "the Lua stack is full");
    const StackGuard guard(state);
    const WorldLink::HookScope scope(*link);
    session->pushCore(state, "lerpScript");
    lua_pushnumber(state, link_);
    lua_pushnumber(state, reference.table);
    decodePlain(state, now, 0, 0, *link);
    decodePlain(state, next, 0, 0, *link);
    lua_pushnumber(state, part);
    callLua(state, 5, 1);
    if (lua_isnil(state, -1)) return false;
    encodePlain(state, lua_gettop(state), 0, *link,
                sentence("component '", name_, "' of entity ", describe(Entity(world_, owner)),
                         ": what lerpRewindState returned"),
                into);
    return true;
}

std::uint64_t ScriptHooks::hashRewindState(std::span<const std::byte> data) const {
    return hashPlain(world_, data);
}

ComponentTypeId defineScriptComponent(WorldLink& link, std::string name) {
    ComponentStore& components = link.world().components();
    if (ComponentType* known = components.find(name))
        if (auto* hooks = dynamic_cast<ScriptHooks*>(known->hooks.get());
            hooks && hooks->isOrphaned()) {
            hooks->adopt(link);
            return known->id;
        }
    ComponentSchema schema;
    schema.name = name;
    schema.size = sizeof(ScriptReference);
    schema.alignment = alignof(ScriptReference);
    schema.defaults.resize(sizeof(ScriptReference));
    ComponentType& type = components.define(std::move(schema));
    type.hooks = std::make_shared<ScriptHooks>(link, std::move(name));
    components.noteEntityFields();
    return type.id;
}

}  // namespace revenant
