#include <catch2/catch_test_macros.hpp>
#include <memory>

#include "tests/world/allocation_counter.hpp"
#include "tests/world/snapshot.hpp"

using namespace revenant;

namespace {

struct Body {
    double mass = 1;
};
struct Mark {
    std::uint8_t number = 0;
};

// Trees of ten that come, change, move and go again.
class Churn {
public:
    Churn() {
        world_.defineComponent<Body>("Body", {field("mass", &Body::mass)});
        world_.defineComponent<Mark>("Mark", {field("number", &Mark::number)});
        stable_ = world_.newEntity("stable");
        world_.addEntity(stable_);
        roots_.reserve(trees);
    }

    World& world() noexcept { return world_; }

    void round() {
        for (std::size_t i = 0; i < trees; ++i) {
            Entity root = world_.newEntity("root");
            for (int j = 0; j < 9; ++j) {
                Entity child = world_.newEntity("child");
                child.addComponent<Body>();
                root.addChild(child);
            }
            if (i % 2 == 0)
                world_.addEntity(root);
            else
                stable_.addChild(root);
            roots_.push_back(root);
        }
        world_.reconcile();
        for (Entity root : roots_) {
            root.addComponent<Mark>();
            root.setEnabled(false);
            root.retain();
        }
        world_.reconcile();
        for (Entity root : roots_) {
            root.removeComponent<Mark>();
            stable_.addChild(root);
        }
        world_.reconcile();
        for (Entity root : roots_) world_.removeEntity(root);  // to zombies
        world_.reconcile();
        for (Entity root : roots_) world_.addEntity(root);  // and back
        world_.reconcile();
        for (Entity root : roots_) {
            root.release();
            world_.removeEntity(root);
        }
        world_.reconcile();
        roots_.clear();
    }

    std::size_t allocationsOfARound() {
        for (int i = 0; i < 3; ++i) round();
        const std::size_t before = allocationsSoFar();
        round();
        return allocationsSoFar() - before;
    }

private:
    static constexpr std::size_t trees = 300;

    World world_;
    Entity stable_;
    std::vector<Entity> roots_;
};

}  // namespace

TEST_CASE("the counter counts", "[world][allocations]") {
    if (!countsAllocations) SKIP("the address sanitizer has its own new");
    const std::size_t before = allocationsSoFar();
    // Called by name: a compiler may remove a `new` whose result is unused, and clang does.
    void* one = ::operator new(1);
    CHECK(allocationsSoFar() == before + 1);
    ::operator delete(one);
}

TEST_CASE("once warm, entities come, change, move and go without an allocation",
          "[world][allocations]") {
    if (!countsAllocations) SKIP("the address sanitizer has its own new");
    if (validating) SKIP("the validator allocates");
    Churn churn;
    CHECK(churn.allocationsOfARound() == 0);
    CHECK(churn.world().getStats().managed == 1);
    CHECK(churn.world().getStats().zombies == 0);
}

TEST_CASE("listeners cause no allocation", "[world][allocations]") {
    if (!countsAllocations) SKIP("the address sanitizer has its own new");
    if (validating) SKIP("the validator allocates");
    Churn churn;
    std::size_t heard = 0;
    for (std::uint16_t kind = 0; kind < eventKinds; ++kind)
        churn.world().on(static_cast<EventKind>(kind), [&](const Event&) { ++heard; });
    CHECK(churn.allocationsOfARound() == 0);
    CHECK(heard > 10'000);
}

TEST_CASE("a request never allocates, however often it is cancelled and repeated",
          "[world][allocations]") {
    World world;
    std::vector<Entity> entities;
    for (const char* name : {"a", "b", "c", "d", "e"}) entities.push_back(world.newEntity(name));
    const std::size_t before = allocationsSoFar();
    for (int i = 0; i < 10'000; ++i)
        for (Entity entity : entities) {
            world.addEntity(entity);
            if (i % 3 != 0) world.removeEntity(entity);
        }
    for (std::size_t i : {3U, 0U}) {
        world.removeEntity(entities[i]);
        world.addEntity(entities[i]);
    }
    world.removeEntity(entities[2]);
    if (countsAllocations) CHECK(allocationsSoFar() == before);
    world.reconcile();
    CHECK(world.getAllManagedEntities() ==
          std::vector{entities[1], entities[4], entities[3], entities[0]});
}
