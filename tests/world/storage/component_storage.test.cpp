// Over 300 lines: a list of independent claims about one pool.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstring>
#include <random>
#include <set>

#include "tests/world/snapshot.hpp"
#include "world/core/world_core.hpp"

using namespace revenant;

namespace {

struct Body {
    double mass = 1;
    double speed = 2;
};
struct alignas(64) Wide {
    float lanes[20] = {};
};

struct Scene {
    World world;

    Scene() {
        world.defineComponent<Body>("Body",
                                    {field("mass", &Body::mass), field("speed", &Body::speed)});
        world.defineComponent<Wide>("Wide", {field("lanes", &Wide::lanes)});
    }
    Entity spawn(double mass) {
        Entity entity = world.newEntity("e");
        entity.addComponent<Body>({mass, 0});
        world.addEntity(entity);
        return entity;
    }
    const ComponentPool& pool(std::string_view name) {
        return WorldCore::of(world).components().require(name).pool;
    }
};

std::uintptr_t address(const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

}  // namespace

TEST_CASE("storage is aligned to 64 bytes, each component to its own alignment",
          "[world][storage]") {
    Scene scene;
    int misaligned = 0;
    for (int i = 0; i < 20'000; ++i)
        misaligned += address(&scene.spawn(i).addComponent<Wide>()) % alignof(Wide) != 0 ? 1 : 0;
    CHECK(misaligned == 0);
    for (const char* name : {"Body", "Wide"}) {
        REQUIRE(scene.pool(name).pages().size() > 1);
        for (const ComponentPool::Page* page : scene.pool(name).pages())
            CHECK(address(page->data) % 64 == 0);
    }
}

TEST_CASE("what is spawned in sequence lies in sequence", "[world][storage]") {
    Scene scene;
    Body* before = &scene.spawn(0).getComponent<Body>();
    int apart = 0;
    for (int i = 1; i < 50'000; ++i) {
        Body* body = &scene.spawn(i).getComponent<Body>();
        apart += body != before + 1 ? 1 : 0;
        before = body;
    }
    CHECK(apart == static_cast<int>(scene.pool("Body").pages().size()) - 1);
}

TEST_CASE("a component's address holds while it is bound, whatever happens around it",
          "[world][storage]") {
    Scene scene;
    Entity hero = scene.spawn(42);
    Body* body = &hero.getComponent<Body>();
    auto unmoved = [&] { return &hero.getComponent<Body>() == body && body->mass == 42; };
    std::vector<Entity> others;
    others.reserve(30'000);
    for (int i = 0; i < 30'000; ++i) others.push_back(scene.spawn(i));
    scene.world.reconcile();
    CHECK(unmoved());
    hero.addComponent<Wide>();
    hero.setEnabled(false);
    others[0].addChild(hero);
    scene.world.reconcile();
    CHECK(unmoved());
    hero.retain();
    for (const Entity other : others) scene.world.removeEntity(other);
    others[0].retain();
    scene.world.reconcile();
    CHECK(hero.getState() == EntityState::Zombie);
    CHECK(unmoved());
    scene.world.addEntity(others[0]);
    scene.world.reconcile();
    CHECK(unmoved());
}

TEST_CASE("removed and added in one frame, the old data stays readable until the reconcile",
          "[world][storage]") {
    Scene scene;
    Entity hero = scene.spawn(1);
    scene.world.reconcile();
    const Body* old = &hero.getComponent<const Body>();
    hero.removeComponent<Body>();
    CHECK_FALSE(hero.hasComponent<Body>());
    const Body* young = &hero.addComponent<Body>({2, 0});
    for (int i = 0; i < 1000; ++i) scene.spawn(3);  // none of them takes the old place
    CHECK(young != old);
    CHECK(old->mass == 1);
    CHECK(young->mass == 2);
    CHECK(scene.pool("Body").isTaken(reinterpret_cast<const std::byte*>(old)));
    scene.world.reconcile();
    CHECK(&hero.getComponent<const Body>() == young);
    CHECK_FALSE(scene.pool("Body").isTaken(reinterpret_cast<const std::byte*>(old)));
}

TEST_CASE("what views cannot see is freed at once", "[world][storage]") {
    Scene scene;
    Entity loner = scene.world.newEntity("loner");
    loner.addComponent<Body>();
    CHECK(scene.pool("Body").live() == 1);
    loner.removeComponent<Body>();
    CHECK(scene.pool("Body").live() == 0);
    loner.addComponent<Body>();
    loner.destroy();
    CHECK(scene.pool("Body").live() == 0);
}

TEST_CASE("a destroyed entity's components are freed with it", "[world][storage]") {
    Scene scene;
    Entity hero = scene.spawn(1);
    hero.addComponent<Wide>();
    scene.world.reconcile();
    hero.removeComponent<Body>();
    hero.addComponent<Body>();  // the old one and the new one
    scene.world.removeEntity(hero);
    scene.world.reconcile();
    CHECK(scene.world.getStats().liveComponentBytes == 0);
}

TEST_CASE("asking for a component marks it as changed, asking for a const one does not",
          "[world][storage]") {
    Scene scene;
    Entity hero = scene.spawn(1);
    const auto* slot = reinterpret_cast<const std::byte*>(&hero.getComponent<Body>());
    const ComponentPool& pool = scene.pool("Body");
    auto changedNow = [&] { return pool.changedAt(slot) == scene.world.getClock(); };
    CHECK(changedNow());
    auto marks = [&](auto access) {
        scene.world.reconcile();
        const bool before = changedNow();
        access();
        return !before && changedNow();
    };
    CHECK(marks([&] { (void)hero.getComponent<Body>(); }));
    CHECK(marks([&] { (void)hero.findComponent<Body>(); }));
    CHECK(marks([&] { (void)hero.getComponent("Body"); }));
    CHECK(marks([&] { hero.setField("Body", "mass", 3); }));
    CHECK_FALSE(marks([&] { (void)hero.getComponent<const Body>(); }));
    CHECK_FALSE(marks([&] { (void)hero.findComponent<const Body>(); }));
    CHECK_FALSE(marks([&] { (void)hero.getField("Body", "mass"); }));
    CHECK_FALSE(marks([&] { (void)hero.hasComponent("Body"); }));
    CHECK_FALSE(marks([&] { CHECK_THROWS_AS(hero.setField("Body", "mass", "much"), Error); }));
}

TEST_CASE("churn does not make a pool grow beyond twice its live bytes and a page",
          "[world][storage]") {
    std::mt19937 random(7);
    const std::uint32_t size = GENERATE(8U, 16U, 40U, 3000U);
    PageSource source;
    ComponentPool pool(size, 0, source);
    std::vector<std::byte*> taken;
    for (std::uint32_t i = 0; i < 40'000 && i * size < 20'000'000; ++i)
        taken.push_back(pool.allocate(i, nullptr, 1));
    const std::size_t part = taken.size() / 10;
    for (int round = 0; round < 40; ++round) {
        for (std::size_t i = 0; i < part; ++i) {
            std::swap(taken[random() % taken.size()], taken.back());
            pool.free(taken.back());
            taken.pop_back();
        }
        for (std::uint32_t i = 0; i < part; ++i)
            taken.push_back(
                pool.allocate(i, i % 2 == 0 ? taken[random() % taken.size()] : nullptr, 1));
        CHECK(pool.bytes() <= 2 * pool.live() * size + pool.pageBytes());
    }
    CHECK(pool.live() == taken.size());
    CHECK(std::set<std::byte*>(taken.begin(), taken.end()).size() == taken.size());  // none twice
}

TEST_CASE("components smaller than what is kept of them leave at most every eighth slot free",
          "[world][storage]") {
    const std::uint32_t size = GENERATE(1U, 4U);
    PageSource source;
    ComponentPool pool(size, 3, source);
    std::vector<std::byte*> taken;
    for (std::uint32_t i = 0; i < 150'000; ++i) {
        taken.push_back(pool.allocate(i, nullptr, 1));
        if (i % 3 == 0) {
            pool.free(taken[taken.size() / 2]);
            taken[taken.size() / 2] = taken.back();
            taken.pop_back();
        }
    }
    CHECK(pool.capacity() <= pool.live() * 8 / 7 + pool.slotsPerPage());
}

TEST_CASE("pools that are used alike hand out the same slots", "[world][storage]") {
    std::mt19937 random(11);
    PageSource source;
    ComponentPool first(8, 1, source);
    ComponentPool second(8, 6, source);
    std::vector<std::pair<std::byte*, std::byte*>> taken;
    auto numberOf = [](const ComponentPool& pool, const std::byte* slot) {
        const ComponentPool::Page& page = pool.pageOf(slot);
        return std::pair(page.number, pool.indexIn(page, slot));
    };
    int apart = 0;
    for (std::uint32_t i = 0; i < 100'000; ++i) {
        if (taken.size() > 50'000) {
            std::swap(taken[random() % taken.size()], taken.back());
            first.free(taken.back().first);
            second.free(taken.back().second);
            taken.pop_back();
        }
        const bool asChild = !taken.empty() && random() % 2 == 0;
        const auto near =
            asChild ? taken[random() % taken.size()] : std::pair<std::byte*, std::byte*>();
        taken.emplace_back(first.allocate(i, near.first, 1), second.allocate(i, near.second, 1));
        apart += numberOf(first, taken.back().first) != numberOf(second, taken.back().second);
    }
    CHECK(apart == 0);
    // Page for page equally far apart, so that one pointer leads to both.
    REQUIRE(first.pages().size() > 2);
    std::set<std::ptrdiff_t> distances;
    for (std::size_t i = 0; i < first.pages().size(); ++i)
        distances.insert(second.pages()[i]->data - first.pages()[i]->data);
    CHECK(distances.size() == 1);
}

TEST_CASE("a few components stay within twice as many slots, whatever the page has",
          "[world][storage]") {
    PageSource source;
    ComponentPool pool(8, 0, source);
    std::mt19937 random(5);
    std::vector<std::byte*> taken;
    for (std::uint32_t i = 0; i < 1000; ++i) taken.push_back(pool.allocate(i, nullptr, 1));
    std::set<std::uint32_t> used;
    for (std::uint32_t i = 0; i < 20'000; ++i) {
        std::swap(taken[random() % taken.size()], taken.back());
        pool.free(taken.back());
        taken.back() = pool.allocate(i, nullptr, 1);
        used.insert(pool.indexIn(*pool.pages().front(), taken.back()));
    }
    REQUIRE(pool.slotsPerPage() > 10'000);
    CHECK(*used.rbegin() < 2 * taken.size() + 64);
}

TEST_CASE("pages of any size are aligned to it and apart", "[world][storage]") {
    PageSource source;
    std::set<std::byte*> bytes;
    for (const std::size_t size :
         {1U << 16, 1U << 18, 1U << 16, 1U << 21, 1U << 17, 1U << 22, 1U << 18, 1U << 20, 1U << 20})
        for (int i = 0; i < 3; ++i) {
            std::byte* page =
                source.take(size, i == 0 ? PageSource::Use::Partly : PageSource::Use::Wholly);
            CHECK(reinterpret_cast<std::uintptr_t>(page) % size == 0);
            for (std::size_t at = 0; at < size; at += 1U << 16)
                CHECK(bytes.insert(page + at).second);
            page[0] = page[size - 1] = std::byte{1};
        }
}

TEST_CASE("a child's slot is the free one nearest to its parent's", "[world][storage]") {
    PageSource source;
    ComponentPool pool(16, 0, source);
    std::vector<std::byte*> taken;
    for (std::uint32_t i = 0; i < 2000; ++i) taken.push_back(pool.allocate(i, nullptr, 1));
    // In the same word before and behind, words away, and in none that is near.
    for (const auto& [freed, parent, isNear] :
         {std::tuple(100, 103, true), std::tuple(110, 103, true), std::tuple(640, 400, true),
          std::tuple(200, 400, true), std::tuple(1500, 400, false)}) {
        pool.free(taken[freed]);
        std::byte* child = pool.allocate(0, taken[parent], 1);
        CHECK((child == taken[freed]) == isNear);
        if (!isNear) pool.free(child);
        taken[freed] = isNear ? child : pool.allocate(0, nullptr, 1);
    }
    // The nearer of two.
    pool.free(taken[1000]);
    pool.free(taken[1010]);
    CHECK(pool.allocate(0, taken[1004], 1) == taken[1000]);
    CHECK(pool.allocate(0, taken[1004], 1) == taken[1010]);
}

TEST_CASE("a sweep refills the emptiest words, in ascending order", "[world][storage]") {
    PageSource source;
    ComponentPool pool(8, 0, source);
    std::vector<std::byte*> taken;
    while (pool.pages().size() < 3) taken.push_back(pool.allocate(0, nullptr, 1));
    const std::size_t perPage = pool.slotsPerPage();
    taken.resize(taken.size() - 1);
    // Use up the third page, so that growing is not allowed once a part has gone.
    while (taken.size() < 3 * perPage - 1) taken.push_back(pool.allocate(0, nullptr, 1));
    // Some words of the first page are emptied, and single slots everywhere.
    std::set<const std::byte*> emptied;
    for (std::size_t i = 0; i < taken.size(); ++i)
        if (i / 64 % 3 == 1 || i % 5 == 0) {
            if (i / 64 % 3 == 1) emptied.insert(taken[i]);
            pool.free(taken[i]);
        }
    const std::byte* last = nullptr;
    std::size_t inEmptied = 0;
    std::size_t ascending = 0;
    constexpr std::size_t count = 5000;
    pool.allocate(0, nullptr, 1);  // the last slot of the third page
    for (std::size_t i = 0; i < count; ++i) {
        const std::byte* slot = pool.allocate(0, nullptr, 1);
        inEmptied += emptied.count(slot);
        ascending += slot == last + 8 ? 1 : 0;
        last = slot;
    }
    CHECK(inEmptied == count);
    CHECK(ascending > count * 62 / 64);
    CHECK(pool.pages().size() == 3);
}

TEST_CASE("a slot's number is found from its address for every size of component",
          "[world][storage]") {
    for (const std::uint32_t size :
         {1U, 2U, 3U, 5U, 7U, 12U, 24U, 40U, 100U, 1000U, 4097U, 65535U, 65536U}) {
        PageSource source;
        ComponentPool pool(size, size % 11, source);
        std::set<const std::byte*> slots;
        const std::uint32_t count = pool.slotsPerPage() + 3;
        std::uint32_t wrong = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            std::byte* slot = pool.allocate(i, nullptr, 1);
            std::memset(slot, 255, size);
            slots.insert(slot);
            const ComponentPool::Page& page = pool.pageOf(slot);
            wrong += page.data + std::size_t{pool.indexIn(page, slot)} * size != slot ? 1 : 0;
            wrong += pool.ownerOf(slot) != i || !pool.isTaken(slot) ? 1 : 0;
        }
        CHECK(wrong == 0);
        CHECK(slots.size() == count);  // none twice
        CHECK(pool.slotsPerPage() >= 32);
    }
}
