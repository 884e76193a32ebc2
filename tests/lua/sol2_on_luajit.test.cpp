// What the Lua bindings rely on: with the configuration of revenant_sol2, whatever
// a script hands to a bound C++ function arrives there well-typed or comes back as
// a Lua error with a sentence, on LuaJIT, compiled traces included.

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sol/sol.hpp>

#include <stdexcept>
#include <string>

namespace {

using Catch::Matchers::ContainsSubstring;

struct Lamp {
    int brightness = 3;

    int brighten(int by) {
        if (by < 0) {
            throw std::invalid_argument("Lamp 'hall' cannot be brightened by a negative amount");
        }
        return brightness += by;
    }
};

struct LuaWithLamps {
    sol::state lua;
    Lamp hall;

    LuaWithLamps() {
        lua.open_libraries();
        lua.new_usertype<Lamp>("Lamp", "brighten", &Lamp::brighten, "brightness",
                               &Lamp::brightness);
        lua["hall"] = &hall;
        lua["readReference"] = [](const Lamp& lamp) { return lamp.brightness; };
        lua["readNumber"] = [](double number) { return number; };
    }

    // The error message of a chunk that must fail.
    std::string errorOf(const std::string& chunk) {
        const auto result = lua.safe_script(chunk, sol::script_pass_on_error);
        if (result.valid()) {
            FAIL("no error from: " << chunk);
        }
        const sol::error error = result;
        return error.what();
    }
};

}  // namespace

TEST_CASE("the Lua under sol2 is LuaJIT with its compiler on", "[lua]") {
    LuaWithLamps host;
    CHECK(host.lua.safe_script("return jit.version").get<std::string>().starts_with("LuaJIT 2.1"));
    CHECK(host.lua.safe_script("return (jit.status())").get<bool>());
}

TEST_CASE("a bound function gets well-typed arguments and answers", "[lua]") {
    LuaWithLamps host;
    CHECK(host.lua.safe_script("return hall:brighten(2) + readReference(hall)").get<int>() == 10);
}

TEST_CASE("nil passed for a C++ reference is a Lua error that says so", "[lua]") {
    LuaWithLamps host;
    CHECK_THAT(host.errorOf("readReference(nil)"), ContainsSubstring("nil"));
    CHECK_THAT(host.errorOf("readReference()"),
               ContainsSubstring("no value") || ContainsSubstring("nil"));
}

TEST_CASE("nil passed for self is a Lua error that says so", "[lua]") {
    LuaWithLamps host;
    CHECK_THAT(host.errorOf("hall.brighten(nil, 1)"), ContainsSubstring("nil"));
}

TEST_CASE("an argument of the wrong type is a Lua error that names both types", "[lua]") {
    LuaWithLamps host;
    CHECK_THAT(host.errorOf("readNumber('three')"),
               ContainsSubstring("number") && ContainsSubstring("string"));
    CHECK_THAT(host.errorOf("readReference(3)"), ContainsSubstring("number"));
    CHECK_THAT(host.errorOf("hall.brightness = {}"), ContainsSubstring("table"));
}

TEST_CASE("a C++ exception arrives as a Lua error with its sentence", "[lua]") {
    LuaWithLamps host;
    CHECK_THAT(host.errorOf("hall:brighten(-1)"),
               ContainsSubstring("Lamp 'hall' cannot be brightened by a negative amount"));
}

TEST_CASE("a C++ exception can be caught by pcall and the state lives on", "[lua]") {
    LuaWithLamps host;
    const auto message = host.lua.safe_script(R"(
        local ok, message = pcall(hall.brighten, hall, -1)
        assert(not ok)
        assert(hall:brighten(1) == 4)
        return tostring(message)
    )");
    CHECK_THAT(message.get<std::string>(), ContainsSubstring("Lamp 'hall'"));
}

TEST_CASE("errors raised in a loop hot enough to be compiled are all caught", "[lua]") {
    LuaWithLamps host;
    const int caught = host.lua.safe_script(R"(
        local caught = 0
        for i = 1, 10000 do
            local call = i % 3 == 0 and function() hall:brighten(-1) end
                or i % 3 == 1 and function() readReference(nil) end
                or function() readNumber({}) end
            if not pcall(call) then caught = caught + 1 end
        end
        return caught
    )");
    CHECK(caught == 10000);
}
