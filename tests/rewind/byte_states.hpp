// States of one byte each that live outside of the world: of components with hooks, and of a system. None can be
// blended with another.
#pragma once

#include <map>

#include "tests/rewind/stage.hpp"

namespace revenant {

struct Lamp {
    std::uint8_t wattage = 60;
};
class LampHooks final : public ComponentHooks {
public:
    std::map<EntityId, std::byte> brightness;

    void getRewindState(EntityId owner, const std::byte*, std::vector<std::byte>& into) override {
        into.push_back(brightness[owner]);
    }
    void restoreRewindState(EntityId owner, std::byte*, std::span<const std::byte> state) override {
        brightness[owner] = state[0];
    }
    std::uint64_t hashRewindState(std::span<const std::byte> state) const override {
        return static_cast<std::uint64_t>(state[0]);
    }
};

class DialSys final : public System {
public:
    std::byte position{};

    explicit DialSys(World& world) : System(world, "DialSys") {}
    bool hasRewindState() const override { return true; }
    void getRewindState(std::vector<std::byte>& into) override { into.push_back(position); }
    void restoreRewindState(std::span<const std::byte> state) override { position = state[0]; }

protected:
    void onTick(double) override {}
};

// A stage with a lamp and a dial.
struct Workshop : Stage {
    std::shared_ptr<LampHooks> hooks = std::make_shared<LampHooks>();
    std::shared_ptr<DialSys> dial = std::make_shared<DialSys>(world);
    Entity lamp;

    explicit Workshop(const RewindOptions& options = {}) : Stage(options) {
        world.defineComponent<Lamp>("LampCMP", {field("wattage", &Lamp::wattage)});
        world.setRewindHooks("LampCMP", hooks);
        world.registerSystem(dial);
        lamp = spawn("lamp");
        lamp.addComponent<Lamp>();
    }
};

}  // namespace revenant
