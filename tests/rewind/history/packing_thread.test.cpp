// Packing in the background: no tick waits for it, and it takes little time.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "rewind/history/history.hpp"
#include "rewind/history/packing_thread.hpp"
#include "tests/rewind/process_memory.hpp"

using namespace revenant;

namespace {

// So many components of so many words, up to 32, that all change in every frame.
struct Motion {
    int frames = 0;
    std::uint32_t components = 0;
    std::uint32_t words = 0;
    bool isNoise = false;  // nothing to be made small
};

std::vector<Frame> framesOf(const Motion& motion) {
    std::mt19937 random(1);
    std::vector<Frame> frames;
    for (int number = 1; number <= motion.frames; ++number) {
        Frame& frame = frames.emplace_back();
        frame.number = number;
        Words& words = frame.delta.words;
        words.reserve(std::size_t{motion.components} * (motion.words + 4));
        for (std::uint32_t index = 0; index < motion.components; ++index) {
            if (number == 1) {
                frame.bases.insert(frame.bases.end(), {index, headOf(0, motion.words)});
                frame.bases.insert(frame.bases.end(), motion.words, index);
            }
            words.insert(words.end(), {1, headOf(0, 1), UINT32_MAX >> (32 - motion.words), index});
            for (std::uint32_t i = 0; i < motion.words; ++i)
                words.push_back(motion.isNoise ? static_cast<std::uint32_t>(random()) | 1U
                                               : 1U + static_cast<std::uint32_t>(random() % 7));
        }
    }
    return frames;
}

std::shared_ptr<PackingTask> taskFor(const Motion& motion) {
    auto task = std::make_shared<PackingTask>();
    task->frames = std::make_shared<const std::vector<Frame>>(framesOf(motion));
    return task;
}

constexpr Motion longWork{.frames = 30, .components = 3000, .words = 8, .isNoise = true};
constexpr Motion shortWork{.frames = 3, .components = 10, .words = 8, .isNoise = true};

template <class T>
std::ptrdiff_t countAlive(const std::vector<std::weak_ptr<T>>& all) {
    return std::ranges::count_if(all, [](const auto& each) { return !each.expired(); });
}

}  // namespace

TEST_CASE("a full block is handed over, and packed while frames are added", "[rewind][history]") {
    History history({.blockFrames = 30});
    std::vector<Frame> frames = framesOf(longWork);
    bool isFull = false;
    for (Frame& frame : frames) isFull = history.push(std::move(frame));
    REQUIRE(isFull);
    Frame next;
    next.number = 31;
    history.push(std::move(next));
    const auto blocks = history.blocks();
    REQUIRE(blocks.size() == 2);
    CHECK_FALSE(blocks[0].isPacked);
    CHECK(blocks[0].isUnpacked);  // available at once
    history.finishPacking();
    CHECK(history.blocks()[0].isPacked);
}

TEST_CASE("a task that was not begun can be taken back, and is freed with its last owner",
          "[rewind][history]") {
    const std::shared_ptr<PackingTask> first = taskFor(longWork);
    std::vector<std::shared_ptr<PackingTask>> others;
    std::vector<std::weak_ptr<const std::vector<Frame>>> frames;
    for (int i = 0; i < 40; ++i) {
        others.push_back(taskFor(shortWork));
        frames.emplace_back(others.back()->frames);
    }
    PackingThread thread(ThreadClass::Low);
    thread.add(first);
    for (const auto& task : others) thread.add(task);
    int taken = 0;
    for (auto& task : others) {
        taken += thread.takeBack(task) ? 1 : 0;
        task->isUnwanted = true;
        task = nullptr;
    }
    CHECK_FALSE(first->isDone);
    CHECK(taken >= 36);  // the lock may have been taken once or twice
    CHECK(countAlive(frames) <= 4);
}

TEST_CASE("a thread that is paused finishes what it has begun, and begins with nothing more",
          "[rewind][history]") {
    PackingThread thread(ThreadClass::Low);
    auto isDoneSoon = [](const std::shared_ptr<PackingTask>& task) {
        for (int i = 0; i < 10000 && !task->isDone; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return task->isDone.load();
    };
    const std::shared_ptr<PackingTask> first = taskFor(longWork);
    thread.add(first);
    for (int i = 0; i < 20; ++i) {
        thread.setPaused(true);
        CHECK(thread.isPaused());
        const bool hasBegun = thread.isWorking() || first->isDone;
        const std::shared_ptr<PackingTask> second = taskFor(shortWork);
        thread.add(second);
        if (hasBegun) CHECK(isDoneSoon(first));
        while (thread.isWorking()) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        CHECK_FALSE(second->isDone);
        CHECK_FALSE(thread.isWorking());
        thread.setPaused(false);
        // The lock may have been taken: as in a game, some tick hands it over.
        while (!second->isDone) {
            thread.flush();
            std::this_thread::yield();
        }
        CHECK(first->isDone);
    }
}

TEST_CASE("frames that were dropped are freed over some ticks, and counted until then",
          "[rewind][history]") {
    History history({.blockFrames = 10, .inBackground = false});
    auto push = [&](const Motion& motion, std::int64_t first) {
        for (Frame& frame : framesOf(motion)) {
            frame.number += first;
            history.push(std::move(frame));
        }
    };
    push({.frames = 10, .components = 3000, .words = 8, .isNoise = true}, 0);
    const std::size_t full = history.bytes();  // packed, but its frames are not freed yet
    std::size_t last = full;
    for (int i = 0; i < 10; ++i) {
        history.collect();
        CHECK(history.bytes() <= last);
        last = history.bytes();
    }
    CHECK(last < full * 2 / 3);
    history.freeAllRetired();
    CHECK(history.bytes() == last);
}

#ifdef REVENANT_COUNTS_MEMORY
TEST_CASE("packing takes at most five times what it packs, unpacking four times",
          "[rewind][history]") {
    constexpr std::size_t slack = std::size_t{1} << 20;
    struct Case {
        Motion motion;
        int zstdLevel;
    };
    for (const bool isNoise : {false, true})
        for (const auto& [motion, level] :
             {Case{{600, 40, 8, isNoise}, 12}, Case{{600, 120, 8, isNoise}, 5},
              Case{{60, 1200, 8, isNoise}, 5}, Case{{46, 8000, 8, isNoise}, 1},
              Case{{46, 2400, 32, isNoise}, 1}, Case{{600, 4000, 1, isNoise}, 1}}) {
            const auto task = taskFor(motion);
            task->zstdLevel = level;
            std::size_t bytes = 0;
            for (const Frame& frame : *task->frames) bytes += frame.bytes();
            CAPTURE(isNoise, motion.frames, motion.components, motion.words, level, bytes);
            const MemoryPeak packing;
            if (!packing.isCounted()) SKIP("the system counts no peak anew");
            perform(*task);
            CHECK(packing.bytes() <= 5 * bytes + slack);
            PackingTask back;
            back.kind = PackingTask::Kind::Unpack;
            back.packed = task->packed;
            const MemoryPeak unpacking;
            perform(back);
            CHECK(unpacking.bytes() <= 4 * bytes + slack);
        }
}
#endif
