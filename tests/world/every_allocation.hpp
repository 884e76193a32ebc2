// Runs an operation again and again, each time on a fresh scene, with memory running out at the first
// allocation, at the second, and so on, until it is through before that. Where REVENANT_EMULATED says that an emulator
// runs the tests, only at every eleventh: the place in which memory runs out is the same on all platforms.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <new>

#include "tests/world/allocation_counter.hpp"

#ifndef REVENANT_EMULATED
#define REVENANT_EMULATED 0
#endif

namespace revenant {

// make() gives a scene by pointer; act(scene) is the operation; check(scene, threw) looks at the
// result, with memory available again. Any exception but std::bad_alloc is a failure.
template <class Make, class Act, class Check>
std::size_t failEveryAllocation(FailingMemory::How how, Make make, Act act, Check check) {
    constexpr std::size_t most = 100'000;
    constexpr std::size_t stride = REVENANT_EMULATED ? 11 : 1;
    for (std::size_t n = 1; n < most; n += stride) {
        auto scene = make();
        bool threw = false;
        bool failed = false;
        {
            const FailingMemory memory(n, how);
            try {
                act(*scene);
            } catch (const std::bad_alloc&) {
                threw = true;
            }
            failed = memory.hasFailed();
        }
        INFO("memory ran out at allocation " << n);
        REQUIRE((failed || !threw));
        check(*scene, threw);
        if (!failed) return n - 1;
    }
    FAIL("an operation without end");
    return most;
}

}  // namespace revenant
