// Saves: a world to a file or a string, and back.

#include <sol/sol.hpp>

#include "lua/bind/binding.hpp"
#include "lua/state/error_carrier.hpp"
#include "lua/state/session.hpp"
#include "lua/state/world_link.hpp"

#if REVENANT_SAVE
#include "save/save.hpp"
#endif

namespace revenant {

#if REVENANT_SAVE

namespace {

// Runs what may call Lua back, then tells Lua which entities are gone.
template <class Call>
auto inWorld(lua_State* state, std::uint32_t number, Call call) {
    const Session::Entry entry(state);
    WorldLink& link = WorldLink::requireOpen(number);
    struct Sweep {
        WorldLink& link;
        ~Sweep() { link.sweepValues(); }
    };
    const Sweep sweep{link};
    return call(link.world());
}

LoadOptions loadOptions(const sol::table& drop) {
    LoadOptions options;
    for (std::size_t i = 1; i <= drop.size(); ++i)
        options.drop.push_back(drop[i].get<std::string>());
    return options;
}

SaveOptions saveOptions(bool isJson) {
    return {isJson ? SaveFormat::Json : SaveFormat::Binary};
}

}  // namespace

void bindSave(sol::table& native) {
    native.set_function("save", [](std::uint32_t link, const std::string& path, bool isJson,
                                   sol::this_state state) {
        inWorld(state, link, [&](World& world) { save(world, path, saveOptions(isJson)); });
    });
    native.set_function("load", [](std::uint32_t link, const std::string& path,
                                   const sol::table& drop, sol::this_state state) {
        inWorld(state, link, [&](World& world) { load(world, path, loadOptions(drop)); });
    });
    native.set_function("saveToString", [](std::uint32_t link, bool isJson, sol::this_state state) {
        const auto bytes = inWorld(
            state, link, [&](World& world) { return saveToBytes(world, saveOptions(isJson)); });
        return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    });
    native.set_function("loadFromString", [](std::uint32_t link, std::string_view text,
                                             const sol::table& drop, sol::this_state state) {
        inWorld(state, link, [&](World& world) {
            try {
                loadFromBytes(world, std::as_bytes(std::span(text)), loadOptions(drop));
            } catch (const Error& error) {
                error.throwBehind("loadFromString: ");
            }
        });
    });
}

#else

void bindSave(sol::table& native) {
    for (const char* call : {"save", "load", "saveToString", "loadFromString"})
        native.set_function(call, [] {
            fail(ErrorCode::WrongState, "this build of the module has no saves (REVENANT_SAVE)");
        });
}

#endif

}  // namespace revenant
