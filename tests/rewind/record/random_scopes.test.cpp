// Random play in which entities leave and enter the scope of the history at any time. The validators run after every
// single call: at no time do they report something that holds.
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/rewind/stage.hpp"
#include "tests/seeds.hpp"
#include "world/error.hpp"

using namespace revenant;

namespace {

using Calls =
    std::vector<std::uint32_t>;  // what each call is drawn from: any part of a list is a list

class RandomScopes {
public:
    explicit RandomScopes(std::uint64_t seed)
        : range_({.seconds = 1e6, .blockFrames = lengths[seed % 4], .packInBackground = false}) {}

    // What went wrong, behind the calls; empty: nothing did.
    std::string run(const Calls& calls) {
        for (const std::uint32_t call : calls) {
            random_.seed(call);
            try {
                act();
            } catch (const Error&) {
                did_ += ", refused";  // the past is shown, or it would be a cycle
            }
            if (const std::string fault = check(); !fault.empty()) return did_ + ": " + fault;
        }
        return "";
    }

private:
    static constexpr std::size_t lengths[] = {1, 3, 10, 600};

    unsigned draw(unsigned below) { return static_cast<unsigned>(random_() % below); }
    Entity any() { return all_.empty() ? Entity() : all_[draw(unsigned(all_.size()))]; }
    void note(const char* call, Entity entity = {}) {
        did_ += std::string("; ") + call;
        if (entity.isValid()) did_ += " " + entity.getName();
    }
    void act() {
        if (draw(4) == 0) return tick();
        if (draw(12) == 0) return move();
        if (draw(3) == 0) return rescope();
        change(any());
    }
    void tick() {
        note("tick");
        range_.ticks(1);
    }
    void move() {
        const auto oldest = range_.rewind->getOldestFrame();
        if (!oldest) return;
        const std::int64_t newest = *range_.rewind->getNewestFrame();
        const std::int64_t frame = *oldest + draw(static_cast<unsigned>(newest - *oldest + 1));
        did_ += "; seek " + std::to_string(frame);
        range_.rewind->seek(frame);
        if (!range_.isExact()) did_ += " (another hash)", isExact_ = false;
        if (draw(2) == 0) return;
        note("stop");
        range_.rewind->stop();
    }
    void rescope() {
        Entity entity = any();
        if (!entity.isValid()) return;
        const bool on = draw(2) == 0;
        note(on ? "rewindable" : "not rewindable", entity);
        entity.setRewindable(on);
    }
    void change(Entity entity) {
        switch (entity.isValid() ? draw(11) : 0) {
            case 0:
            case 1: {
                Entity made = range_.world.newEntity("e" + std::to_string(made_++));
                made.addComponent<Position>();
                if (draw(3) == 0) made.setRewindable(false);
                note("make", made);
                if (all_.size() < 8)
                    all_.push_back(made);
                else
                    all_[draw(8)] = made;
                if (draw(3) > 0) range_.world.addEntity(made);
                break;
            }
            case 2: note("add", entity), range_.world.addEntity(entity); break;
            case 3: note("remove", entity), range_.world.removeEntity(entity); break;
            case 4:
            case 5: {
                Entity child = any();
                note("attach", child), note("to", entity);
                entity.addChild(child);
                break;
            }
            case 6:
                note("detach", entity);
                if (entity.getParent().isValid()) entity.getParent().removeChild(entity);
                break;
            case 7: note("toggle", entity), entity.setEnabled(!entity.isEnabled()); break;
            case 8:
                note("bind or unbind", entity);
                if (entity.hasComponent<Life>())
                    entity.removeComponent<Life>();
                else
                    entity.addComponent<Life>({static_cast<std::int32_t>(draw(30)) + 1});
                break;
            case 9: note("reconcile"), range_.world.reconcile(); break;
            default:
                note("write", entity);
                if (auto* position = entity.findComponent<Position>()) position->x += 0.5F;
        }
    }
    std::string check() {
        if (!isExact_) return "the hash is not the frame's";
        for (const auto& problems : {range_.world.validate(), range_.rewind->validate()})
            if (!problems.empty()) return problems.front();
        return "";
    }

    std::minstd_rand random_;
    Range range_;
    std::vector<Entity> all_;
    int made_ = 0;
    bool isExact_ = true;
    std::string did_;
};

// Empty, or the shortest list of calls that could be found, and what they break.
std::string faultOf(std::uint64_t seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    Calls calls(150);
    for (std::uint32_t& call : calls) call = static_cast<std::uint32_t>(random()) | 1;
    std::string fault = RandomScopes(seed).run(calls);
    if (fault.empty()) return fault;
    for (std::size_t length = calls.size() / 2; length > 0; length /= 2)
        for (std::size_t from = 0; from + length <= calls.size();) {
            Calls fewer = calls;
            const auto begin = fewer.begin() + static_cast<std::ptrdiff_t>(from);
            fewer.erase(begin, begin + static_cast<std::ptrdiff_t>(length));
            if (std::string still = RandomScopes(seed).run(fewer); still.empty()) {
                from += length;
            } else {
                calls = std::move(fewer);
                fault = std::move(still);
            }
        }
    return fault;
}

}  // namespace

TEST_CASE("validators find nothing, whenever the scope of the history changes",
          "[rewind][record][validator][random]") {
    const Seeds seeds = Seeds::from(1, 400);
    for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
        const std::string fault = faultOf(seed);
        INFO("seed " << seed);
        CAPTURE(fault);
        CHECK(fault.empty());
    }
}
