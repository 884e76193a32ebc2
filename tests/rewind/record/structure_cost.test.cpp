// What structural changes cost the history beside the change itself.
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <vector>

#include "rewind/record/blob_pool.hpp"
#include "rewind/record/retired_index.hpp"
#include "rewind/state_hash.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "tests/world/allocation_counter.hpp"

using namespace revenant;

namespace {

struct Body {
    float x = 0;
    float y = 0;
};
struct Tag {
    std::uint32_t value = 0;
};

class Crowd {
public:
    World world;
    std::shared_ptr<TimeRewindSys> rewind;
    std::vector<Entity> entities;

    Crowd() {
        world.defineComponent<Body>("BodyCMP", {field("x", &Body::x), field("y", &Body::y)});
        world.defineComponent<Tag>("TagCMP", {field("value", &Tag::value)});
        rewind = std::make_shared<TimeRewindSys>(world, RewindOptions{.pack = false});
    }
    void spawn(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            entities.push_back(world.newEntity("body"));
            entities.back().addComponent<Body>({static_cast<float>(i), 0});
            world.addEntity(entities.back());
        }
    }
    void tick() {
        world.reconcile();
        rewind->tick(1.0 / 60);
    }
};

// Of a tick in which `count` entities come, get a tag, lose it or leave, each kind in a tick of its own.
std::size_t allocationsOf(std::size_t count) {
    Crowd crowd;
    crowd.spawn(8);
    crowd.tick();
    crowd.entities.reserve(count + 8);
    std::size_t allocations = 0;
    auto counted = [&](auto change) {
        change();
        const std::size_t before = allocationsSoFar();
        crowd.tick();
        allocations += allocationsSoFar() - before;
    };
    counted([&] { crowd.spawn(count); });
    counted([&] {
        for (Entity& entity : crowd.entities) entity.addComponent<Tag>();
    });
    counted([&] {
        for (Entity& entity : crowd.entities) entity.removeComponent<Tag>();
    });
    counted([&] {
        for (Entity& entity : crowd.entities) crowd.world.removeEntity(entity);
    });
    return allocations;
}

}  // namespace

TEST_CASE("a frame allocates nothing for each entity that comes, changes or leaves",
          "[rewind][record]") {
    if (!countsAllocations) SKIP("the address sanitizer has its own allocator");
    // Lists double, and tables get a page more for many entities.
    CHECK(allocationsOf(4000) < allocationsOf(100) + 4000 / 8);
}

TEST_CASE("tags given and taken many times within a tick come back as each frame had them",
          "[rewind][record]") {
    Crowd crowd;
    crowd.spawn(50);
    crowd.tick();
    std::vector<std::uint64_t> hashes{stateHash(crowd.world)};
    for (std::uint32_t round = 0; round < 12; ++round) {
        for (std::size_t i = 0; i < crowd.entities.size(); ++i) {
            Entity& entity = crowd.entities[i];
            // Slots of the same component are retired up to three times.
            for (std::size_t again = 0; again <= (i + round) % 4; ++again)
                if (entity.hasComponent("TagCMP"))
                    entity.removeComponent<Tag>();
                else
                    entity.addComponent<Tag>({round * 100 + static_cast<std::uint32_t>(again)});
            if ((i + round) % 7 == 0) {
                entity.removeComponent<Body>();
                entity.addComponent<Body>({static_cast<float>(round), 1});
            }
        }
        crowd.tick();
        hashes.push_back(stateHash(crowd.world));
    }
    const std::int64_t oldest = *crowd.rewind->getOldestFrame();
    for (std::size_t i = hashes.size(); i-- > 0;) {
        crowd.rewind->seek(oldest + static_cast<std::int64_t>(i));
        CHECK(stateHash(crowd.world) == hashes[i]);
    }
    crowd.rewind->seek(*crowd.rewind->getNewestFrame());
    CHECK(stateHash(crowd.world) == hashes.back());
}

TEST_CASE("retired slots of a component are found in the order in which they were retired",
          "[rewind][record]") {
    std::byte slots[6] = {};
    const std::vector<RetiredSlot> retired = {{3, 1, &slots[0]},  {7, 1, &slots[1]},
                                              {3, 2, &slots[2]},  {3, 1, &slots[3]},
                                              {11, 1, &slots[4]}, {3, 1, &slots[5]}};
    RetiredIndex index;
    CHECK(index.find(3, 1, [](const RetiredSlot&) { return true; }) == nullptr);
    index.build(retired);
    CHECK(index.find(3, 1, [](const RetiredSlot&) { return true; }) == &retired[0]);
    CHECK(index.find(3, 1, [&](const RetiredSlot& each) { return each.slot != &slots[0]; }) ==
          &retired[3]);
    CHECK(index.find(3, 3, [](const RetiredSlot&) { return true; }) == nullptr);
    CHECK(index.find(5, 1, [](const RetiredSlot&) { return true; }) == nullptr);
    std::vector<const std::byte*> found;
    index.forOwner(3, [&](const RetiredSlot& each) { found.push_back(each.slot); });
    CHECK(found == std::vector<const std::byte*>{&slots[0], &slots[2], &slots[3], &slots[5]});
}

TEST_CASE("blocks of a blob pool are apart, aligned, and used again", "[rewind][record]") {
    BlobPool pool;
    std::vector<std::pair<std::byte*, std::size_t>> taken;
    for (std::size_t round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < 2000; ++i) {
            const std::size_t bytes = i % 50 == 0 ? 5000 + i : 1 + i * 37 % 300;
            std::byte* block = pool.take(bytes);
            REQUIRE(reinterpret_cast<std::uintptr_t>(block) % BlobPool::alignment == 0);
            std::memset(block, static_cast<int>(i % 251), bytes);
            taken.emplace_back(block, bytes);
        }
        for (std::size_t i = 0; i < taken.size(); ++i)
            for (std::size_t at = 0; at < taken[i].second; at += 61)
                REQUIRE(taken[i].first[at] == static_cast<std::byte>(i % 251));
        for (const auto& [block, bytes] : taken) BlobPool::give(block);
        taken.clear();
    }
}
