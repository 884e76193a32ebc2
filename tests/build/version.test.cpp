#include "world/version.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string_view>

TEST_CASE("the library's version is the one CMake's project names", "[build]") {
    CHECK(std::string_view{revenant::version()} == REVENANT_PROJECT_VERSION);
}
