// The one place that carries errors across the border.
//
// C++ to Lua, called by FFI: `guarded` keeps the sentence and returns 1; the Lua half fetches it and
// raises. (An exception in a compiled trace would end the process.) Called by sol2: its trampolines
// catch, and `carryException` makes the message.
// Lua to C++: `callLua` throws what the Lua code raised, with its traceback, as a LuaError. `protect` is
// for everything else that C++ does with a state on its own account: almost any call of Lua's API may
// run a finalizer of the script's, and LuaJIT passes what that raises to the code that was allocating.
#pragma once

#include <exception>
#include <memory>
#include <string>

#include "world/error.hpp"

struct lua_State;

namespace revenant {

class LuaReference;

// An error that was raised in Lua: its text already says where. An error object that is not a string is kept, and arrives
// as it was thrown.
class LuaError : public Error {
public:
    explicit LuaError(const std::string& text, std::shared_ptr<LuaReference> object = nullptr)
        : Error(ErrorCode::WrongState, text), object_(std::move(object)) {}

    const std::shared_ptr<LuaReference>& object() const noexcept { return object_; }
    [[noreturn]] void throwBehind(const std::string& prefix) const override;

private:
    std::shared_ptr<LuaReference> object_;
};
// The same error with a sentence before its text, unless it is an object.
LuaError withPrefix(const std::string& prefix, const LuaError& error);

// The sentence of the last call by FFI that failed.
const std::string& lastError() noexcept;
// When memory is short, the sentence says only that.
void setLastError(const char* sentence) noexcept;
// What an exception says, as Lua would say it.
const char* messageOf(const std::exception& error) noexcept;

template <class Call>
int guarded(Call call) noexcept {
    try {
        call();
        return 0;
    } catch (const Error& error) {
        setLastError(error.what());
        if (error.code() == ErrorCode::InPast) return 2;  // it may be made to wait: in_the_past.lua
    } catch (const std::exception& error) {
        setLastError(messageOf(error));
    } catch (...) {
        // Hooks and listeners of the host may throw anything; that must not let a script end the process.
        setLastError("an error in C++ that says nothing of itself");
    }
    return 1;
}

// A lua_CFunction: adds the traceback to an error that is a string and has none yet.
int addTraceback(lua_State* state);
// Takes what was raised from the stack and throws it.
[[noreturn]] void raiseObject(lua_State* state);

// Calls the function below its `arguments` on the stack, as lua_call does. Throws LuaError.
void callLua(lua_State* state, int arguments, int results);

// Throws Error{WrongType} with the string at the index, if it is one: how the Lua half refuses what a script gave, without the
// traceback that an error would get.
void failIfSentence(lua_State* state, int index);

namespace detail {
using Work = void (*)(void* work, lua_State* state);
void protect(lua_State* state, Work run, void* work);
}  // namespace detail

// Runs `work(state)` in a frame of Lua's own, whose stack is empty, and leaves the state's as it was.
// Throws what the work throws, and LuaError for what is raised.
template <class Call>
void protect(lua_State* state, Call work) {
    detail::protect(
        state, [](void* self, lua_State* inside) { (*static_cast<Call*>(self))(inside); }, &work);
}

// Pushes the message of an exception, with the place of the script's call. Returns 1.
int carryException(lua_State* state, const std::exception* error, const char* text,
                   std::size_t length);

// A lua_CFunction that calls its upvalue once there is room on the stack. sol2 asks for room inside
// functions that are noexcept: "stack overflow" raised there would end the process.
int callWithRoom(lua_State* state);

// A lua_CFunction like pcall, which the compiler knows and follows into what is called; this one it
// leaves out of its traces.
int callAside(lua_State* state);

// Failed assertions are errors when reached from Lua.
void throwAssertions() noexcept;

}  // namespace revenant
