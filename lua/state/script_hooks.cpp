#include "lua/state/script_hooks.hpp"

#include <cstring>
#include <functional>
#include <lua.hpp>

#include "lua/state/hook_call.hpp"
#include "lua/state/plain_data.hpp"
#include "world/storage/make_room.hpp"

namespace revenant {

namespace {

ScriptReference referenceOf(const std::byte* component) {
    ScriptReference reference;
    std::memcpy(&reference, component, sizeof reference);
    return reference;
}

}  // namespace

ScriptHooks::ScriptHooks(WorldLink& link, std::string name, bool isRewound)
    : world_(link.world()), name_(std::move(name)), isRewound_(isRewound) {
    adopt(link);
}

bool ScriptHooks::hasRewindState(const std::byte* component) const noexcept {
    const ScriptReference reference = referenceOf(component);
    const WorldLink* link = reference.link == mark_ ? WorldLink::find(link_) : nullptr;
    return link && link->tables.typeOf(reference.table) == type;
}

void ScriptHooks::onFreed(const std::byte* component) noexcept {
    const ScriptReference reference = referenceOf(component);
    WorldLink* link = reference.link == mark_ ? WorldLink::find(link_) : nullptr;
    if (link && link->tables.typeOf(reference.table) == type)
        link->lifecycles.noteFreed(reference.table);
}

bool ScriptHooks::isOf(const WorldLink& link) const noexcept {
    return link_ == link.number() && !isOrphaned();
}

bool ScriptHooks::isOrphaned() const noexcept {
    return !Session::lock(session_);
}

void ScriptHooks::adopt(WorldLink& link) {
    capture_.forget();
    flat_.forget();
    session_ = Session::sharedOf(link.session().state());
    link_ = link.number();
    mark_ = link.mark();
}

void ScriptHooks::makeComponent(EntityId owner, std::byte* component, bool hasState,
                                std::string_view made) {
    callHook(session_, link_, [&](lua_State* state, Session& session, WorldLink& link) {
        session.pushCore(state, "makeScript");
        lua_pushnumber(state, link_);
        lua_pushlstring(state, name_.data(), name_.size());
        lua_pushnumber(state, owner.index);
        lua_pushnumber(state, owner.generation);
        lua_pushboolean(state, hasState ? 1 : 0);
        lua_pushlstring(state, made.data(), made.size());
        callNaming(state, owner, 6, 1);
        const ScriptReference reference{static_cast<std::uint32_t>(lua_tonumber(state, -1)), mark_};
        std::memcpy(component, &reference, sizeof reference);
        if (hasState) link.lifecycles.noteEmpty(reference.table);
    });
}

std::string ScriptHooks::getMake(EntityId owner, const std::byte* component) {
    const ScriptReference reference = referenceOf(component);
    std::string made;
    if (reference.link != mark_) return made;
    callHook(session_, link_, [&](lua_State* state, Session& session, WorldLink& /*link*/) {
        session.pushCore(state, "makeOfScript");
        lua_pushnumber(state, link_);
        lua_pushlstring(state, name_.data(), name_.size());
        lua_pushnumber(state, reference.table);
        callNaming(state, owner, 3, 1);
        std::size_t length = 0;
        if (const char* name = lua_tolstring(state, -1, &length)) made.assign(name, length);
    });
    return made;
}

// As callLua, with the component named in errors.
void ScriptHooks::callNaming(lua_State* state, EntityId owner, int arguments, int results) const {
    try {
        callLua(state, arguments, results);
    } catch (const LuaError& error) {
        throw withPrefix(nameOf(owner) + ": ", error);
    }
}

void ScriptHooks::getRewindState(EntityId owner, const std::byte* component,
                                 std::vector<std::byte>& into) {
    const ScriptReference reference = referenceOf(component);
    if (reference.link != mark_) return;
    callHook(session_, link_, [&](lua_State* state, Session& session, WorldLink& link) {
        session.pushCore(state, "getScriptState");
        lua_pushnumber(state, link_);
        lua_pushnumber(state, reference.table);
        callNaming(state, owner, 2, 3);
        encode(state, 1, lua_istable(state, 2) ? 2 : 0, lua_toboolean(state, 3) != 0, owner, link,
               into);
    });
}

void ScriptHooks::encode(lua_State* state, int index, int ignored, bool isHooked, EntityId owner,
                         WorldLink& link, std::vector<std::byte>& into) const {
    const std::function<std::string()> describe = [&] {
        return nameOf(owner) + (isHooked ? ": what getRewindState returned" : ": self");
    };
    encodePlain(state, index, link, {describe, !isHooked, ignored}, into);
}

void ScriptHooks::restoreRewindState(EntityId owner, std::byte* component,
                                     std::span<const std::byte> state) {
    restore(owner, component, state, false);
}

void ScriptHooks::restoreOutsideState(EntityId owner, std::byte* component,
                                      std::span<const std::byte> state) {
    restore(owner, component, state, true);
}

void ScriptHooks::restore(EntityId owner, const std::byte* component,
                          std::span<const std::byte> data, bool isOutside) {
    const ScriptReference reference = referenceOf(component);
    if (reference.link != mark_ || data.empty()) return;
    const auto work = [&](lua_State* state, Session& session, WorldLink& link) {
        // The component's table, its ignored keys, and its own hook, if it has one.
        session.pushCore(state, "findScript");
        lua_pushnumber(state, link_);
        lua_pushnumber(state, reference.table);
        callLua(state, 2, 3);
        if (!lua_istable(state, 1) && !adoptTable(state, session, link, owner, reference.table))
            return;
        if (lua_isnil(state, 3)) {
            decodePlain(state, data, 1, lua_istable(state, 2) ? 2 : 0, link);
        } else if (isOutside) {
            return;
        } else {
            lua_pushvalue(state, 1);
            decodePlain(state, data, 0, 0, link);
            callLua(state, 2, 0);
        }
        link.lifecycles.noteFilled(reference.table);
    };
    try {
        callHook(session_, link_, work);
    } catch (const Error& error) {
        error.throwBehind(nameOf(owner) + ": ");
    }
}

bool ScriptHooks::lerpRewindState(EntityId owner, const std::byte* component,
                                  std::span<const std::byte> now, std::span<const std::byte> next,
                                  double part, std::vector<std::byte>& into) {
    const ScriptReference reference = referenceOf(component);
    if (reference.link != mark_ || now.empty() || next.empty()) return false;
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

std::vector<StatePart> ScriptHooks::describeRewindState(std::span<const std::byte> state) const {
    return describePlain(world_, state);
}

namespace {

ScriptHooks* hooksOf(ComponentType* type) {
    return type ? dynamic_cast<ScriptHooks*>(type->hooks.get()) : nullptr;
}

// The base of a component that is about to be defined; null for none.
ComponentType* requireBase(WorldLink& link, const std::string& name, const std::string& base) {
    if (base.empty()) return nullptr;
    ComponentType* found = link.core().components().find(base);
    const ScriptHooks* hooks = hooksOf(found);
    if (!found)
        fail(ErrorCode::UnknownComponent, "defineScriptComponent: the base of component '", name,
             "': no component is named '", base, "'; define it first");
    if (!hooks || !hooks->isOf(link))
        fail(ErrorCode::WrongType, "defineScriptComponent: the base of component '", name, "', '",
             base, "', must be a script component");
    return found;
}

}  // namespace

ComponentTypeId defineScriptComponent(WorldLink& link, std::string name,
                                      const ScriptComponentOptions& options) {
    ComponentStore& components = link.core().components();
    ComponentType* base = requireBase(link, name, options.base);
    if (ComponentType* known = components.find(name)) {
        auto* hooks = hooksOf(known);
        if (hooks && hooks->isOrphaned()) {
            hooks->adopt(link);
            return known->id;
        }
        if (hooks && options.isAgain && hooks->isOf(link)) {
            if (known->base != base || hooks->isRewound() != options.rewind)
                fail(ErrorCode::BadArgument, "defineScriptComponent: component '", name,
                     "' is defined already; a reloaded file can change its class, not its options");
            return known->id;
        }
    }
    ComponentSchema schema;
    schema.name = name;
    schema.size = sizeof(ScriptReference);
    schema.alignment = alignof(ScriptReference);
    schema.defaults.resize(sizeof(ScriptReference));
    auto hooks = std::make_shared<ScriptHooks>(link, std::move(name), options.rewind);
    makeRoom(link.belongings.types);
    ComponentType& type = components.define(std::move(schema));
    hooks->type = type.id;
    type.hooks = std::move(hooks);
    if (base) components.derive(type, *base);
    components.noteEntityFields();
    link.belongings.types.push_back(type.id);
    return type.id;
}

}  // namespace revenant
