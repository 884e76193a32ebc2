// Runs a range of sagas, for as many seeds as there is time for:
//
//     build/release/tests/run_sagas 1 100000        # the first seed, and how many
//     build/release/tests/run_sagas 1 1000 scopes   # in which what is rewindable changes
//
// Prints each seed that fails, with what went wrong, and goes on. Exits with 1 if any did.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "tests/rewind/saga_telling.hpp"

namespace {

std::string tell(std::uint64_t seed, bool rescopes) {
    try {
        return revenant::SagaTelling(seed, rescopes).run();
    } catch (const std::exception& error) {
        return std::string("threw: ") + error.what();
    }
}

}  // namespace

int main(int count, char** arguments) {
    const bool rescopes = count == 4 && std::strcmp(arguments[3], "scopes") == 0;
    if (count != 3 && !rescopes) {
        std::fputs("usage: run_sagas FIRST_SEED COUNT [scopes]\n", stderr);
        return 2;
    }
    const std::uint64_t first = std::strtoull(arguments[1], nullptr, 10);
    const std::uint64_t seeds = std::strtoull(arguments[2], nullptr, 10);
    const auto begun = std::chrono::steady_clock::now();
    std::uint64_t failed = 0;
    constexpr std::uint64_t perLine = 1000;
    for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
        const std::string fault = tell(seed, rescopes);
        if ((seed - first + 1) % perLine == 0) {
            std::printf("%llu ran\n", static_cast<unsigned long long>(seed - first) + 1);
            std::fflush(stdout);
        }
        if (fault.empty()) continue;
        ++failed;
        std::printf("saga %llu: %s\n\n", static_cast<unsigned long long>(seed), fault.c_str());
        std::fflush(stdout);
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
    std::printf("%llu sagas from %llu on, %llu failed, %.1f s\n",
                static_cast<unsigned long long>(seeds), static_cast<unsigned long long>(first),
                static_cast<unsigned long long>(failed), taken.count());
    return failed == 0 ? 0 : 1;
}
