// Listeners: Lua functions that are called for the world's events.

#include <optional>
#include <sol/sol.hpp>
#include <tuple>

#include "lua/bind/binding.hpp"
#include "lua/state/error_carrier.hpp"
#include "lua/state/lua_values.hpp"
#include "lua/state/session.hpp"
#include "lua/state/world_link.hpp"
#include "world/storage/make_room.hpp"

namespace revenant {

namespace {

// An event arrives as (entity, detail), or (detail) if it is of no entity. The detail is the name of
// a component, or of an entity that was destroyed, or whatever was emitted.
void tell(const LuaReference& function, std::uint32_t number, const Event& event) {
    const auto session = function.session();
    WorldLink* link = WorldLink::find(number);
    if (!session || !link) return;
    std::optional<WorldLink::ListenerScope> scope;
    if (event.id < eventKinds) scope.emplace(*link);
    protect(session->state(), [&](lua_State* state) {
        function.push(state);
        if (!event.entity.getId().isNull()) pushEntity(state, *link, event.entity.getId());
        if (!event.component.empty())
            sol::stack::push(state, event.component);
        else if (event.detail)
            pushValue(state, *event.detail, *link);
        else if (event.id == static_cast<std::uint16_t>(EventKind::EntityDestroyed))
            sol::stack::push(state, event.name);
        callLua(state, lua_gettop(state) - 1, 0);
    });
}

// A listener that is a Lua function.
struct LuaListener {
    std::shared_ptr<LuaReference> function;
    std::uint32_t link;

    void operator()(const Event& event) const { tell(*function, link, event); }
};

Value detailOf(const sol::object& detail, WorldLink& link, const char* call,
               const std::string& event) {
    lua_State* state = detail.lua_state();
    if (!state) return {};
    detail.push();
    Value value = toValue(state, lua_gettop(state), link,
                          sentence(call, ": the detail of event '", event, "'"));
    lua_pop(state, 1);
    return value;
}

// `function` is no sol::function: to make one reads a global, which games may have made an error.
double listen(std::uint32_t number, const std::string& event, const sol::object& function,
              bool confirmed) {
    WorldLink& link = WorldLink::require(number);
    makeRoom(link.listeners);
    function.push();
    auto reference = std::make_shared<LuaReference>(function.lua_state(), number);
    const ListenerToken token =
        link.world().on(std::string_view(event), LuaListener{std::move(reference), number},
                        {.confirmed = confirmed});
    link.listeners.push_back(token);
    return static_cast<double>(token.value);
}

// The listeners that an event would reach now: their functions, and their tokens, both in order. No functions where one
// of them belongs to another state or to C++, or where the world fires the event itself.
std::tuple<sol::object, sol::table> listenersOf(std::uint32_t number, const std::string& event,
                                                sol::this_state state) {
    WorldLink& link = WorldLink::require(number);
    Listeners& listeners = link.core().listeners();
    const std::uint16_t id = listeners.requireEvent(event);
    sol::state_view lua(state);
    sol::table functions = lua.create_table();
    sol::table tokens = lua.create_table();
    bool areOurs = id >= eventKinds;
    int count = 0;
    // Listeners are gathered first, as making room in a table may run a finalizer of the script.
    std::vector<std::pair<ListenerToken, std::shared_ptr<LuaReference>>> found;
    listeners.forListeners(id, [&](ListenerToken token, const Listener& listener) {
        const auto* ours = listener.target<LuaListener>();
        const bool isOurs = ours && ours->link == number;
        areOurs = areOurs && isOurs;
        found.emplace_back(token, isOurs ? ours->function : nullptr);
    });
    for (const auto& [token, function] : found) {
        tokens[++count] = static_cast<double>(token.value);
        if (!function) continue;
        function->push(state);
        functions[count] = sol::stack::pop<sol::object>(state);
    }
    return {areOurs ? sol::object(functions) : sol::object(sol::lua_nil), tokens};
}

// Keeps the error of a listener that Lua called directly: the next update raises it.
void holdError(std::uint32_t number, const sol::object& raised) {
    WorldLink& link = WorldLink::require(number);
    ErrorList& errors = link.core().reconciler().heldErrors();
    if (raised.get_type() == sol::type::string) {
        errors.add(std::make_exception_ptr(LuaError(raised.as<std::string>())));
        return;
    }
    raised.push();
    try {
        raiseObject(raised.lua_state());
    } catch (const LuaError&) {
        errors.add(std::current_exception());
    }
}

}  // namespace

void bindListeners(sol::table& native) {
    native.set_function("on", &listen);
    native.set_function("listenersOf", &listenersOf);
    native.set_function("holdError", &holdError);
    native["addTraceback"] = &addTraceback;
    native.set_function("off", [](std::uint32_t number, double token) {
        WorldLink& link = WorldLink::require(number);
        const ListenerToken removed{static_cast<std::uint64_t>(token)};
        link.world().off(removed);
        std::erase(link.listeners, removed);
    });
    native.set_function("defineEvent", [](std::uint32_t link, const std::string& name) {
        WorldLink::require(link).world().defineEvent(name);
    });
    native.set_function(
        "emit", [](std::uint32_t number, const std::string& event, std::uint32_t index,
                   std::uint32_t generation, const sol::object& detail, sol::this_state state) {
            const Session::Entry entry(state);
            WorldLink& link = WorldLink::require(number);
            const Value value = detailOf(detail, link, "emit", event);
            const Entity entity = generation == 0 ? Entity() : link.entity(index, generation);
            link.world().emit(event, entity, value.isNone() ? nullptr : &value);
        });
    native.set_function(
        "queue", [](std::uint32_t number, const std::string& event, std::uint32_t index,
                    std::uint32_t generation, const sol::object& detail) {
            WorldLink& link = WorldLink::requireOpen(number);
            const Value value = detailOf(detail, link, "queue", event);
            const Entity entity = generation == 0 ? Entity() : link.entity(index, generation);
            link.world().queue(event, entity, value.isNone() ? nullptr : &value);
        });
}

}  // namespace revenant
