// Session: one Lua state's part of the engine: its links to worlds, the Lua functions that C++ calls,
// and which coroutine runs now. Made by luaopen_revenant, ended by lua_close.
//
// C++ that holds something of Lua's (LuaReference) may outlive the session: it keeps a weak token
// and finds out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct lua_State;

namespace revenant {

class TimeRewindSys;
class World;
class WorldLink;

class Session {
public:
    explicit Session(lua_State* main);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session();

    // The session of a state, also from inside a coroutine. Throws where there is none any more.
    static Session& of(lua_State* state);
    static std::shared_ptr<Session> sharedOf(lua_State* state);

    // The session of a token; null when its state was closed, also where a call into it is still on
    // the stack (os.exit in a listener).
    static std::shared_ptr<Session> lock(const std::weak_ptr<Session>& token) noexcept;
    void close() noexcept;
    bool isClosed() const noexcept { return isClosed_; }

    // Where to run Lua code: the coroutine that called into C++ last, else the main one.
    lua_State* state() const noexcept { return current_; }
    // Marks that `state` called into C++, as long as it lives.
    class Entry {
    public:
        explicit Entry(lua_State* state);
        Entry(const Entry&) = delete;
        Entry& operator=(const Entry&) = delete;
        ~Entry();

    private:
        std::shared_ptr<Session> session_;
        lua_State* before_;
    };

    // The link to a world, made when first asked for.
    WorldLink& link(World& world);
    // A world of this state's own. It lives until the state is closed: struct references into its
    // components may be anywhere.
    World& makeWorld();

    // Histories that Lua has let go, which must not end in the middle of a reconcile.
    void discard(std::shared_ptr<TimeRewindSys> rewind);
    void emptyTrash();

    // Pushes a function that the Lua half of the module has left in its core table.
    void pushCore(lua_State* state, const char* function) const;
    int coreReference = 0;

private:
    lua_State* main_;
    lua_State* current_;
    bool isClosed_ = false;
    std::vector<std::unique_ptr<World>> worlds_;
    std::vector<std::unique_ptr<WorldLink>> links_;
    std::vector<std::shared_ptr<TimeRewindSys>> trash_;
};

// LuaReference: a Lua value that C++ keeps (a listener, a resource). Lets go when it dies, unless
// the state went before.
class LuaReference {
public:
    // Takes the value on top of the stack.
    explicit LuaReference(lua_State* state);
    LuaReference(const LuaReference&) = delete;
    LuaReference& operator=(const LuaReference&) = delete;
    ~LuaReference();

    // Null when the state was closed.
    std::shared_ptr<Session> session() const noexcept { return Session::lock(session_); }
    void push(lua_State* state) const;

private:
    std::weak_ptr<Session> session_;
    int reference_;
};

}  // namespace revenant
