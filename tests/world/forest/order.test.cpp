#include <catch2/catch_test_macros.hpp>
#include <deque>
#include <random>

#include "tests/world/snapshot.hpp"
#include "world/storage/order_list.hpp"

using namespace revenant;

namespace {

constexpr std::size_t many = 100'000;

// A list, the nodes in it, and what it must look like.
struct Nodes {
    OrderList list;
    std::deque<OrderNode> all;

    OrderNode& make(bool closes = false) {
        OrderNode& node = all.emplace_back();
        node.closes = closes;
        return node;
    }
    OrderNode& append() {
        list.pushBack(make());
        return all.back();
    }
    OrderNode& insertAfter(OrderNode& place, bool closes = false) {
        list.insertAfter(place, make(closes));
        return all.back();
    }
    bool labelsGrow() const {
        const OrderNode* before = nullptr;
        std::size_t count = 0;
        for (const OrderNode& node : list.nodes()) {
            if (before && before->label >= node.label) return false;
            before = &node;
            ++count;
        }
        return count == all.size();
    }
    double relabelledPerInsertion() const {
        return static_cast<double>(list.relabelled()) / static_cast<double>(all.size());
    }
};

// Amortised, in the worst place; it grows with the logarithm of the number of nodes. Counted, not
// timed.
constexpr double mostRelabelled = 250;

}  // namespace

TEST_CASE("labels grow and relabelling stays rare wherever nodes are inserted", "[world][order]") {
    Nodes nodes;
    OrderNode& first = nodes.append();
    OrderNode& last = nodes.append();
    SECTION("always behind the first") {
        for (std::size_t i = 0; i < many; ++i) nodes.insertAfter(first);
        CHECK(nodes.list.first() == &first);
        CHECK(nodes.list.after(first) == &nodes.all.back());
    }
    SECTION("each behind the one before, in front of the last") {
        OrderNode* place = &first;
        for (std::size_t i = 0; i < many; ++i) place = &nodes.insertAfter(*place);
        CHECK(nodes.list.last() == &last);
        CHECK(nodes.list.before(last) == &nodes.all.back());
    }
    SECTION("insertions in the middle, from both sides") {
        OrderNode* place = &first;
        for (std::size_t i = 0; i < many; ++i) {
            OrderNode& node = nodes.insertAfter(*place);
            if (i % 2 == 0) place = &node;
        }
    }
    SECTION("as a tree that only grows deeper does it") {
        OrderNode* place = &first;
        for (std::size_t i = 0; i < many / 2; ++i) {
            nodes.insertAfter(*place, true);
            place = &nodes.insertAfter(*place);
        }
    }
    SECTION("anywhere") {
        std::mt19937 random(1);
        for (std::size_t i = 0; i < many; ++i)
            nodes.insertAfter(nodes.all[random() % nodes.all.size()]);
    }
    SECTION("behind the last of many, which are then spread anew") {
        for (std::size_t i = 0; i < 11 * many; ++i) nodes.append();
    }
    SECTION("before the first") {
        for (std::size_t i = 0; i < many / 10; ++i) nodes.list.pushFront(nodes.make());
        CHECK(nodes.list.first() == &nodes.all.back());
    }
    CHECK(nodes.labelsGrow());
    CHECK(nodes.relabelledPerInsertion() < mostRelabelled);
}

TEST_CASE("the worst place costs an insertion no more when there are ten times as many",
          "[world][order]") {
    auto cost = [](std::size_t count) {
        Nodes nodes;
        OrderNode& first = nodes.append();
        nodes.append();
        for (std::size_t i = 0; i < count; ++i) nodes.insertAfter(first);
        return nodes.relabelledPerInsertion();
    };
    CHECK(cost(many) < 2 * cost(many / 10));
}

TEST_CASE("roots that come and go for ever do not use the labels up", "[world][order]") {
    OrderList list;
    std::deque<OrderNode> ring(100);
    for (OrderNode& node : ring) list.pushBack(node);
    for (std::size_t round = 0; round < 30'000; ++round) {  // three million appends
        OrderNode& oldest = ring[round % ring.size()];
        for (int i = 0; i < 100; ++i) {
            list.erase(oldest);
            list.pushBack(oldest);
        }
    }
    const OrderNode* before = nullptr;
    for (const OrderNode& node : list.nodes()) {
        CHECK((!before || before->label < node.label));
        before = &node;
    }
    CHECK(list.relabelled() < 100'000);
}

TEST_CASE("children appended to an early root stand in order, at little cost", "[world][order]") {
    World world;
    Entity early = world.newEntity("early");
    Entity late = world.newEntity("late");
    world.addEntity(early);
    world.addEntity(late);
    world.reconcile();
    std::vector<Entity> expected{early};
    constexpr int frames = 50;
    for (int frame = 0; frame < frames; ++frame) {
        for (int i = 0; i < 400; ++i) {
            expected.push_back(world.newEntity("child"));
            early.addChild(expected.back());
        }
        world.reconcile();
    }
    expected.push_back(late);
    CHECK(world.getAllManagedEntities() == expected);
    CHECK(world.getStats().relabelled < 50 * expected.size());
}

TEST_CASE("a chain of a hundred thousand overflows no stack, whatever is done to it",
          "[world][order]") {
    World world;
    std::vector<Entity> chain{world.newEntity("link")};
    while (chain.size() < many) {
        Entity next = world.newEntity("link");
        chain.back().addChild(next);
        chain.push_back(next);
    }
    Entity top = chain.front();
    Entity bottom = chain.back();
    world.reconcile();  // detached
    CHECK(bottom.getState() == EntityState::Detached);
    world.addEntity(top);
    world.reconcile();
    CHECK(world.getAllManagedEntities() == chain);
    top.setEnabled(false);
    world.reconcile();
    CHECK_FALSE(bottom.isActive());
    CHECK_THROWS_AS(bottom.addChild(top), Error);
    top.retain();
    CHECK(bottom.getRefCount() == 1);
    world.removeEntity(top);
    world.reconcile();
    CHECK(world.getStats().zombies == many);
    world.addEntity(top);
    world.reconcile();
    CHECK(world.getAllManagedEntities() == chain);
    // From the world to a detached parent, and gone.
    Entity shelter = world.newEntity("shelter");
    shelter.addChild(top);
    world.reconcile();
    CHECK(bottom.getState() == EntityState::Detached);
    top.release();
    shelter.destroy();
    CHECK_FALSE(bottom.isValid());
    CHECK(world.getStats().detached == 0);
}

TEST_CASE("a removed chain of a hundred thousand is collected at once", "[world][order]") {
    World world;
    std::vector<Entity> chain{world.newEntity("link")};
    while (chain.size() < many) {
        Entity next = world.newEntity("link");
        chain.back().addChild(next);
        chain.push_back(next);
    }
    world.addEntity(chain.front());
    world.reconcile();
    world.removeEntity(chain[1]);
    world.reconcile();
    CHECK(world.getAllManagedEntities() == std::vector<Entity>{chain.front()});
    CHECK_FALSE(chain[1].isValid());
    CHECK_FALSE(chain.back().isValid());
    CHECK(world.getStats().zombies == 0);
}
