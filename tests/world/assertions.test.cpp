#ifndef _WIN32  // it forks
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <string>

#include "world/error.hpp"

using namespace revenant;

TEST_CASE("without a handler, a failed assertion prints its sentence and ends the process",
          "[world]") {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    const ::pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::dup2(ends[1], STDERR_FILENO);
        // Not Catch2's handler, which would report a failure. What follows the sentence is not ours: an emulator
        // adds a line of its own.
        std::signal(SIGABRT, [](int) { ::close(STDERR_FILENO); });
        setAssertionHandler(nullptr);
        assertionFailed("the cup runs over");
        ::_exit(0);
    }
    ::close(ends[1]);
    std::string said;
    std::array<char, 256> buffer{};
    for (::ssize_t size = 0; (size = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
        said.append(buffer.data(), static_cast<std::size_t>(size));
    ::close(ends[0]);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGABRT);
    CHECK(said == "revenant: assertion failed: the cup runs over\n");
}
#endif
