// Flight: a small world in which everything that a history remembers happens at random, from the
// world's own random numbers. Shared by the tests of history files and by the fuzzer's corpus.
#pragma once

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "rewind/time_rewind_sys.hpp"
#include "views/view.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

struct Hull {
    float x = 0;
    float y = 0;
    EntityId target;
};
struct Gauge {
    std::int32_t ticks = 0;
    std::uint8_t tag = 7;
    StringId label;
};

class Flight {
public:
    World world;
    std::shared_ptr<TimeRewindSys> rewind;
    bool rescopes = false;  // entities cease to be rewindable, and become so again

    // An empty world, for a history to be loaded into.
    Flight() : Flight(roomy(600, false)) {}
    explicit Flight(const RewindOptions& options) {
        rewind = std::make_shared<TimeRewindSys>(world, options);
        world.registerSystem(rewind);
    }
    static RewindOptions roomy(std::size_t blockFrames, bool inBackground = false) {
        return {.seconds = 1000,
                .bytes = std::size_t{1} << 30,
                .blockFrames = blockFrames,
                .packInBackground = inBackground};
    }

    void define() {
        world.defineComponent<Hull>("HullCMP", {field("x", &Hull::x).lerp(), field("y", &Hull::y),
                                                field("target", &Hull::target)});
        world.defineComponent<Gauge>("GaugeCMP",
                                     {field("ticks", &Gauge::ticks), field("tag", &Gauge::tag),
                                      field("label", &Gauge::label)});
    }
    // Adds the systems that make things happen.
    void takeOff() {
        hulls_.emplace(world.view<Hull>());
        world.registerSystem("ChaosSys", [this](World&, double) {
            hulls_->each([](Hull& hull) { hull.x += 0.5F; });
            for (std::int64_t i = world.random(0, 3); i > 0; --i) act();
        });
    }
    ~Flight() {
        if (const System* chaos = world.getSystem("ChaosSys")) world.unregisterSystem(*chaos);
    }
    void ticks(int count) {
        for (int i = 0; i < count; ++i) world.update(1.0 / 64);
    }

    // Everything that a player could see, as text.
    std::string describe() {
        std::ostringstream out;
        world.forEachManaged([&](Entity entity) {
            if (!entity.isRewindable()) return;
            out << entity.getId().bits() << entity.getName() << entity.isEnabled()
                << entity.isActive() << '<'
                << (entity.getParent().isValid() ? entity.getParent().getId().bits() : 0) << ':';
            for (const std::string& name : entity.getComponentNames()) {
                out << name << entity.isComponentEnabled(name);
                for (const Field& each : world.getSchema(name).fields)
                    print(out, fieldOf(entity, name, each));
            }
            out << '\n';
        });
        if (const auto* seen = world.getResource<Value>("seen")) print(out, *seen);
        const Entity main = world.getMainCharacter();
        if (main.isValid() && main.isRewindable()) out << '\n' << main.getId().bits();
        out << ' ' << world.getTime();
        return std::move(out).str();
    }
    // The entities that are out and their components, in no particular order.
    std::vector<std::string> describeOutside() {
        std::vector<std::string> all;
        for (const Entity zombie : world.getZombies()) {
            std::ostringstream out;
            out << zombie.getId().bits() << zombie.getName() << '<'
                << (zombie.getParent().isValid() ? zombie.getParent().getId().bits() : 0);
            for (const std::string& name : zombie.getComponentNames())
                for (const Field& each : world.getSchema(name).fields)
                    print(out, fieldOf(zombie, name, each));
            all.push_back(std::move(out).str());
        }
        std::ranges::sort(all);
        return all;
    }

private:
    // The reference as it was written: getField gives null for entities that are destroyed by now.
    Value fieldOf(Entity entity, const std::string& component, const Field& field) {
        const ComponentType& type = WorldCore::of(world).components().require(component);
        const EntityRecord* record = WorldCore::of(world).forest().pool.find(entity.getId());
        return readField(WorldCore::of(world).components().strings(), field,
                         record->slotOf(type.id));
    }
    static void print(std::ostream& out, const Value& value) {
        if (const auto* number = value.as<double>()) out << *number << ',';
        if (const auto* whole = value.as<std::int64_t>()) out << *whole << ',';
        if (const auto* id = value.as<EntityId>()) out << id->bits() << ',';
        if (const auto* text = value.as<std::string>()) out << *text << ',';
    }
    Entity pick() {
        const auto all = world.getAllManagedEntities();
        if (all.empty()) return {};
        return all[static_cast<std::size_t>(world.random(0, static_cast<int>(all.size()) - 1))];
    }
    void spawn(Entity parent) {
        Entity made = world.newEntity("e" + std::to_string(world.random(0, 9)));
        if (world.random(0, 3) > 0)
            made.addComponent<Hull>({static_cast<float>(world.random(0, 99)), 0, {}});
        if (world.random(0, 1) > 0) made.addComponent<Gauge>();
        if (world.random(0, 1) > 0 && parent.isValid())
            parent.addChild(made);
        else
            world.addEntity(made);
    }
    void act() {
        const std::int64_t what = world.random(0, 14);
        Entity one = pick();
        Entity other = pick();
        if (what <= 3) return spawn(one);
        if (!one.isValid() || one.getState() != EntityState::Managed) return;
        if (rescopes && world.random(0, 9) == 0) one.setRewindable(!one.isRewindable());
        switch (what) {
            case 4:
            case 5:
                if (world.getAllManagedEntities().size() > 6) world.removeEntity(one);
                break;
            case 6:
                if (other.getState() == EntityState::Managed && other.isRewindable() &&
                    !isAbove(one, other))
                    other.addChild(one);
                break;
            case 7:
                if (one.getParent().isValid()) one.getParent().removeChild(one);
                break;
            case 8: one.setEnabled(!one.isEnabled()); break;
            case 9:
                if (one.hasComponent<Gauge>())
                    one.removeComponent<Gauge>();
                else
                    one.addComponent<Gauge>();
                break;
            case 10:
                if (one.hasComponent<Gauge>())
                    one.setField("GaugeCMP", "label",
                                 "n" + std::to_string(one.getComponent<Gauge>().ticks++ % 3));
                break;
            case 11:
                if (one.hasComponent<Hull>()) one.getComponent<Hull>().target = other.getId();
                break;
            case 12:
                if (one.hasComponent<Gauge>())
                    one.setComponentEnabled("GaugeCMP", !one.isComponentEnabled("GaugeCMP"));
                break;
            case 13: comeBack(); [[fallthrough]];
            default:
                world.setResource("seen", Value(one.getId()), {.rewind = true});
                world.setMainCharacter(one);
                break;
        }
    }
    void comeBack() {
        const auto* seen = world.getResource<Value>("seen");
        if (!seen || !seen->as<EntityId>()) return;
        const Entity entity(world, *seen->as<EntityId>());
        if (entity.isValid() && entity.getState() == EntityState::Zombie &&
            !entity.getParent().isValid())
            world.addEntity(entity);
    }
    static bool isAbove(Entity one, Entity other) {
        for (Entity at = other; at.isValid(); at = at.getParent())
            if (at == one) return true;
        return false;
    }

    std::optional<View<Hull>> hulls_;
};

}  // namespace revenant
