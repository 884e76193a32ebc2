// World: the tick, statistics, random numbers, and what has no better place.

#include <sol/sol.hpp>

#include "lua/bind/binding.hpp"
#include "lua/state/error_carrier.hpp"
#include "lua/state/session.hpp"
#include "lua/state/world_link.hpp"
#include "rewind/state_hash.hpp"
#include "world/version.hpp"

namespace revenant {

namespace {

World& worldOf(std::uint32_t link) {
    return WorldLink::require(link).world();
}

// Runs what may call Lua back, then tells Lua which entities are gone.
template <class Call>
void inWorld(lua_State* state, std::uint32_t number, Call call) {
    const Session::Entry entry(state);
    WorldLink& link = WorldLink::requireOpen(number);
    try {
        call(link.world());
    } catch (...) {
        link.sweepValues();
        throw;
    }
    link.sweepValues();
    link.session().emptyTrash();
}

sol::table statsOf(std::uint32_t link, sol::this_state state) {
    const WorldStats stats = worldOf(link).getStats();
    return tableOf(state, {{"managed", stats.managed},
                           {"active", stats.active},
                           {"zombies", stats.zombies},
                           {"detached", stats.detached},
                           {"pending", stats.pending},
                           {"retiredSlots", stats.retiredSlots},
                           {"reconciles", stats.reconciles},
                           {"lastLeft", stats.lastLeft},
                           {"lastChanged", stats.lastChanged},
                           {"relabelled", stats.relabelled},
                           {"componentTypes", stats.componentTypes},
                           {"shapes", stats.shapes},
                           {"strings", stats.strings},
                           {"entityBytes", stats.entityBytes},
                           {"componentBytes", stats.componentBytes},
                           {"liveComponentBytes", stats.liveComponentBytes}});
}

}  // namespace

std::string hexOf(std::uint64_t hash) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return text;
}

sol::table tableOf(lua_State* state,
                   std::initializer_list<std::pair<const char*, std::uint64_t>> numbers) {
    sol::table table = sol::state_view(state).create_table();
    for (const auto& [name, number] : numbers) table[name] = static_cast<double>(number);
    return table;
}

void bindWorld(sol::table& native) {
    native["version"] = version();
    native["validating"] = validating;
    native.set_function("getInstance", [](sol::this_state state) {
        return Session::of(state).link(World::getInstance()).number();
    });
    native.set_function("makeWorld", [](sol::this_state state) {
        Session& session = Session::of(state);
        return session.link(session.makeWorld()).number();
    });
    native.set_function("update", [](std::uint32_t link, double dt, sol::this_state state) {
        inWorld(state, link, [dt](World& world) { world.update(dt); });
    });
    native.set_function("reconcile", [](std::uint32_t link, sol::this_state state) {
        inWorld(state, link, [](World& world) { world.reconcile(); });
    });
    native.set_function("reset", [](std::uint32_t link, sol::this_state state) {
        inWorld(state, link, [](World& world) { world.reset(); });
    });
    native.set_function("dispose", [](std::uint32_t link, sol::this_state state) {
        const Session::Entry entry(state);
        Session::of(state).dispose(link);
    });
    native.set_function("hasLink",
                        [](std::uint32_t link) { return WorldLink::find(link) != nullptr; });
    native.set_function("destroyEntity", [](std::uint32_t link, std::uint32_t index,
                                            std::uint32_t generation, sol::this_state state) {
        inWorld(state, link, [&](World& world) {
            WorldLink::require(link).destroy({world, EntityId{index, generation}});
        });
    });
    // Takes back an instance of a prefab with `size` members.
    native.set_function("undoSpawn",
                        [](std::uint32_t link, std::uint32_t index, std::uint32_t generation,
                           std::uint32_t size, std::uint32_t lastSerial, sol::this_state state) {
                            inWorld(state, link, [&](World& world) {
                                const EntityId root{index, generation};
                                if (Entity(world, root).isValid())
                                    Prefab::undo(world, {&root, 1}, size, lastSerial);
                            });
                        });
    native.set_function(
        "getTick", [](std::uint32_t link) { return static_cast<double>(worldOf(link).getTick()); });
    native.set_function("getMark",
                        [](std::uint32_t link) { return WorldLink::require(link).mark(); });
    native.set_function("getTime", [](std::uint32_t link) { return worldOf(link).getTime(); });
    native.set_function("isInPast", [](std::uint32_t link) { return worldOf(link).isInPast(); });
    native.set_function("setBuildsInPast", [](std::uint32_t link, bool isOn) {
        WorldLink::require(link).core().setBuildsInPast(isOn);
    });
    native.set_function("isResimulating",
                        [](std::uint32_t link) { return worldOf(link).isResimulating(); });
    native.set_function("isTicking", [](std::uint32_t link) {
        return WorldLink::require(link).core().isTicking();
    });
    native.set_function("isReplacing", [](std::uint32_t link) {
        return WorldLink::require(link).core().isReplacing();
    });
    native.set_function("getStats", &statsOf);
    native.set_function("validate",
                        [](std::uint32_t link) { return sol::as_table(worldOf(link).validate()); });
    native.set_function("stateHash",
                        [](std::uint32_t link) { return hexOf(stateHash(worldOf(link))); });
    native.set_function("random", [](std::uint32_t link) { return worldOf(link).random(); });
    native.set_function("randomBetween", [](std::uint32_t link, double first, double last) {
        return static_cast<double>(worldOf(link).random(static_cast<std::int64_t>(first),
                                                        static_cast<std::int64_t>(last)));
    });
    native.set_function("setRandomSeed", [](std::uint32_t link, double seed) {
        WorldLink::requireOpen(link).world().setRandomSeed(
            static_cast<std::uint64_t>(static_cast<std::int64_t>(seed)));
    });
    native.set_function(
        "getComponentNames", [](std::uint32_t link, std::uint32_t index, std::uint32_t generation) {
            return sol::as_table(
                WorldLink::require(link).entity(index, generation).getComponentNames());
        });
}

}  // namespace revenant
