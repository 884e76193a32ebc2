// Random worlds with random systems, played on 1, 2 and 8 threads: hashes, handles, events and errors are equal.
//
// REVENANT_THREAD_WORLDS sets how many worlds there are; REVENANT_THREAD_SEED the first.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "rewind/state_hash.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "tests/threads/crowd.hpp"

using namespace revenant;
using namespace crowd;

namespace {

// What a system does with an entity now and then, as its random numbers will have it.
void ask(World& world, Entity entity, std::uint32_t kinds) {
    const auto wants = [&](int kind) {
        return (kinds >> kind & 1) != 0 && world.random(1, 12) == 1;
    };
    if (wants(0)) world.removeEntity(entity);
    if (wants(1)) spawn(world, "born" + std::to_string(world.random(1, 5)));
    if (wants(2)) {
        Entity parent = spawn(world, "parent");
        Entity child = world.newEntity("child");
        child.addComponent<Aim>({parent.getId(), 1});
        parent.addChild(child);
        if (world.random() < 0.5) child.addComponent<Place>({3, 4}).x = 5;
    }
    // It may be there already, or not be there: the errors must be equal, too.
    if (wants(3)) entity.addComponent<Speed>();
    if (wants(4)) entity.removeComponent<Speed>();
    if (wants(5)) entity.setEnabled(world.random() < 0.5);
    if (wants(6)) {
        const Value detail(world.random(1, 100));
        world.emit("hit", entity, &detail);
    }
    if (wants(7)) {
        const Value detail(entity.getId());
        world.queue("late", entity, &detail);
    }
    if (wants(8)) entity.setField("HealthCMP", "points", Value(world.random(1, 100)));
    if (wants(9)) world.setResource("last", Value(entity.getId()), {.rewind = true});
    if (wants(10)) {
        // A root: retained on a parent that is not, it would break an invariant.
        Entity held = world.newEntity("held");
        held.retain();
        world.addEntity(held);
        entity.addChild(world.newEntity("hung"));
    }
    if (wants(11)) entity.setComponentEnabled("PlaceCMP", world.random() < 0.7);
    if (wants(12)) world.setMainCharacter(entity);
    if (wants(13)) world.newEntity("detached").addComponent<Aim>({entity.getId(), 2});
    if (wants(14)) entity.addComponent("SpeedCMP", std::vector<Override>{{"x", Value(2.5)}});
    if (wants(15)) entity.setRewindable(world.random() < 0.5);
}

// Loops over a view, as `each`, split, or as a range.
template <class TypedView, class Fn>
void loop(const TypedView& view, std::uint32_t how, const Fn& fn) {
    if (how % 3 == 0)
        view.each(fn);
    else
        view.parallelEach(fn, how % 3 == 1 ? 0 : 1 + how % 11);
}

// One of several kinds of work, on views of its own.
FunctionSystem::Function makeWork(World& world, std::minstd_rand& random, SystemAccess& access) {
    const auto kinds = static_cast<std::uint32_t>(random());
    const auto how = static_cast<std::uint32_t>(random());
    const auto hold = [&access](const auto& view) {
        access += view.access();
        return view;
    };
    switch (random() % 5) {
        case 0:
            return [=, view = hold(world.view<Place, const Speed>())](World& of, double dt) {
                loop(view, how, [&of, kinds, dt](Entity e, Place& place, const Speed& speed) {
                    place.x += speed.x * static_cast<float>(dt * of.random());
                    ask(of, e, kinds);
                });
            };
        case 1:
            return
                [=, view = hold(world.view<Health, Optional<const Speed>>())](World& of, double) {
                    loop(view, how, [&of, kinds](Entity e, Health& health, const Speed& speed) {
                        health.points += isEmpty(speed) ? 1 : -2;
                        ask(of, e, kinds);
                    });
                };
        case 2:
            return [=, view = hold(world.view<Aim, const Place>())](World& of, double) {
                loop(view, how, [&of, kinds](Entity e, Aim& aim, const Place& place) {
                    aim.shots += place.x > 1 ? 1 : 0;
                    if (of.random(1, 20) == 1) {
                        const Entity made = spawn(of, "aimed");
                        aim.at = made.getId();
                    }
                    ask(of, e, kinds);
                });
            };
        case 3:
            return [=, view = hold(world.view<const Health, Without<Aim>>())](World& of, double) {
                for (int i = 0; i < 3; ++i)
                    loop(view, how + static_cast<std::uint32_t>(i),
                         [&of, kinds](Entity e, const Health& health) {
                             if (health.points % 3 == 0) ask(of, e, kinds);
                         });
                of.addEntity(of.newEntity("counted " + std::to_string(view.count())));
            };
        default:
            return [=, view = hold(world.view<const Place>())](World& of, double) {
                std::vector<Entity> near;
                for (auto [entity, place] : view)
                    if (place.x < 2) near.push_back(entity);
                for (const Entity& entity : near) ask(of, entity, kinds);
            };
    }
}

struct Played {
    std::vector<std::uint64_t> hashes;
    std::vector<std::string> log;
};

Played play(unsigned seed, int threads) {
    Played played;
    std::minstd_rand random(seed);
    Crowd scene(threads, 1 + static_cast<int>(random() % 60));
    World& world = scene.world;
    world.setRandomSeed(seed);
    world.defineEvent("hit");
    world.defineEvent("late");
    world.on("hit", [&](const Event& event) {
        played.log.push_back("hit " + std::string(event.name) + " " +
                             std::to_string(*event.detail->as<std::int64_t>()));
        if (event.entity.isValid() && world.random(1, 4) == 1) world.removeEntity(event.entity);
    });
    world.on("late", [&](const Event& event) {
        played.log.push_back("late " + std::string(event.name) + " " +
                             std::to_string(event.detail->as<EntityId>()->bits()));
    });
    world.on(EventKind::EntityAdded, [&](const Event& event) {
        played.log.push_back("added " + std::to_string(event.entity.getId().bits()));
    });
    std::shared_ptr<TimeRewindSys> rewind;
    if (random() % 2 == 0) {
        rewind = std::make_shared<TimeRewindSys>(world);
        world.registerSystem(rewind);
    }
    const int systems = 1 + static_cast<int>(random() % 7);
    for (int i = 0; i < systems; ++i) {
        SystemAccess access;
        auto work = makeWork(world, random, access);
        SystemOptions options;
        options.priority = static_cast<int>(random() % 3);
        if (random() % 5 != 0) options.access = access;  // others tick on the main thread
        if (random() % 6 == 0) options.fixedStepSeconds = 0.06;
        world.registerSystem("S" + std::to_string(i), std::move(work), options);
    }
    for (int tick = 0; tick < 12; ++tick) {
        try {
            world.update(0.1);
        } catch (const std::exception& error) {
            played.log.emplace_back(error.what());
        }
        if (rewind && tick == 8 && *rewind->getOldestFrame() < *rewind->getNewestFrame() - 3) {
            rewind->seek(*rewind->getNewestFrame() - 3);
            rewind->stop();
        }
        if (world.getStats().managed > 1500) break;
        played.hashes.push_back(stateHash(world));
        for (const std::string& problem : world.validate()) played.log.push_back(problem);
    }
    return played;
}

unsigned number(const char* name, unsigned otherwise) {
    const char* text = std::getenv(name);
    return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

}  // namespace

TEST_CASE("random worlds are the same on 1, 2 and 8 threads", "[threads]") {
    const unsigned first = number("REVENANT_THREAD_SEED", 1);
    const unsigned worlds = number("REVENANT_THREAD_WORLDS", 40);
    for (unsigned seed = first; seed < first + worlds; ++seed) {
        CAPTURE(seed);
        const Played one = play(seed, 1);
        REQUIRE_FALSE(one.hashes.empty());
        for (const int threads : {2, 8}) {
            const Played many = play(seed, threads);
            for (std::size_t i = 0; i < std::min(one.log.size(), many.log.size()); ++i)
                if (one.log[i] != many.log[i]) {
                    CAPTURE(i, threads);
                    REQUIRE(many.log[i] == one.log[i]);
                }
            REQUIRE(many.log.size() == one.log.size());
            REQUIRE(many.hashes == one.hashes);
        }
    }
}
