#include "lua/script_hooks.hpp"

#include <cstring>
#include <lua.hpp>

#include "lua/hook_call.hpp"
#include "lua/plain_data.hpp"

namespace revenant {

namespace {

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

bool ScriptHooks::isOrphaned() const noexcept {
    return !Session::lock(session_);
}

void ScriptHooks::adopt(WorldLink& link) {
    session_ = Session::sharedOf(link.session().state());
    link_ = link.number();
}

void ScriptHooks::getRewindState(EntityId owner, const std::byte* component,
                                 std::vector<std::byte>& into) {
    const ScriptReference reference = referenceOf(component);
    if (reference.link != link_) return;
    callHook(session_, link_, [&](lua_State* state, Session& session, WorldLink& link) {
        session.pushCore(state, "getScriptState");
        lua_pushnumber(state, link_);
        lua_pushnumber(state, reference.table);
        try {
            callLua(state, 2, 2);
        } catch (const LuaError& error) {
            throw LuaError(sentence(nameOf(owner), ": ", error.what()));
        }
        encodePlain(state, 1, lua_istable(state, 2) ? 2 : 0, link, nameOf(owner) + ": self", into);
    });
}

void ScriptHooks::restoreRewindState(EntityId owner, std::byte* component,
                                     std::span<const std::byte> data) {
    const ScriptReference reference = referenceOf(component);
    if (reference.link != link_ || data.empty()) return;
    const auto restore = [&](lua_State* state, Session& session, WorldLink& link) {
        // The component's table, its ignored keys, and its own hook, if it has one.
        session.pushCore(state, "findScript");
        lua_pushnumber(state, link_);
        lua_pushnumber(state, reference.table);
        callLua(state, 2, 3);
        if (!lua_istable(state, 1)) return;
        if (lua_isnil(state, 3)) {
            decodePlain(state, data, 1, lua_istable(state, 2) ? 2 : 0, link);
            return;
        }
        lua_pushvalue(state, 1);
        decodePlain(state, data, 0, 0, link);
        callLua(state, 2, 0);
    };
    try {
        callHook(session_, link_, restore);
    } catch (const LuaError& error) {
        throw LuaError(sentence(nameOf(owner), ": ", error.what()));
    }
}

bool ScriptHooks::lerpRewindState(EntityId owner, const std::byte* component,
                                  std::span<const std::byte> now, std::span<const std::byte> next,
                                  double part, std::vector<std::byte>& into) {
    const ScriptReference reference = referenceOf(component);
    if (reference.link != link_ || now.empty() || next.empty()) return false;
    bool isBlended = false;
    callHook(session_, link_, [&](lua_State* state, Session& session, WorldLink& link) {
        session.pushCore(state, "lerpScript");
        lua_pushnumber(state, link_);
        lua_pushnumber(state, reference.table);
        isBlended = callLerp(state, 2, link, now, next, part, nameOf(owner), into);
    });
    return isBlended;
}

std::string ScriptHooks::nameOf(EntityId owner) const {
    return sentence("component '", name_, "' of entity ", describe(Entity(world_, owner)));
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
