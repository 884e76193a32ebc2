#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "tests/rewind/stage.hpp"

using namespace revenant;

namespace {

// A component of exactly so many bytes.
template <std::size_t size>
struct Crumb {
    std::uint8_t bytes[size] = {};
};

}  // namespace

// The history works by words: some sizes have code of their own, and odd ones end in a short word.
TEMPLATE_TEST_CASE_SIG("components of every size come back to the byte", "[rewind]",
                       ((std::size_t size), size), 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 23,
                       24, 25, 31, 32, 33, 40, 127, 130) {
    Stage stage({.seconds = 1e6, .blockFrames = 6});
    stage.world.defineComponent<Crumb<size>>("CrumbCMP", {field("bytes", &Crumb<size>::bytes)});
    Entity whole = stage.spawn("whole");
    Entity part = stage.spawn("part");
    Entity still = stage.spawn("still");
    for (Entity* entity : {&whole, &part, &still}) entity->addComponent<Crumb<size>>();
    for (int i = 1; i <= 30; ++i) {
        stage.ticks(1);
        for (std::uint8_t& byte : whole.getComponent<Crumb<size>>().bytes) byte += 7;
        part.getComponent<Crumb<size>>().bytes[size - 1] += 1;
        part.getComponent<Crumb<size>>().bytes[size / 2] += 3;
    }
    stage.rewind->finishPacking();
    for (const int frame : {30, 29, 3, 17, 18, 1, 30}) {
        CAPTURE(frame);
        stage.rewind->seek(frame);
        REQUIRE(stage.isExact());
        const auto passed = static_cast<std::uint8_t>(frame - 1);
        for (const std::uint8_t byte : whole.getComponent<const Crumb<size>>().bytes)
            REQUIRE(byte == static_cast<std::uint8_t>(passed * 7));
        const std::uint8_t last = part.getComponent<const Crumb<size>>().bytes[size - 1];
        REQUIRE(last == static_cast<std::uint8_t>(size / 2 == size - 1 ? passed * 4 : passed));
        REQUIRE(still.getComponent<const Crumb<size>>().bytes[0] == 0);
    }
}
