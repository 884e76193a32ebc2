// Systems: those written in Lua, and all others by name.

#include <climits>
#include <cmath>
#include <sol/sol.hpp>

#include "lua/bind/binding.hpp"
#include "lua/state/lua_system.hpp"
#include "lua/state/session.hpp"
#include "lua/state/world_link.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "world/storage/make_room.hpp"

namespace revenant {

namespace {

// A whole number of the options, where it is given.
int wholeOf(const sol::table& table, const char* key, int otherwise, int least) {
    const sol::object given = table[key];
    if (!given.valid() || given.get_type() == sol::type::lua_nil) return otherwise;
    const double number = given.get_type() == sol::type::number ? given.as<double>() : std::nan("");
    if (!(number >= least && number <= INT_MAX && number == std::floor(number)))
        fail(ErrorCode::BadArgument, "a system's ", key, " must be a whole number, ", least,
             " or more");
    return static_cast<int>(number);
}

SystemOptions optionsOf(const sol::table& table) {
    SystemOptions options;
    options.priority = wholeOf(table, "priority", 0, INT_MIN);
    options.tickWhileRewinding = table.get_or("tickWhileRewinding", false);
    options.enabled = table.get_or("enabled", true);
    options.fixedStepSeconds = table.get_or("fixedStepSeconds", 0.0);
    options.maxFixedSteps = wholeOf(table, "maxFixedSteps", options.maxFixedSteps, 1);
    if (const sol::optional<sol::table> names = table["dependencies"])
        for (std::size_t i = 1; i <= names->size(); ++i)
            options.dependencies.push_back(names->get<std::string>(i));
    return options;
}

std::shared_ptr<LuaSystem> makeSystem(std::uint32_t link, std::uint32_t number, std::string name,
                                      const sol::table& options, bool hasHooks) {
    return std::make_shared<LuaSystem>(WorldLink::require(link), number, std::move(name),
                                       optionsOf(options), hasHooks);
}

void registerAt(std::uint32_t number, const std::shared_ptr<System>& system) {
    WorldLink& link = WorldLink::requireOpen(number);
    auto& systems = link.belongings.systems;
    std::erase_if(systems, [](const auto& weak) { return weak.expired(); });
    makeRoom(systems);
    link.world().registerSystem(system);
    systems.push_back(system);
}

System& requireSystem(std::uint32_t link, const std::string& name) {
    System* found = WorldLink::require(link).world().getSystem(name);
    if (!found) fail(ErrorCode::UnknownSystem, "no system named '", name, "' is registered");
    return *found;
}

// "lua" and the number of its object; "rewind"; "other"; nothing where there is none.
sol::variadic_results findSystem(std::uint32_t number, const std::string& name,
                                 sol::this_state state) {
    sol::variadic_results results;
    sol::state_view lua(state);
    WorldLink& link = WorldLink::require(number);
    System* found = link.world().getSystem(name);
    if (!found) return results;
    const auto* written = dynamic_cast<LuaSystem*>(found);
    if (written && written->isOf(link.session())) {
        results.push_back(sol::make_object(lua, "lua"));
        results.push_back(sol::make_object(lua, written->number()));
    } else if (dynamic_cast<TimeRewindSys*>(found)) {
        results.push_back(sol::make_object(lua, "rewind"));
    } else {
        results.push_back(sol::make_object(lua, "other"));
    }
    return results;
}

void tick(lua_State* state, System& system, double dt) {
    const Session::Entry entry(state);
    system.tick(dt);
}

}  // namespace

void bindSystem(sol::table& native) {
    native.new_usertype<LuaSystem>("LuaSystem", sol::no_constructor);
    native.set_function("makeSystem", &makeSystem);
    native.set_function("registerSystem",
                        [](std::uint32_t link, const std::shared_ptr<LuaSystem>& system) {
                            registerAt(link, system);
                        });
    native.set_function("unregisterSystem",
                        [](std::uint32_t link, const std::shared_ptr<LuaSystem>& system) {
                            WorldLink::requireOpen(link).world().unregisterSystem(*system);
                        });
    native.set_function("tickSystem",
                        [](const std::shared_ptr<LuaSystem>& system, double dt,
                           sol::this_state state) { tick(state, system->require(), dt); });
    native.set_function("setSystemEnabled", [](const std::shared_ptr<LuaSystem>& system, bool on) {
        system->require().setEnabled(on);
    });
    native.set_function("isSystemEnabled", [](const std::shared_ptr<LuaSystem>& system) {
        return system->require().isEnabled();
    });
    native.set_function("getLastTickNanoseconds", [](const std::shared_ptr<LuaSystem>& system) {
        return static_cast<double>(system->require().getLastTickNanoseconds());
    });
    // The entities that match already, in the link's list.
    native.set_function("watchMatches", [](std::uint32_t number, std::uint32_t system,
                                           const sol::table& with, const sol::table& without) {
        WorldLink& link = WorldLink::require(number);
        auto typesOf = [&link](const sol::table& names) {
            std::vector<ComponentTypeId> types;
            for (std::size_t i = 1; i <= names.size(); ++i)
                types.push_back(link.core().components().require(names.get<std::string>(i)).id);
            return types;
        };
        link.list = link.matches.add(system, typesOf(with), typesOf(without));
    });
    native.set_function("unwatchMatches", [](std::uint32_t number, std::uint32_t system) {
        WorldLink::require(number).matches.remove(system);
    });
    native.set_function("findSystem", &findSystem);
    native.set_function("tickNamed",
                        [](std::uint32_t link, const std::string& name, double dt,
                           sol::this_state state) { tick(state, requireSystem(link, name), dt); });
    native.set_function("setNamedEnabled",
                        [](std::uint32_t link, const std::string& name, bool on) {
                            requireSystem(link, name).setEnabled(on);
                        });
    native.set_function("isNamedEnabled", [](std::uint32_t link, const std::string& name) {
        return requireSystem(link, name).isEnabled();
    });
    native.set_function("unregisterNamed", [](std::uint32_t link, const std::string& name) {
        WorldLink::requireOpen(link).world().unregisterSystem(requireSystem(link, name));
    });
    native.set_function("getSystemNames", [](std::uint32_t link) {
        std::vector<std::string> names;
        for (const auto& system : WorldLink::require(link).world().getSystems())
            names.push_back(system->getName());
        return sol::as_table(std::move(names));
    });
}

}  // namespace revenant
