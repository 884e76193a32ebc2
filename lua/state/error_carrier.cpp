#include "lua/state/error_carrier.hpp"

#include <lua.hpp>
#include <new>
#include <string_view>

#include "lua/state/session.hpp"
#include "world/count_scope.hpp"
#include "world/thread_kept.hpp"

namespace revenant {

// Error objects stay as they are.
int addTraceback(lua_State* state) {
    if (!lua_isstring(state, 1)) return 1;
    lua_settop(state, 1);
    std::size_t length = 0;
    const char* raised = lua_tolstring(state, 1, &length);
    const std::string text = withoutZeros({raised, length});
    if (text.find("\nstack traceback:\n") == std::string::npos)
        luaL_traceback(state, state, text.c_str(), 1);
    return 1;
}

namespace {

constexpr int deepestCall =
    100;  // of Lua by C++: LuaJIT itself would only stop at the end of the stack
constexpr int roomForCalls = 512;  // stack slots

struct Protected {
    detail::Work run;
    void* work;
    std::exception_ptr thrown;
};

int runProtected(lua_State* state) {
    auto& of = *static_cast<Protected*>(lua_touserdata(state, 1));
    lua_settop(state, 0);
    try {
        of.run(of.work, state);
    } catch (const std::exception&) {  // not what Lua raises
        of.thrown = std::current_exception();
    }
    return 0;
}

// Pushes a function without allocating, but for the first time.
void pushKept(lua_State* state, lua_CFunction function, const char& key) {
    lua_pushlightuserdata(state, const_cast<char*>(&key));
    lua_rawget(state, LUA_REGISTRYINDEX);
    if (!lua_isnil(state, -1)) return;
    lua_pop(state, 1);
    lua_pushlightuserdata(state, const_cast<char*>(&key));
    lua_pushcfunction(state, function);
    lua_rawset(state, LUA_REGISTRYINDEX);
    pushKept(state, function, key);
}

const char tracebackKey = 0;
const char protectedKey = 0;

// The message of an error object: from __tostring, or from a field `message`, which most have.
int describeObject(lua_State* state) {
    if (luaL_callmeta(state, 1, "__tostring") != 0 && lua_isstring(state, -1)) return 1;
    lua_settop(state, 1);
    if (lua_istable(state, 1)) {
        lua_pushliteral(state, "message");
        lua_rawget(state, 1);
        if (lua_type(state, -1) == LUA_TSTRING) return 1;
    }
    lua_pushfstring(state, "(error object is a %s value)", luaL_typename(state, 1));
    return 1;
}

// Takes the message from the stack.
[[noreturn]] void throwRaised(lua_State* state) {
    const bool isObject = !lua_isstring(state, -1) && !lua_isnil(state, -1);
    std::shared_ptr<LuaReference> object;
    if (isObject) {
        lua_pushvalue(state, -1);
        object = std::make_shared<LuaReference>(state);
        lua_pushcfunction(state, &describeObject);
        lua_insert(state, -2);
        if (lua_pcall(state, 1, 1, 0) != 0) {  // its __tostring raises
            lua_pop(state, 1);
            lua_pushliteral(state, "(error object)");
        }
    }
    std::size_t length = 0;
    const char* text = lua_tolstring(state, -1, &length);
    const std::string message = text ? std::string(text, length) : "an error without a message";
    lua_pop(state, 1);
    throw LuaError(message, std::move(object));
}

[[noreturn]] void throwAssertion(const std::string& sentence) {
    throw Error(ErrorCode::WrongState, sentence);
}

}  // namespace

void raiseObject(lua_State* state) {
    throwRaised(state);
}

void LuaError::throwBehind(const std::string& prefix) const {
    throw withPrefix(prefix, *this);
}

LuaError withPrefix(const std::string& prefix, const LuaError& error) {
    return error.object() ? error : LuaError(prefix + error.what());
}

namespace {

struct LastError {
    std::string sentence;
};

std::string& keptError() {
    return threadKept<LastError>().sentence;
}

}  // namespace

const std::string& lastError() noexcept {
    static const std::string none = "out of memory";
    try {
        return keptError();
    } catch (const std::bad_alloc&) {
        return none;
    }
}

void setLastError(const char* sentence) noexcept {
    try {
        std::string& kept = keptError();
        kept = "out of memory";  // short enough to need none
        kept = sentence;
    } catch (const std::bad_alloc&) {
        return;
    }
}

const char* messageOf(const std::exception& error) noexcept {
    return dynamic_cast<const std::bad_alloc*>(&error) ? "not enough memory" : error.what();
}

void callLua(lua_State* state, int arguments, int results) {
    static thread_local int depth = 0;
    const CountScope deeper(depth);
    if (depth > deepestCall) {
        lua_pop(state, arguments + 1);
        fail(ErrorCode::Reentrant, "calls are nested more than ", deepestCall,
             " deep: does a listener emit the event that it listens to, or a hook ask for what "
             "calls it?");
    }
    const int handler = lua_gettop(state) - arguments;
    pushKept(state, &addTraceback, tracebackKey);
    lua_insert(state, handler);
    const int status = lua_pcall(state, arguments, results, handler);
    lua_remove(state, handler);
    if (status != 0) throwRaised(state);
}

void failIfSentence(lua_State* state, int index) {
    if (lua_type(state, index) == LUA_TSTRING)
        throw Error(ErrorCode::WrongType, lua_tostring(state, index));
}

void detail::protect(lua_State* state, Work run, void* work) {
    if (lua_checkstack(state, 8) == 0) fail(ErrorCode::LimitReached, "the Lua stack is full");
    Protected of{run, work, nullptr};
    pushKept(state, &runProtected, protectedKey);
    lua_pushlightuserdata(state, &of);
    if (lua_pcall(state, 1, 0, 0) != 0) throwRaised(state);
    if (of.thrown) std::rethrow_exception(of.thrown);
}

namespace {

// Pushes "file:line: " of the script that called, past the Lua half of the module.
void pushPlace(lua_State* state) {
    lua_Debug frame;
    for (int level = 1; lua_getstack(state, level, &frame) != 0; ++level) {
        lua_getinfo(state, "Sl", &frame);
        if (frame.currentline < 0 || std::string_view(frame.source).starts_with("@revenant/"))
            continue;
        lua_pushfstring(state, "%s:%d: ", frame.short_src, frame.currentline);
        return;
    }
    lua_pushliteral(state, "");
}

}  // namespace

int carryException(lua_State* state, const std::exception* error, const char* text,
                   std::size_t length) {
    const auto* isLuas = error ? dynamic_cast<const LuaError*>(error) : nullptr;
    if (isLuas && isLuas->object())
        if (const auto session = isLuas->object()->session();
            session && session == Session::sharedOf(state)) {
            isLuas->object()->push(state);
            return 1;
        }
    if (isLuas)
        lua_pushliteral(state, "");
    else
        pushPlace(state);
    if (error)
        lua_pushstring(state, messageOf(*error));
    else
        lua_pushlstring(state, text, length);
    lua_concat(state, 2);
    return 1;
}

int callAside(lua_State* state) {
    const bool isDone = lua_pcall(state, lua_gettop(state) - 1, LUA_MULTRET, 0) == 0;
    lua_pushboolean(state, isDone ? 1 : 0);
    lua_insert(state, 1);
    return lua_gettop(state);
}

namespace {

// Where on the C stack this thread's outermost call into C++ is; null: there is none. An error may skip the code that
// resets it: an address further down the stack than a new call is left over from that.
thread_local const char* outermost = nullptr;

class NativeCall {
public:
    explicit NativeCall(const char* here) noexcept : isOutermost_(!outermost || here >= outermost) {
        if (isOutermost_) outermost = here;
    }
    NativeCall(const NativeCall&) = delete;
    NativeCall& operator=(const NativeCall&) = delete;
    ~NativeCall() {
        if (isOutermost_) outermost = nullptr;
    }
    bool isOutermost() const noexcept { return isOutermost_; }

private:
    bool isOutermost_;
};

// Calls the function at the bottom of the stack with all that is above it. Returns 0, or 1 with what was raised on top.
int callNative(lua_State* state) {
    const char here = 0;
    const NativeCall call(&here);
    // Worlds that have ended are freed while no call into C++ can be using them.
    if (call.isOutermost() && Session::hasGraves()) Session::emptyGraves(state);
#ifdef _WIN32  // where an error skips destructors
    if (lua_pcall(state, lua_gettop(state) - 1, LUA_MULTRET, 0) != 0) return 1;
#else
    lua_call(state, lua_gettop(state) - 1, LUA_MULTRET);
#endif
    if (call.isOutermost() && Session::hasGraves()) Session::emptyGraves(state);
    return 0;
}

}  // namespace

int callWithRoom(lua_State* state) {
    lua_checkstack(state, roomForCalls);  // raises when the stack is full
    lua_pushvalue(state, lua_upvalueindex(1));
    lua_insert(state, 1);
    if (callNative(state) != 0) return lua_error(state);
    return lua_gettop(state);
}

void throwAssertions() noexcept {
    setAssertionHandler([](const std::string& sentence) { throwAssertion(sentence); });
}

}  // namespace revenant
