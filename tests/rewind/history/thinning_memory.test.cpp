// Thinning where memory runs out: each frame is joined with the next one or is as it was, and every frame that is kept
// leads to what it led to before.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "rewind/history/delta_pair.hpp"
#include "rewind/history/history.hpp"
#include "tests/world/every_allocation.hpp"

using namespace revenant;

namespace {

constexpr std::int64_t frameCount = 24;

// What a frame shows: the values of components, the states that are there, and which entities are in the world.
struct Shown {
    std::map<std::uint32_t, std::uint32_t> values;
    std::map<StateKey, std::vector<std::byte>> states;
    std::set<EntityId> entities;

    friend bool operator==(const Shown&, const Shown&) = default;
};

std::vector<std::byte> bytesOf(const State& state) {
    return {state->begin(), state->end()};
}

// False where a delta does not fit what it is applied to.
bool apply(const Delta& delta, Shown& shown) {
    bool fits = true;
    forWords(delta.words, [&](std::uint32_t index, ComponentTypeId, std::size_t,
                              std::uint32_t difference) { shown.values[index] ^= difference; });
    for (const Step& step : delta.departures) fits = fits && shown.entities.erase(step.id) == 1;
    for (const Step& step : delta.arrivals) fits = fits && shown.entities.insert(step.id).second;
    for (const StateChange& change : delta.states) {
        const auto found = shown.states.find(change.key);
        fits = fits && change.before.has_value() == (found != shown.states.end());
        if (fits && change.before) fits = bytesOf(change.before) == found->second;
        shown.states.erase(change.key);
        if (change.after) shown.states[change.key] = bytesOf(change.after);
    }
    return fits;
}

// Frames in which words and states change, entities come and go.
class Script {
public:
    explicit Script(unsigned seed, bool isInOrder = true) : random_(seed), isInOrder_(isInOrder) {}

    Frame next(std::int64_t number) {
        Frame frame;
        frame.number = number;
        frame.hash = static_cast<std::uint64_t>(number) * 77;
        addWords(frame);
        addStates(frame.delta);
        addSteps(frame.delta);
        return frame;
    }

private:
    bool isLucky() { return random_() % 2 == 0; }
    void addWords(Frame& frame) {
        WordWriter writer(frame.delta.words);
        for (std::uint32_t index = 0; index < 5; ++index) {
            if (!isLucky()) continue;
            const std::uint32_t mask = 1;
            *writer.add(index, 0, {&mask, 1}) = static_cast<std::uint32_t>(random_()) | 1U;
            frame.bases.insert(frame.bases.end(), {index, headOf(0, 1), 0});
        }
    }
    void addStates(Delta& delta) {
        for (std::uint32_t index = 0; index < 6; ++index) {
            if (!isLucky()) continue;
            State& last = states_[index];
            State now = isLucky() ? State(std::vector<std::byte>(
                                        random_() % 40, static_cast<std::byte>(random_() % 3)))
                                  : State();
            if (now == last) continue;
            delta.states.push_back({{{index, 1}, 3}, last, now});
            last = now;
        }
        if (!isInOrder_) std::ranges::reverse(delta.states);
    }
    void addSteps(Delta& delta) {
        Step step;
        step.crosses = true;
        if (!last_.isNull() && isLucky()) {
            step.id = last_;
            delta.departures.push_back(step);
            last_ = {};
        } else if (last_.isNull() && isLucky()) {
            step.id = last_ = {100 + made_++, 1};
            delta.arrivals.push_back(step);
        }
    }

    std::mt19937 random_;
    bool isInOrder_;
    std::map<std::uint32_t, State> states_;
    EntityId last_;
    std::uint32_t made_ = 0;
};

struct Scene {
    History history{{.blockFrames = 4, .inBackground = false, .packs = false}};
    std::map<std::int64_t, Shown> live;
    std::set<EntityId> forgotten;

    explicit Scene(unsigned seed) {
        Script script(seed);
        Shown shown;
        for (std::int64_t number = 1; number <= frameCount; ++number) {
            Frame frame = script.next(number);
            REQUIRE(apply(frame.delta, shown));
            live[number] = shown;
            history.push(std::move(frame));
        }
    }
    void thin() {
        history.thin(
            {.completeFrom = frameCount - 2, .forgets = [this](EntityId id, std::uint32_t) {
                 return forgotten.insert(id).second;
             }});
    }
    void check() {
        Shown shown = live.at(1);
        std::size_t bytes = 0;
        std::vector<Crossing> crossings;
        for (std::int64_t number = 1; number < frameCount;) {
            number = history.after(number);
            const Frame& frame = history.at(number);
            CAPTURE(number);
            REQUIRE(frame.number == number);
            REQUIRE(history.hashOf(number) == frame.hash);
            REQUIRE(apply(frame.delta, shown));
            REQUIRE((shown == live.at(number)));
            appendCrossings(frame, crossings);
            bytes += frame.bytes();
        }
        REQUIRE((history.crossings() == crossings));
        for (const Crossing& crossing : crossings) REQUIRE_FALSE(forgotten.contains(crossing.id));
        REQUIRE(history.bytes() >= bytes);
    }
};

}  // namespace

TEST_CASE("frames that are joined lead to the same states, whatever the order of their changes",
          "[rewind][history]") {
    for (unsigned seed = 1; seed <= 300; ++seed) {
        Script script(seed, seed % 3 != 0);
        Shown apart;
        Shown together;
        for (std::int64_t number = 1; number <= 20; ++number) {
            Delta first = script.next(2 * number).delta;
            Delta second = script.next(2 * number + 1).delta;
            REQUIRE(apply(first, apart));
            REQUIRE(apply(second, apart));
            const Delta whole = composePair(std::move(first), std::move(second));
            REQUIRE(std::ranges::is_sorted(whole.states, {}, &StateChange::key));
            for (const StateChange& change : whole.states)
                REQUIRE_FALSE((change.before == change.after));
            REQUIRE(apply(whole, together));
            for (auto* shown : {&apart, &together})
                std::erase_if(shown->values, [](const auto& each) { return each.second == 0; });
            REQUIRE((apart == together));
        }
    }
}

TEST_CASE("two deltas that are put together without memory are both as they were",
          "[rewind][history][memory]") {
    if (!countsAllocations) return;
    struct Pair {
        Delta first;
        Delta second;
        Shown before;
        Shown after;
    };
    for (unsigned seed = 1; seed <= 40; ++seed)
        failEveryAllocation(
            FailingMemory::How::Once,
            [&] {
                Script script(seed, seed % 3 != 0);
                auto pair = std::make_unique<Pair>();
                apply(script.next(1).delta, pair->before);
                pair->first = script.next(2).delta;
                pair->second = script.next(3).delta;
                pair->after = pair->before;
                apply(pair->first, pair->after);
                apply(pair->second, pair->after);
                return pair;
            },
            [](Pair& pair) {
                pair.first = composePair(std::move(pair.first), std::move(pair.second));
                pair.second = {};
            },
            [](Pair& pair, bool) {
                REQUIRE(apply(pair.first, pair.before));
                REQUIRE(apply(pair.second, pair.before));
                for (auto* shown : {&pair.before, &pair.after})
                    std::erase_if(shown->values, [](const auto& each) { return each.second == 0; });
                REQUIRE((pair.before == pair.after));
            });
}

TEST_CASE("a history that is thinned without memory keeps every frame exact",
          "[rewind][history][memory]") {
    if (!countsAllocations) return;
    for (const auto how : {FailingMemory::How::Once, FailingMemory::How::Full})
        for (unsigned seed = 1; seed <= 12; ++seed) {
            CAPTURE(seed);
            std::size_t kept = 0;
            failEveryAllocation(
                how, [&] { return std::make_unique<Scene>(seed); },
                [](Scene& scene) { scene.thin(); },
                [&](Scene& scene, bool threw) {
                    REQUIRE_FALSE(threw);
                    scene.check();
                    for (int i = 0; i < 4; ++i) scene.thin();
                    scene.check();
                    kept = scene.history.statistics().kept;
                    REQUIRE(kept < 12);
                });
        }
}
