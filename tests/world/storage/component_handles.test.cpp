#include <catch2/catch_test_macros.hpp>
#include <map>
#include <optional>
#include <random>

#include "tests/world/snapshot.hpp"

using namespace revenant;

namespace {

struct Number {
    std::int64_t value = 0;
};
struct Other {
    std::int64_t value = 0;
};

struct Known {
    Entity entity;
    std::optional<std::int64_t> number, other;
};

template <class T>
bool reads(const Known& known, const std::optional<std::int64_t>& expected) {
    const T* found = known.entity.findComponent<const T>();
    if (known.entity.hasComponent<T>() != expected.has_value()) return false;
    if (!expected) return found == nullptr && known.entity.findComponent<T>() == nullptr;
    return found && found->value == *expected && known.entity.findComponent<T>() == found;
}

}  // namespace

TEST_CASE("a handle reaches its own component or none, whatever came and went",
          "[world][components][handles]") {
    World world;
    world.defineComponent<Number>("Number", {field("value", &Number::value)});
    world.defineComponent<Other>("Other", {field("value", &Other::value)});
    std::minstd_rand random(17);
    std::vector<Known> living;
    std::vector<Entity> gone;
    std::int64_t next = 0;
    auto pick = [&]() -> Known& { return living[random() % living.size()]; };
    for (int step = 0; step < 20'000; ++step) {
        switch (random() % 8) {
            case 0:
            case 1: {
                Known made{world.newEntity("one"), {}, {}};
                if (random() % 4 != 0) made.entity.addComponent<Number>({*(made.number = ++next)});
                if (random() % 4 == 0) made.entity.addComponent<Other>({*(made.other = ++next)});
                if (random() % 2 == 0) world.addEntity(made.entity);
                living.push_back(made);
                break;
            }
            case 2:
                if (living.empty()) break;
                if (Known& one = pick(); one.number) {
                    one.entity.removeComponent<Number>();
                    one.number.reset();
                } else {
                    one.entity.addComponent<Number>({*(one.number = ++next)});
                }
                break;
            case 3:
                if (living.empty()) break;
                if (Known& one = pick(); one.other) {
                    one.entity.removeComponent<Other>();
                    one.other.reset();
                } else {
                    one.entity.addComponent<Other>({*(one.other = ++next)});
                }
                break;
            case 4:
                if (living.empty()) break;
                if (Known& one = pick(); one.number)
                    one.entity.getComponent<Number>().value = *(one.number = ++next);
                break;
            case 5:
            case 6: {
                if (living.size() < 200) break;
                const std::size_t index = random() % living.size();
                const Entity leaving = living[index].entity;
                if (leaving.getState() == EntityState::Detached)
                    Entity(leaving).destroy();
                else
                    world.removeEntity(leaving);
                if (random() % 8 == 0) world.reconcile();
                if (leaving.isValid()) break;
                gone.push_back(leaving);
                living[index] = living.back();
                living.pop_back();
                break;
            }
            default: world.reconcile();
        }
        std::erase_if(living, [&](const Known& known) {
            if (known.entity.isValid()) return false;
            gone.push_back(known.entity);
            return true;
        });
        if (step % 16 != 0) continue;
        for (const Known& known : living)
            if (!reads<Number>(known, known.number) || !reads<Other>(known, known.other))
                FAIL("step " << step << ": " << describe(known.entity) << " reads another's");
        if (!gone.empty()) {
            const Entity stale = gone[random() % gone.size()];
            REQUIRE_THROWS_AS(stale.findComponent<const Number>(), Error);
            REQUIRE_THROWS_AS(stale.findComponent<Number>(), Error);
        }
        if (step % 1024 == 0) REQUIRE(world.validate() == std::vector<std::string>{});
    }
    CHECK(living.size() > 100);
    CHECK(gone.size() > 100);
}

TEST_CASE("a component written through a handle is marked changed in this tick alone",
          "[world][components][handles]") {
    World world;
    world.defineComponent<Number>("Number", {field("value", &Number::value)});
    Entity entity = world.newEntity("one");
    entity.addComponent<Number>();
    world.addEntity(entity);
    world.reconcile();
    const ComponentPool& pool = WorldCore::of(world).components().at(0).pool;
    const auto* slot = reinterpret_cast<const std::byte*>(&entity.getComponent<const Number>());
    const Clock before = pool.changedAt(slot);
    world.reconcile();
    CHECK(entity.getComponent<const Number>().value == 0);
    CHECK(pool.changedAt(slot) == before);
    entity.getComponent<Number>().value = 1;
    CHECK(pool.changedAt(slot) == world.getClock());
}
