// The states of all script components of a type, for a frame: one protected call into Lua for all of them.
#include <algorithm>
#include <cstring>
#include <lua.hpp>

#include "lua/state/hook_call.hpp"
#include "lua/state/script_hooks.hpp"

namespace revenant {

// Takes the states one after the other. If one raises an error, `at` says which.
class ScriptHooks::States {
public:
    States(ScriptHooks& hooks, std::span<const HookedComponent> components, StateSink& sink)
        : hooks_(hooks), components_(components), sink_(sink) {}

    std::size_t at = 0;
    bool isHookFailed = false;

    void takeAll(lua_State* state, const Session& session, WorldLink& link) {
        begin(state, session, link);
        if (hooks_.flat_.isReady())
            takeFlat(state, link);
        else
            takeEach(state, link);
    }
    // Of those without a hook of their own.
    void takeOutside(lua_State* state, const Session& session, WorldLink& link, OutsideSink& sink) {
        begin(state, session, link);
        for (; at < components_.size(); ++at) {
            lua_settop(state, Unknown);
            lua_rawgeti(state, Tables, static_cast<int>(referenceAt(at).table));
            lua_pushvalue(state, HookName);
            if (lua_istable(state, Instance)) lua_gettable(state, Instance);
            if (lua_istable(state, Instance) && lua_isnil(state, State)) {
                takeOne(state, link, false);
                sink.take(at, bytes_);
            } else {
                sink.pass(at);
            }
        }
    }

private:
    void begin(lua_State* state, const Session& session, WorldLink& link) {
        if (lua_checkstack(state, 96) == 0) fail(ErrorCode::LimitReached, "the Lua stack is full");
        session.pushCore(state, "links");
        lua_rawgeti(state, -1, static_cast<int>(link.number()));
        if (lua_istable(state, -1))
            lua_getfield(state, -1, "tables");
        else
            lua_newtable(state);  // Lua has released the world
        lua_replace(state, Tables);
        lua_settop(state, Tables);
        lua_pushliteral(state, "getRewindState");
        lua_pushliteral(state, "rewindIgnore");
        lua_pushnil(state);  // the list of ignored keys that was last asked for,
        lua_pushnil(state);  // the metatable of the instance that had it,
        lua_pushnil(state);  // and the set of these keys
        session.pushCore(state, "ignoredOf");
        session.pushCore(state, "partsOf");
        session.pushCore(state, "identities");
        session.pushCore(state, "memberNames");
        lua_pushliteral(state, "__index");
        lua_pushnil(state);  // a table of an unknown shape
        session_ = &session;
    }

    // Places on the stack.
    enum : int {
        Tables = 1,
        HookName,
        IgnoreName,
        List,
        Meta,
        Set,
        IgnoredOf,
        PartsOf,
        Identities,
        MethodNames,
        IndexName,
        Unknown,
        Instance,
        State
    };

    void takeEach(lua_State* state, WorldLink& link) {
        constexpr std::size_t fewest = 32;  // for which a function is worth making
        const bool isSampling = components_.size() >= fewest && hooks_.flat_.wantsSample();
        const std::size_t sample = hooks_.samples_++ % std::max<std::size_t>(components_.size(), 1);
        for (; at < components_.size(); ++at) {
            takeOne(state, link, false);
            if (isSampling && at == sample && !isIgnoring_) {
                hooks_.flat_.learn(state, *session_, bytes_, isHooked_);
                trust(state);
            }
            sink_.take(at, bytes_);
        }
    }

    // Takes states by the function that was made for their form, up to the first component of another form.
    void takeFlat(lua_State* state, WorldLink& link) {
        FlatCapture& flat = hooks_.flat_;
        std::size_t stops = 0;
        const std::size_t begun = at;
        while (at < components_.size()) {
            const std::size_t begin = at;
            const std::size_t count = std::min(FlatCapture::most, components_.size() - begin);
            for (std::size_t i = 0; i < count; ++i) flat.places()[i] = referenceAt(begin + i).table;
            for (std::size_t first = 0; first < count; ++first) {
                lua_settop(state, Unknown);
                std::size_t stopped = 0;
                try {
                    stopped = flat.run(state, Tables, first, count);
                } catch (const LuaError& error) {
                    sinkFlat(begin, first, flat.raisedAt());
                    at = begin + flat.raisedAt();
                    isHookFailed = flat.isRaisedByHook();
                    if (!isHookFailed) throw;
                    throw withPrefix(hooks_.nameOf(components_[at].owner) + ": ", error);
                }
                sinkFlat(begin, first, stopped);
                at = begin + stopped;
                first = stopped;
                if (stopped == count) break;
                ++stops;
                takeOne(state, link, flat.isHookCalled());
                trust(state);
                sink_.take(at++, bytes_);
            }
        }
        flat.noteStops(stops, components_.size() - begun);
    }
    void sinkFlat(std::size_t begin, std::size_t first, std::size_t end) {
        for (std::size_t i = first; i < end; ++i) sink_.take(begin + i, hooks_.flat_.stateOf(i));
    }

    // Tells the function the metatable of the component that was taken last.
    void trust(lua_State* state) {
        if (!lua_istable(state, Instance) || lua_getmetatable(state, Instance) == 0) return;
        lua_pushliteral(state, "__metatable");
        lua_rawget(state, -2);
        const bool isOpen = lua_isnil(state, -1);
        lua_pop(state, 1);
        session_->pushCore(state, "openMetas");
        lua_insert(state, -2);
        if (isOpen)
            lua_pushboolean(state, 1);
        else
            lua_pushnil(state);
        lua_rawset(state, -3);
    }

    ScriptReference referenceAt(std::size_t place) const {
        ScriptReference reference;
        std::memcpy(&reference, components_[place].component, sizeof reference);
        return reference;
    }

    // Leaves the state in `bytes_`. `isHookCalled`: what the hook gave is on top of the stack.
    void takeOne(lua_State* state, WorldLink& link, bool isHookCalled) {
        bytes_.clear();
        if (isHookCalled) {
            lua_replace(state, Instance);
            lua_settop(state, Instance);
            lua_rawgeti(state, Tables, static_cast<int>(referenceAt(at).table));
            lua_insert(state, Instance);
        } else {
            lua_settop(state, Unknown);
            lua_rawgeti(state, Tables, static_cast<int>(referenceAt(at).table));
        }
        take(state, link, isHookCalled);
    }

    void take(lua_State* state, WorldLink& link, bool isHookCalled) {
        PlainCapture::Places places{Instance, 0,          true,        Unknown,
                                    PartsOf,  Identities, MethodNames, IndexName};
        if (isHookCalled) {
            places.value = State;
            places.isComponent = false;
        } else if (!lua_isnil(state, Instance)) {
            lua_pushvalue(state, HookName);
            lua_gettable(state, Instance);
            if (lua_isnil(state, State)) {
                if (hasIgnored(state)) places.ignored = Set;
            } else {
                callHook(state);
                places.value = State;
                places.isComponent = false;
            }
        }
        isHooked_ = !places.isComponent;
        isIgnoring_ = places.ignored != 0;
        PlainCapture& capture = hooks_.capture_;
        if (capture.encode(state, link, places, bytes_)) return;
        hooks_.encode(state, places.value, places.ignored, !places.isComponent,
                      components_[at].owner, link, bytes_);
        capture.learn(state, places);
    }

    // Replaces the hook by what it returns.
    void callHook(lua_State* state) {
        lua_pushvalue(state, Instance);
        try {
            callLua(state, 1, 1);
        } catch (const LuaError& error) {
            isHookFailed = true;
            throw withPrefix(hooks_.nameOf(components_[at].owner) + ": ", error);
        }
    }

    // Whether the instance ignores keys: then they are in the set.
    bool hasIgnored(lua_State* state) {
        lua_settop(state, Instance);
        lua_pushvalue(state, IgnoreName);
        lua_gettable(state, Instance);
        if (!lua_istable(state, State)) return false;
        if (lua_getmetatable(state, Instance) == 0) lua_pushnil(state);
        if (lua_istable(state, Set) && lua_rawequal(state, State, List) != 0 &&
            lua_rawequal(state, State + 1, Meta) != 0)
            return true;
        lua_replace(state, Meta);
        lua_replace(state, List);
        lua_pushvalue(state, IgnoredOf);
        lua_pushvalue(state, Instance);
        callLua(state, 1, 1);
        lua_replace(state, Set);
        return lua_istable(state, Set);
    }

    ScriptHooks& hooks_;
    std::span<const HookedComponent> components_;
    StateSink& sink_;
    std::vector<std::byte> bytes_;
    const Session* session_ = nullptr;
    bool isHooked_ = false;    // the one that was taken last: a hook gave its state
    bool isIgnoring_ = false;  // some of its keys were left out
};

void ScriptHooks::getRewindStates(std::span<const HookedComponent> components, StateSink& sink) {
    States states(*this, components, sink);
    while (states.at < components.size()) {
        try {
            callHook(session_, link_,
                     [&](lua_State* state, const Session& session, WorldLink& link) {
                         states.takeAll(state, session, link);
                     });
            return;
        } catch (const LuaError&) {
            if (states.isHookFailed) throw;
        }
        // Something other than a hook raised: an __index of the script's, a finalizer. Ask for that component
        // alone; if it raises again, the error names it.
        std::vector<std::byte> state;
        const HookedComponent& failed = components[states.at];
        getRewindState(failed.owner, failed.component, state);
        sink.take(states.at++, state);
    }
}

void ScriptHooks::getOutsideStates(std::span<const HookedComponent> components, OutsideSink& sink) {
    States states(*this, components, sink);
    // What raises stands for something that is no plain data; it will be reported when the entity comes in.
    for (; states.at < components.size(); ++states.at) {
        try {
            callHook(session_, link_,
                     [&](lua_State* state, const Session& session, WorldLink& link) {
                         states.takeOutside(state, session, link, sink);
                     });
            return;
        } catch (const Error&) {
            continue;
        }
    }
}

}  // namespace revenant
