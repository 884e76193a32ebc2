#include "lua/state/component_reference.hpp"

#include <lua.hpp>

#include "lua/state/error_carrier.hpp"
#include "lua/state/script_tables.hpp"
#include "lua/state/session.hpp"
#include "lua/state/world_link.hpp"
#include "world/forest/entity_serial.hpp"

namespace revenant {

namespace {

// The places in what core.identities keeps of a component.
enum : int { Link = 1, Table, Index, Generation, Type, Serial };

double partOf(lua_State* state, int place) {
    lua_rawgeti(state, -1, place);
    const double part = lua_tonumber(state, -1);
    lua_pop(state, 1);
    return part;
}

void append(std::vector<std::byte>& into, const void* bytes, std::size_t count) {
    const auto* first = static_cast<const std::byte*>(bytes);
    into.insert(into.end(), first, first + count);
}

}  // namespace

bool takeComponent(lua_State* state, const WorldLink& link, ComponentReference& reference) {
    const bool isComponent = lua_istable(state, -1) && partOf(state, Link) == link.number();
    if (isComponent) {
        reference.table = static_cast<std::uint32_t>(partOf(state, Table));
        reference.owner = {static_cast<std::uint32_t>(partOf(state, Index)),
                           static_cast<std::uint32_t>(partOf(state, Generation))};
        reference.type = static_cast<ComponentTypeId>(partOf(state, Type));
        reference.serial = static_cast<std::uint32_t>(partOf(state, Serial));
    }
    lua_pop(state, 1);
    return isComponent;
}

bool isInWorld(const WorldLink& link, const ComponentReference& reference) {
    const EntityRecord* record = link.core().forest().pool.find(reference.owner);
    if (!record || (!record->managed && !record->wantsIn())) return false;
    const auto* slot = reinterpret_cast<const ScriptReference*>(record->slotOf(reference.type));
    return slot && slot->table == reference.table && slot->link == link.mark();
}

std::string_view nameOf(const WorldLink& link, const ComponentReference& reference) {
    return link.core().components().at(reference.type).schema.name;
}

void appendComponent(const WorldLink& link, const ComponentReference& reference,
                     std::vector<std::byte>& into) {
    const std::string_view name = nameOf(link, reference);
    const auto length = static_cast<std::uint32_t>(name.size());
    into.push_back(static_cast<std::byte>(PlainTag::Component));
    append(into, &reference.owner, sizeof reference.owner);
    const std::uint64_t number = numberOf(reference);
    append(into, &number, sizeof number);
    append(into, &length, sizeof length);
    append(into, name.data(), name.size());
}

void pushComponent(lua_State* state, WorldLink& link, const PlainComponent& component) {
    if (lua_checkstack(state, 8) == 0) fail(ErrorCode::LimitReached, "the Lua stack is full");
    link.session().pushCore(state, "componentOf");
    lua_pushnumber(state, link.number());
    lua_pushnumber(state, component.owner.index);
    lua_pushnumber(state, component.owner.generation);
    lua_pushlstring(state, component.name.data(), component.name.size());
    lua_pushnumber(state, static_cast<std::uint32_t>(component.table));
    lua_pushnumber(state, static_cast<lua_Number>(component.table >> 32));
    const bool isUnsaved =
        component.table == PlainComponent::lostTable || GoneEntity::isOne(component.owner);
    lua_pushboolean(state, isUnsaved ? 1 : 0);
    callLua(state, 7, 1);
}

}  // namespace revenant
