// What moving in time costs: which stretches are unpacked on the way, and which are not.
#include <catch2/catch_test_macros.hpp>

#include "rewind/state_hash.hpp"
#include "tests/rewind/flight.hpp"

using namespace revenant;

namespace {

// A flight whose frames are all packed but for the last stretch.
void fly(Flight& flight, int ticks) {
    flight.define();
    flight.takeOff();
    flight.ticks(ticks);
    flight.rewind->finishPacking();
}

bool isExact(Flight& flight) {
    return stateHash(flight.world) == flight.rewind->frameHash(*flight.rewind->getFrame());
}

}  // namespace

TEST_CASE("time that moves with the ticks unpacks only what lies on its way") {
    Flight flight(Flight::roomy(10));
    fly(flight, 120);
    flight.rewind->start();
    while (*flight.rewind->getFrame() > 40) {
        flight.ticks(1);
        REQUIRE_FALSE(flight.rewind->getStretches().front().isUnpacked);
        REQUIRE(isExact(flight));
    }
    flight.ticks(60);
    CHECK(flight.rewind->getFrame() == flight.rewind->getOldestFrame());
    CHECK(isExact(flight));
    // Time stood still at its beginning: it moves forward from there at once.
    flight.rewind->setSpeed(-1);
    flight.ticks(1);
    CHECK(flight.rewind->getFrame() == *flight.rewind->getOldestFrame() + 1);
}
