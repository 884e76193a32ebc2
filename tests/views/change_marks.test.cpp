#include <catch2/catch_test_macros.hpp>

#include <algorithm>

#include "tests/views/scene.hpp"
#include "world/core/world_core.hpp"

using namespace scene;

namespace {

constexpr std::size_t rows = 200;

// Many rows with a place, of which every second has a speed, and a tick in which nothing was
// added or changed yet.
struct Marked : Scene {
    std::vector<Entity> entities;
    View<const Place, Optional<const Speed>> view;
    Clock now = 0;

    Marked() : entities(addMany<Place>(rows)), view(world) {
        for (std::size_t i = 0; i < rows; i += 2) entities[i].addComponent<Speed>();
        world.reconcile();
        nextTick();
    }
    void nextTick() {
        world.reconcile();
        now = world.getClock();
    }
    std::size_t addedNow() const {
        std::size_t count = 0;
        view.eachAddedSince(now, [&](const Place&, const Speed&) { ++count; });
        return count;
    }
    template <class T>
    std::vector<Entity> changedNow() const {
        std::vector<Entity> changed;
        view.eachChangedSince<T>(
            now, [&](Entity entity, const Place&, const Speed&) { changed.push_back(entity); });
        return changed;
    }
    template <class T>
    bool isChanged(Entity wanted) const {
        const auto changed = changedNow<T>();
        return std::ranges::find(changed, wanted) != changed.end();
    }
};

}  // namespace

TEST_CASE("what just came in is added and changed, and neither a tick later", "[views]") {
    Marked marked;
    CHECK(marked.addedNow() == 0);
    CHECK(marked.changedNow<Place>().empty());
    const Entity fresh = marked.add<Place>();
    CHECK(marked.addedNow() == 0);
    marked.nextTick();
    CHECK(marked.addedNow() == 1);
    marked.view.eachAddedSince(
        marked.now, [&](Entity entity, const Place&, const Speed&) { CHECK(entity == fresh); });
    marked.nextTick();
    CHECK(marked.addedNow() == 0);
    std::size_t all = 0;
    marked.view.eachAddedSince(1, [&](const Place&, const Speed&) { ++all; });
    CHECK(all == rows + 1);
}

TEST_CASE("the rows of a view are added when it is opened, if they were there", "[views]") {
    Marked marked;
    const auto late = marked.world.view<const Place>();
    std::size_t count = 0;
    late.eachAddedSince(marked.now, [&](const Place&) { ++count; });
    CHECK(count == rows);
    count = 0;
    late.eachAddedSince(marked.now + 1, [&](const Place&) { ++count; });
    CHECK(count == 0);
}

TEST_CASE("reading marks nothing, by view, column or entity", "[views]") {
    Marked marked;
    marked.view.each([](const Place&, const Speed&) {});
    marked.view.eachRun([](std::size_t, const Place*, const Speed*) {});
    const auto view = marked.world.getComponentsView({{"PlaceCMP", mustHave()}});
    view->getColumn("PlaceCMP").read(0);
    for (const Entity& entity : marked.entities) {
        (void)entity.getComponent<const Place>();
        (void)entity.findComponent<const Speed>();
        (void)entity.getField("PlaceCMP", "x");
        (void)entity.hasComponent<Place>();
    }
    CHECK(marked.changedNow<Place>().empty());
    CHECK(marked.changedNow<Speed>().empty());
}

TEST_CASE("read-write iteration marks the pages of what it was asked to write, no others",
          "[views]") {
    Marked marked;
    marked.world.view<Place, Optional<const Speed>>().each([](Place&, const Speed&) {});
    CHECK(marked.changedNow<Place>().size() == rows);
    CHECK(marked.changedNow<Speed>().empty());
    marked.nextTick();
    CHECK(marked.changedNow<Place>().empty());
    marked.world.view<const Place, Optional<Speed>>().each([](const Place&, Speed*) {});
    CHECK(marked.changedNow<Place>().empty());
    CHECK(marked.changedNow<Speed>().size() == rows / 2);
    marked.nextTick();
    marked.world.view<Place>().eachRun([](std::size_t, Place*) {});
    CHECK(marked.changedNow<Place>().size() == rows);
    CHECK(marked.addedNow() == 0);
}

TEST_CASE("read-write iteration marks the pages of rows that came in since it last ran",
          "[views]") {
    Marked marked;
    const auto view = marked.world.view<Place>();
    view.each([](Place&) {});
    const std::size_t many =
        WorldCore::of(marked.world).components().find("PlaceCMP")->pool.slotsPerPage();
    marked.addMany<Place>(many);
    marked.nextTick();
    marked.nextTick();
    view.each([](Place&) {});
    CHECK(marked.changedNow<Place>().size() == rows + many);
}

TEST_CASE("read-write iteration over a few rows of a pool leaves its other pages alone",
          "[views]") {
    Marked marked;
    std::vector<Entity> frozen;
    // Enough to fill several pages; only the last one has anything frozen.
    const std::size_t many =
        3 * WorldCore::of(marked.world).components().find("PlaceCMP")->pool.slotsPerPage();
    for (std::size_t i = 0; i < many; ++i) marked.add<Place>();
    frozen.push_back(marked.add<Place, Frozen>());
    marked.nextTick();
    marked.nextTick();
    marked.world.view<Place, const Frozen>().each([](Place&, const Frozen&) {});
    CHECK(marked.isChanged<Place>(frozen[0]));
    CHECK_FALSE(marked.isChanged<Place>(marked.entities[0]));
}

TEST_CASE("writing one component marks no more than its block", "[views]") {
    Marked marked;
    const Entity written = marked.entities[100];
    const auto onlyItsBlock = [&](const auto& write) {
        marked.nextTick();
        write();
        CHECK(marked.isChanged<Place>(written));
        CHECK(marked.changedNow<Place>().size() <= blockSlots);
        CHECK(marked.changedNow<Speed>().empty());
    };
    const auto view = marked.world.getComponentsView({{"PlaceCMP", mustHave()}});
    onlyItsBlock([&] { written.getComponent<Place>().x = 1; });
    onlyItsBlock([&] { written.findComponent<Place>()->x = 1; });
    onlyItsBlock([&] { (void)written.getComponent("PlaceCMP"); });
    onlyItsBlock([&] { Entity(written).setField("PlaceCMP", "x", Value(3.0)); });
    onlyItsBlock([&] { view->getColumn("PlaceCMP").write(100); });
}

TEST_CASE("a filtered loop marks only the rows that it visits", "[views]") {
    Marked marked;
    const Entity fresh = marked.add<Place>();
    marked.nextTick();
    marked.nextTick();
    const auto view = marked.world.view<Place, Optional<const Speed>>();
    std::size_t calls = 0;
    view.eachAddedSince(marked.now - 1, [&](Place&, const Speed&) { ++calls; });
    CHECK(calls == 1);
    CHECK(marked.isChanged<Place>(fresh));
    CHECK(marked.changedNow<Place>().size() <= blockSlots);
}

TEST_CASE("a row that only moved is not added", "[views]") {
    Marked marked;
    Entity parent = marked.entities[10];
    parent.addChild(marked.entities[150]);
    parent.addChild(marked.entities[5]);
    marked.nextTick();
    CHECK(marked.view.rowOf(marked.entities[5]) == 11);
    CHECK(marked.addedNow() == 0);
    CHECK(marked.changedNow<Place>().empty());
}

TEST_CASE("what comes back into a view is added again, moved or not", "[views]") {
    Marked marked;
    Entity toggled = marked.entities[3];
    Entity bare = marked.entities[7];
    Entity movedToo = marked.entities[9];
    toggled.setEnabled(false);
    movedToo.setEnabled(false);
    bare.setComponentEnabled("PlaceCMP", false);
    marked.nextTick();
    CHECK(marked.view.count() == rows - 3);
    toggled.setEnabled(true);
    movedToo.setEnabled(true);
    bare.setComponentEnabled("PlaceCMP", true);
    marked.entities[20].addChild(movedToo);
    marked.nextTick();
    CHECK(marked.view.count() == rows);
    std::vector<Entity> added;
    marked.view.eachAddedSince(
        marked.now, [&](Entity entity, const Place&, const Speed&) { added.push_back(entity); });
    CHECK(added == std::vector<Entity>{toggled, bare, movedToo});
}

TEST_CASE("replacing a component changes it without adding its row", "[views]") {
    Marked marked;
    Entity replaced = marked.entities[50];
    replaced.removeComponent<Place>();
    replaced.addComponent<Place>();
    const Clock asked = marked.now;
    marked.nextTick();
    CHECK(marked.addedNow() == 0);
    std::size_t changed = 0;
    marked.view.eachChangedSince<Place>(asked, [&](Entity entity, const Place&, const Speed&) {
        changed += entity == replaced ? 1 : 0;
    });
    CHECK(changed == 1);
}
