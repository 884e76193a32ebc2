#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <map>
#include <random>
#include <sstream>

#include "rewind/state_hash.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "views/view.hpp"

using namespace revenant;

namespace {

struct Body {
    float x = 0;
    float y = 0;
    EntityId target;
};
struct Counter {
    std::int32_t ticks = 0;
    std::uint8_t tag = 0;
    StringId label;
};

// A world in which everything that can happen happens at random, from the world's own random
// numbers, so that the same ticks do the same again.
class Scene {
public:
    World world;
    std::shared_ptr<TimeRewindSys> rewind;
    View<Body> bodies;
    View<const Body, Optional<const Counter>> both;
    bool rescopes = false;  // entities cease to be rewindable, and become so again

    explicit Scene(std::uint64_t seed, std::size_t stretchFrames = 600, bool inBackground = true)
        : bodies((define(world), world.view<Body>())),
          both(world.view<const Body, Optional<const Counter>>()) {
        world.setRandomSeed(seed);
        rewind =
            std::make_shared<TimeRewindSys>(world, RewindOptions{.seconds = 1000,
                                                                 .bytes = std::size_t{1} << 30,
                                                                 .stretchFrames = stretchFrames,
                                                                 .packInBackground = inBackground});
        world.registerSystem(rewind);
        world.registerSystem("ChaosSys", [this](World&, double) { chaos(); });
    }
    ~Scene() { world.unregisterSystem(*world.getSystem("ChaosSys")); }

    void tick() { world.update(1.0 / 64); }

    // Everything a player could see, as text.
    std::string describeAll() {
        std::ostringstream out;
        world.forEachManaged([&](Entity entity) {
            if (!entity.isRewindable()) return;
            out << entity.getId().bits() << entity.getName() << entity.isEnabled()
                << entity.isActive() << '<'
                << (entity.getParent().isValid() ? entity.getParent().getId().bits() : 0) << ':';
            for (const std::string& name : entity.getComponentNames()) {
                out << name << entity.isComponentEnabled(name);
                for (const Field& field : world.getSchema(name).fields) {
                    const Value value = entity.getField(name, field.name);
                    if (const auto* number = value.as<double>()) out << *number << ',';
                    if (const auto* whole = value.as<std::int64_t>()) out << *whole << ',';
                    if (const auto* id = value.as<EntityId>()) out << id->bits() << ',';
                    if (const auto* text = value.as<std::string>()) out << *text << ',';
                }
            }
            out << '\n';
        });
        out << "view";
        both.each([&](Entity entity, const Body& body, const Counter& counter) {
            if (!entity.isRewindable()) return;
            out << ' ' << entity.getId().bits() << '/' << body.x << '/' << counter.ticks;
        });
        const Entity main = world.getMainCharacter();
        if (main.isValid() && main.isRewindable()) out << '\n' << main.getId().bits();
        out << ' ' << world.getTime();
        return std::move(out).str();
    }

private:
    static int define(World& world) {
        world.defineComponent<Body>("BodyCMP", {field("x", &Body::x), field("y", &Body::y),
                                                field("target", &Body::target)});
        world.defineComponent<Counter>(
            "CounterCMP", {field("ticks", &Counter::ticks), field("tag", &Counter::tag),
                           field("label", &Counter::label)});
        return 0;
    }

    Entity pick() {
        const auto all = world.getAllManagedEntities();
        if (all.empty()) return {};
        return all[static_cast<std::size_t>(world.random(0, static_cast<int>(all.size()) - 1))];
    }

    void chaos() {
        bodies.each([](Body& body) { body.x += 0.5F; });
        for (std::int64_t i = world.random(0, 3); i > 0; --i) act();
    }

    void act() {
        if (rescopes && world.random(0, 9) == 0)
            if (Entity any = pick(); any.isValid()) any.setRewindable(!any.isRewindable());
        Entity one = pick();
        Entity other = pick();
        switch (world.random(0, 14)) {
            case 0:
            case 1:
            case 2: {
                Entity made = world.newEntity("e" + std::to_string(world.random(0, 9)));
                if (world.random(0, 3) > 0)
                    made.addComponent<Body>({static_cast<float>(world.random(0, 99)), 0, {}});
                if (world.random(0, 1) > 0) made.addComponent<Counter>();
                if (world.random(0, 1) > 0 && one.isValid() &&
                    one.getState() == EntityState::Managed)
                    one.addChild(made);
                else
                    world.addEntity(made);
                break;
            }
            case 3:
                if (one.isValid() && world.getAllManagedEntities().size() > 6)
                    world.removeEntity(one);
                break;
            case 4:
                if (one.isValid() && other.isValid() && one != other && other.isRewindable() &&
                    other.getState() == EntityState::Managed && !isAbove(one, other))
                    other.addChild(one);
                break;
            case 5:
                if (one.isValid() && one.getParent().isValid()) one.getParent().removeChild(one);
                break;
            case 6:
                if (one.isValid()) one.setEnabled(!one.isEnabled());
                break;
            case 7:
                if (one.isValid() && !one.hasComponent<Counter>()) one.addComponent<Counter>();
                break;
            case 8:
                if (one.isValid() && one.hasComponent<Counter>()) one.removeComponent<Counter>();
                break;
            case 9:
                if (one.isValid() && one.hasComponent<Counter>()) {
                    auto& counter = one.getComponent<Counter>();
                    ++counter.ticks;
                    one.setField("CounterCMP", "label", "n" + std::to_string(counter.ticks % 3));
                }
                break;
            case 10:
                if (one.isValid() && other.isValid() && one.hasComponent<Body>())
                    one.getComponent<Body>().target = other.getId();
                break;
            case 11:
                if (one.isValid() && one.hasComponent<Counter>())
                    one.setComponentEnabled("CounterCMP", !one.isComponentEnabled("CounterCMP"));
                break;
            case 12: {
                // Which zombies there are is not rewound, but who was seen last is.
                const EntityId id = lastSeen();
                const Entity seen(world, id);
                if (seen.isValid() && seen.getState() == EntityState::Zombie &&
                    !seen.getParent().isValid())
                    world.addEntity(seen);
                break;
            }
            case 13:
                if (one.isValid()) world.setResource("seen", Value(one.getId()), {.rewind = true});
                break;
            default:
                if (one.isValid()) world.setMainCharacter(one);
                break;
        }
    }

    EntityId lastSeen() {
        const auto* seen = world.getResource<Value>("seen");
        return seen && seen->as<EntityId>() ? *seen->as<EntityId>() : EntityId{};
    }

    static bool isAbove(Entity one, Entity other) {
        for (Entity at = other; at.isValid(); at = at.getParent())
            if (at == one) return true;
        return false;
    }
};

}  // namespace

namespace {

// Frames as they are, packed in small stretches at once, or whenever the thread gets to it.
struct Packing {
    std::size_t stretchFrames;
    bool inBackground;
};

}  // namespace

TEST_CASE("every frame comes back exactly, in any order") {
    const auto seed = GENERATE(range(1, 13));
    const Packing packing = GENERATE(values<Packing>({{600, true}, {7, false}, {5, true}}));
    CAPTURE(seed, packing.stretchFrames);
    Scene scene(static_cast<std::uint64_t>(seed), packing.stretchFrames, packing.inBackground);
    scene.rescopes = GENERATE(false, true);
    CAPTURE(scene.rescopes);
    std::map<std::int64_t, std::string> seen;
    scene.world.registerSystem(
        "WitnessSys",
        [&](World&, double) {
            seen[*scene.rewind->getFrame()] = scene.describeAll();
            CHECK(stateHash(scene.world) == scene.rewind->frameHash(*scene.rewind->getFrame()));
        },
        {.priority = 1000});
    for (int i = 0; i < 120; ++i) scene.tick();
    std::mt19937 random(static_cast<unsigned>(seed));
    for (int i = 0; i < 60; ++i) {
        const std::int64_t frame = 1 + random() % 120;
        CAPTURE(i, frame);
        scene.rewind->seek(frame);
        const auto problems = scene.world.validate();
        CAPTURE(problems);
        REQUIRE(problems.empty());
        REQUIRE(scene.describeAll() == seen[frame]);
        REQUIRE(stateHash(scene.world) == scene.rewind->frameHash(frame));
    }
}

TEST_CASE("a run that was rewound and resumed equals one that was not") {
    const auto seed = GENERATE(range(1, 9));
    const Packing packing = GENERATE(values<Packing>({{600, true}, {7, false}, {5, true}}));
    CAPTURE(seed, packing.stretchFrames);
    Scene straight(static_cast<std::uint64_t>(seed));
    for (int i = 0; i < 150; ++i) straight.tick();
    Scene crooked(static_cast<std::uint64_t>(seed), packing.stretchFrames, packing.inBackground);
    std::mt19937 random(static_cast<unsigned>(seed));
    for (int i = 0; i < 40; ++i) crooked.tick();
    for (int round = 0; round < 12; ++round) {
        const auto oldest = *crooked.rewind->getOldestFrame();
        const auto newest = *crooked.rewind->getNewestFrame();
        crooked.rewind->seek(oldest + static_cast<std::int64_t>(random() % (newest - oldest + 1)));
        crooked.rewind->stop();
        for (unsigned i = random() % 30; i > 0; --i) crooked.tick();
    }
    while (*crooked.rewind->getFrame() < 150) crooked.tick();
    for (std::int64_t frame = 1; frame <= 150; ++frame) {
        CAPTURE(frame);
        REQUIRE(crooked.rewind->frameHash(frame) == straight.rewind->frameHash(frame));
    }
}
