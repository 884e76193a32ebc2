// checkRefused: bad input throws an Error that says what and where, and changes nothing.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <initializer_list>
#include <string>

#include "tests/world/snapshot.hpp"
#include "world/world.hpp"

namespace revenant {

// `parts`: what the sentence must have in it.
template <class Call>
void checkRefused(World& world, ErrorCode code, std::initializer_list<std::string> parts,
                  Call call) {
    const std::string before = snapshot(world);
    try {
        call();
        FAIL_CHECK("nothing was thrown; expected a sentence with: " << *parts.begin());
    } catch (const Error& error) {
        INFO(error.what());
        CHECK(static_cast<int>(error.code()) == static_cast<int>(code));
        for (const std::string& part : parts)
            CHECK_THAT(error.what(), Catch::Matchers::ContainsSubstring(part));
    }
    CHECK(snapshot(world) == before);
    CHECK(world.validate().empty());
}

}  // namespace revenant
