// Session: one Lua state's part of the engine: its links to worlds, the Lua functions that C++ calls,
// and which coroutine runs now. Made by luaopen_revenant, ended by lua_close.
//
// C++ objects that hold a Lua value (LuaReference) may outlive the session: they keep a weak token,
// which tells whether it is still there.
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
    // A world of this state's own. It lives until it is disposed of or the state is closed. Struct references into
    // its components may be anywhere, so their memory stays mapped.
    World& makeWorld();
    // Ends a world of this state's own. Its components are notified; from now on every use of its number is refused. Its
    // memory is freed when no call into C++ is under way (emptyGraves).
    void dispose(std::uint32_t number);
    static void emptyGraves(lua_State* state) noexcept;
    static bool hasGraves() noexcept;

    // Histories that the collector took, which must not end in the middle of a reconcile.
    void discard(std::shared_ptr<TimeRewindSys> rewind);
    void emptyTrash();

    // Pushes a function that the Lua half of the module has left in its core table.
    void pushCore(lua_State* state, const char* function) const;
    int coreReference = 0;
    int keptReference =
        0;  // link number -> the table in which values of its world are kept (LuaReference)

private:
    // A world that has ended, with what must go before it.
    struct Grave {
        std::vector<std::shared_ptr<TimeRewindSys>> histories;
        std::unique_ptr<World> world;
        std::unique_ptr<WorldLink> link;
    };
    static void bury(std::vector<Grave> graves) noexcept;
    void claimInstance();

    lua_State* main_;
    lua_State* current_;
    bool isClosed_ = false;
    std::vector<Grave> graves_;
    std::vector<std::unique_ptr<World>> worlds_;
    std::vector<std::unique_ptr<WorldLink>> links_;
    std::vector<std::shared_ptr<TimeRewindSys>> trash_;
};

// LuaReference: a Lua value that C++ keeps (a listener, a resource). Releases it when it is destroyed, unless
// the state was closed before.
class LuaReference {
public:
    // Takes the value on top of the stack.
    explicit LuaReference(lua_State* state);
    // The same for a value that belongs to the world of a link: it is kept in that world's own table, so that the
    // collector finds out when nothing but the world itself refers to the world.
    LuaReference(lua_State* state, std::uint32_t link);
    LuaReference(const LuaReference&) = delete;
    LuaReference& operator=(const LuaReference&) = delete;
    ~LuaReference();

    // Null when the state was closed.
    std::shared_ptr<Session> session() const noexcept { return Session::lock(session_); }
    void push(lua_State* state) const;

private:
    std::weak_ptr<Session> session_;
    std::uint32_t link_ = 0;  // 0: kept in the registry
    int reference_;
};

}  // namespace revenant
