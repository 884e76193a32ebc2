// What moving in time costs: which blocks are unpacked on the way, and which are not.
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <random>
#include <thread>

#include "rewind/history/history.hpp"
#include "rewind/state_hash.hpp"
#include "tests/rewind/flight.hpp"
#include "tests/rewind/stage.hpp"

using namespace revenant;

namespace {

// A flight whose frames are all packed but for the last block.
void fly(Flight& flight, int ticks) {
    flight.define();
    flight.takeOff();
    flight.ticks(ticks);
    flight.rewind->finishPacking();
}

bool isExact(Flight& flight) {
    return stateHash(flight.world) == flight.rewind->frameHash(*flight.rewind->getFrame());
}

// A history of nothing, packed where a block of ten is full.
struct Ages {
    History history{{.blockFrames = 10, .inBackground = false}};

    void add(int frames) {
        for (; frames > 0; --frames) {
            Frame frame;
            frame.number = history.empty() ? 1 : history.newest() + 1;
            history.push(std::move(frame));
        }
        history.collect();
    }
    // How many moves lead from one frame to another, and how many of those over a single one.
    std::pair<int, int> way(std::int64_t shown, std::int64_t target) {
        int moves = 0;
        int single = 0;
        while (shown != target) {
            const History::Leap leap = history.leapFrom(shown, target);
            if (shown != (leap.isBack ? leap.last : leap.from)) FAIL("a leap from elsewhere");
            shown = leap.isBack ? leap.from : leap.last;
            if (!history.has(shown) || ++moves > 2000) FAIL("a leap to nowhere");
            if (!leap.net) ++single;
        }
        return {moves, single};
    }
};

void requireExactFrames(Stage& stage) {
    stage.rewind->finishPacking();
    for (std::int64_t frame = 1; frame <= *stage.rewind->getNewestFrame(); frame += 7) {
        stage.rewind->seek(frame);
        REQUIRE(stage.isExact());
        stage.rewind->seek(*stage.rewind->getNewestFrame() - frame / 2);
        REQUIRE(stage.isExact());
    }
}

}  // namespace

TEST_CASE("any frame is some moves away, and half a block at most at either end", "[rewind]") {
    Ages ages;
    ages.add(2000);
    int mostMoves = 0;
    int mostSingle = 0;
    for (std::int64_t shown = 1; shown <= 2000; shown += 17)
        for (std::int64_t target = 1; target <= 2000; target += 3) {
            const auto [moves, single] = ages.way(shown, target);
            mostMoves = std::max(mostMoves, moves);
            mostSingle = std::max(mostSingle, single);
        }
    CHECK(mostSingle <= 10);
    CHECK(mostMoves <= 10 + 10 + 10 + 4);  // frames, blocks, groups, groups of those
}

TEST_CASE("a path is found through a history that was cut at either end, again and again",
          "[rewind]") {
    std::minstd_rand random(3);
    Ages ages;
    ages.add(1500);
    for (int round = 0; round < 40; ++round) {
        const auto frames = ages.history.newest() - ages.history.oldest();
        for (auto drop = random() % 60; drop > 0; --drop) ages.history.popOldest();
        if (round % 3 == 0)
            ages.history.truncate(ages.history.newest() -
                                  static_cast<std::int64_t>(random()) % (frames / 3));
        ages.add(static_cast<int>(random() % 90));
        const auto kept = ages.history.newest() - ages.history.oldest() + 1;
        for (int i = 0; i < 200; ++i) {
            const auto [moves, single] =
                ages.way(ages.history.oldest() + static_cast<std::int64_t>(random()) % kept,
                         ages.history.oldest() + static_cast<std::int64_t>(random()) % kept);
            // The oldest block may be there in part, the newest is open.
            REQUIRE(single <= 30);
            REQUIRE(moves <= 70);
        }
    }
}

TEST_CASE("time that moves with the ticks unpacks only what lies on its way", "[rewind]") {
    Flight flight(Flight::roomy(10));
    fly(flight, 120);
    flight.rewind->start();
    while (*flight.rewind->getFrame() > 40) {
        flight.ticks(1);
        REQUIRE_FALSE(flight.rewind->getBlocks().front().isUnpacked);
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

TEST_CASE("where few of many change a block is as short as the packer's columns ask for",
          "[rewind]") {
    constexpr std::size_t blockBytes = 64 << 10;
    constexpr std::uint32_t changed = 20;
    constexpr std::uint32_t words = 8;
    History history({.blockFrames = 600, .blockBytes = blockBytes, .inBackground = false});
    for (std::uint32_t number = 1; number <= 100; ++number) {
        Frame frame;
        frame.number = number;
        for (std::uint32_t i = 0; i < changed; ++i) {
            const std::uint32_t index = number * changed + i;  // others in each frame
            frame.bases.insert(frame.bases.end(), {index, headOf(0, words)});
            frame.bases.insert(frame.bases.end(), words, 7);
            frame.delta.words.insert(frame.delta.words.end(), {1, headOf(0, 1), 1, index, number});
        }
        history.push(std::move(frame));
    }
    for (const BlockInfo& block : history.blocks()) {
        const auto frames = static_cast<std::size_t>(block.last - block.first + 1);
        CHECK(changed * words * (frames - 1) * (frames - 1) * 4 <= blockBytes);
    }
    std::uint32_t next = 50 * changed;
    forWords(history.at(50).delta.words, [&](std::uint32_t index, ComponentTypeId type,
                                             std::size_t word, std::uint32_t difference) {
        CHECK(index == next++);
        CHECK(type == 0);
        CHECK(word == 0);
        CHECK(difference == 50);
    });
    CHECK(next == 51 * changed);
}

TEST_CASE("where the same few words of all change a block is as long as its bytes allow",
          "[rewind]") {
    constexpr std::size_t blockBytes = 256 << 10;
    constexpr std::uint32_t components = 300;
    constexpr std::uint32_t words = 24;
    History history({.blockFrames = 600, .blockBytes = blockBytes, .inBackground = false});
    bool begins = false;
    for (std::uint32_t number = 1; number <= 400; ++number) {
        Frame frame;
        frame.number = number;
        frame.delta.words.reserve(4 + std::size_t{components} * 2);
        for (const std::uint32_t word : {5U, headOf(0, 1) | runFlag, components, 3U})
            frame.delta.words.push_back(word);
        for (std::uint32_t i = 0; i < components; ++i) {
            frame.delta.words.insert(frame.delta.words.end(), {number, i + 1});
            if (number > 2 && !begins) continue;
            frame.bases.insert(frame.bases.end(), {5 + i, headOf(0, words)});
            frame.bases.insert(frame.bases.end(), words, 7);
        }
        begins = history.push(std::move(frame));
    }
    std::vector<BlockInfo> blocks = history.blocks();
    REQUIRE(blocks.size() > 2);
    blocks.pop_back();
    // Beside the whole components, which are in the first frame of a block.
    constexpr std::size_t changes = blockBytes - components * words * 4 - (8 << 10);
    for (const BlockInfo& block : blocks) {
        const auto frames = static_cast<std::size_t>(block.last - block.first + 1);
        CHECK(frames * components * 2 * 4 > changes / 4 * 3);
    }
}

TEST_CASE("where other words of the same components change in each frame a block is short, too",
          "[rewind]") {
    constexpr std::size_t blockBytes = 2 << 20;
    constexpr std::uint32_t components = 4;
    constexpr std::uint32_t words = 4096;
    History history({.blockFrames = 600, .blockBytes = blockBytes, .inBackground = false});
    bool begins = false;
    for (std::uint32_t number = 1; number <= 700; ++number) {
        Frame frame;
        frame.number = number;
        WordWriter writer(frame.delta.words);
        for (std::uint32_t i = 0; i < components; ++i) {
            std::vector<std::uint32_t> masks(words / maskBits);
            masks[number % words / maskBits] = 1U << (number % maskBits);
            *writer.add(i, 0, masks) = number;
            if (number > 2 && !begins) continue;
            frame.bases.insert(frame.bases.end(), {i, headOf(0, words)});
            frame.bases.insert(frame.bases.end(), words, 7);
        }
        begins = history.push(std::move(frame));
    }
    for (const BlockInfo& block : history.blocks()) {
        const auto frames = static_cast<std::size_t>(block.last - block.first + 1);
        // Each of them begins as many columns as there are components.
        CHECK(components * (frames - 1) * (frames - 1) * 4 <= blockBytes);
    }
    std::size_t changes = 0;
    forWords(history.at(170).delta.words,
             [&](std::uint32_t, ComponentTypeId, std::size_t word, std::uint32_t difference) {
                 CHECK(word == 170);
                 CHECK(difference == 170);
                 ++changes;
             });
    CHECK(changes == components);
}

TEST_CASE("a reset of the world frees a referenced history at once", "[rewind]") {
    Stage stage(smallBlocks());
    for (int i = 0; i < 50; ++i) stage.spawn("walker");
    stage.ticks(100);
    stage.rewind->finishPacking();
    const std::size_t before = stage.rewind->getMemory();
    stage.world.reset();
    CHECK(stage.rewind->getBlocks().empty());
    CHECK(stage.rewind->getMemory() < before / 4);
}

TEST_CASE("all frames are exact after play resumed from any of them, wherever blocks end",
          "[rewind]") {
    for (const bool inBackground : {false, true})
        for (std::int64_t resumed = 20; resumed <= 30; ++resumed) {
            Stage stage({.seconds = 1e6, .blockFrames = 3, .packInBackground = inBackground});
            Entity mover = stage.spawn("mover");
            stage.ticks(40);
            stage.rewind->finishPacking();
            stage.rewind->seek(resumed);
            mover.getComponent<Position>().x = -100;
            stage.rewind->stop();
            stage.ticks(300);
            INFO("resumed from " << resumed);
            requireExactFrames(stage);
        }
}

TEST_CASE("all frames are exact after play resumed from a block that was just packed", "[rewind]") {
    for (int recorded = 20; recorded <= 30; ++recorded) {
        Stage stage({.seconds = 1e6, .blockFrames = 3});
        Entity mover = stage.spawn("mover");
        stage.ticks(recorded - 1);
        stage.rewind->finishPacking();
        stage.ticks(1);
        stage.rewind->seek(*stage.rewind->getNewestFrame());
        // The packer finishes the last block, and its result has not been taken over yet.
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        mover.getComponent<Position>().x = -100;
        stage.rewind->stop();
        stage.ticks(300);
        INFO("recorded " << recorded);
        requireExactFrames(stage);
    }
}
