// ScriptHost: a Lua state for a program that is its own host, without showing it Lua: the module
// `revenant` is there, functions of the host's own are defined under `require "<module>"`, and a
// script's table of functions is called. Owned by the program; used on one thread.
//
//     ScriptHost script("host");
//     script.addMethod("canvas", "clear", [&](ScriptCall& call) { ... call.integer(1, "color") });
//     script.load("game/main.lua");          // returns the table whose functions `call` calls
//     script.call("step", {1.0 / 60});
//
// What a script raises comes out as an Error, its traceback behind the first line; what the host's
// functions throw goes in as a Lua error.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "world/value.hpp"

struct lua_State;

namespace revenant {

// One call of a host's function by a script. Positions count from 1, `self` aside.
// All but `has` throw an Error that names function and argument.
class ScriptCall {
public:
    ScriptCall(lua_State* state, const std::string& function, int skipped) noexcept
        : state_(state), function_(function), skipped_(skipped) {}

    bool has(int position) const noexcept;                       // it is given, and not nil
    double number(int position, const char* name) const;         // finite
    std::int64_t integer(int position, const char* name) const;  // rounded down
    bool boolean(int position, const char* name) const;
    std::string_view text(int position, const char* name) const;  // good during the call
    const std::string& function() const noexcept { return function_; }

    // One each, at most: what the call returns.
    void give(double number) { result_ = number; }
    void give(bool boolean) { result_ = boolean; }
    void give(std::string text) { result_ = std::move(text); }
    const Value& result() const noexcept { return result_; }

private:
    [[noreturn]] void wrong(int position, const char* name, const char* wanted) const;

    lua_State* state_;
    const std::string& function_;
    int skipped_;
    Value result_;
};

using ScriptTable = std::map<std::string, Value, std::less<>>;

class ScriptHost {
public:
    using Function = std::function<void(ScriptCall&)>;

    // `module`: the name under which scripts require what is defined here.
    explicit ScriptHost(std::string module);
    ScriptHost(const ScriptHost&) = delete;
    ScriptHost& operator=(const ScriptHost&) = delete;
    ~ScriptHost();

    // Modules are looked for in this folder, before all others.
    void addModuleFolder(const std::string& folder);
    void setField(const char* name, const Value& value);
    void addFunction(const char* name, Function function);
    // In a table of the module, to be called with a colon.
    void addMethod(const char* table, const char* name, Function function);

    // Runs a file and keeps the table that it returns. Throws an Error, also where it returns none.
    void load(const std::string& path);
    bool isLoaded() const noexcept { return scriptReference_ != 0; }
    bool hasFunction(const char* function);
    // Calls a function of that table. Throws an Error.
    void call(const char* function, std::initializer_list<double> arguments = {});
    void call(const char* function, const ScriptTable& argument);
    // The plain values of the table that it returns: numbers, texts, booleans.
    ScriptTable callForTable(const char* function);

private:
    struct Closer {
        void operator()(lua_State* state) const noexcept;
    };
    struct Defined;

    void define(const char* table, const char* name, Function function);
    void pushFunction(const char* function);

    std::string module_;
    std::vector<std::unique_ptr<Defined>> functions_;  // outlive the state
    std::unique_ptr<lua_State, Closer> state_;
    int moduleReference_ = 0;
    int scriptReference_ = 0;
};

}  // namespace revenant
