#include "tests/fuzz/save_probe.hpp"

#include <exception>

#include "rewind/state_hash.hpp"
#include "save/save.hpp"
#include "tests/save/random_world.hpp"
#include "world/error.hpp"

namespace revenant::fuzz {

namespace {

// A state that is plain data, and time within a step.
class StateSys : public System {
public:
    explicit StateSys(World& world) : System(world, "StateSys", {.fixedStepSeconds = 0.1}) {}

    bool hasRewindState() const override { return true; }
    bool isPlainData() const noexcept override { return true; }
    void getRewindState(std::vector<std::byte>& into) override {
        into.insert(into.end(), state_.begin(), state_.end());
    }
    void restoreRewindState(std::span<const std::byte> state) override {
        state_.assign(state.begin(), state.end());
    }

protected:
    void onTick(double) override {}

private:
    std::vector<std::byte> state_ = tests::PlainHooks::none();
};

}  // namespace

SaveProbe::SaveProbe() {
    renew();
}

void SaveProbe::renew() {
    world_ = std::make_unique<World>();
    tests::defineAll(*world_);
    world_->registerSystem(std::make_shared<StateSys>(*world_));
    world_->addEntity(world_->newEntity("running"));
    world_->update(0.25);
    left_ = 500;
}

Verdict SaveProbe::probe(std::span<const std::byte> save) {
    if (--left_ < 0) renew();
    const std::uint64_t before = stateHash(*world_);
    try {
        loadFromBytes(*world_, save, {.checksums = false});
    } catch (const Error& error) {
        if (std::string_view(error.what()).empty()) return {false, "refused without a sentence"};
        if (stateHash(*world_) != before) return {false, "refused, and the world has changed"};
        if (world_->getStats().detached != 0) return {false, "refused, and something is left"};
        return {};
    } catch (const std::exception& error) {
        return {true, sentence("loading: ", error.what())};
    }
    try {
        return {true, check()};
    } catch (const std::exception& error) {
        return {true, error.what()};
    }
}

std::string SaveProbe::check() {
    if (const auto problems = world_->validate(); !problems.empty()) return problems.front();
    const auto saved = saveToBytes(*world_);
    loadFromBytes(*world_, saved);
    if (saveToBytes(*world_) != saved) return "another save after a load";
    // JSON takes most of the time: some of them are enough.
    if (saved.size() % 8 == 0) {
        const auto json = saveToBytes(*world_, {SaveFormat::Json});
        loadFromBytes(*world_, json);
        if (saveToBytes(*world_, {SaveFormat::Json}) != json) return "other JSON after a load";
    }
    world_->update(0.25);
    if (const auto problems = world_->validate(); !problems.empty()) return problems.front();
    return {};
}

std::vector<Bytes> seedSaves() {
    std::vector<Bytes> all;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        tests::RandomWorld random(seed, 3 + static_cast<int>(seed));
        random.world.registerSystem(std::make_shared<StateSys>(random.world));
        random.world.update(0.25);
        all.push_back(saveToBytes(random.world));
    }
    return all;
}

}  // namespace revenant::fuzz
