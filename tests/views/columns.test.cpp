#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>

#include "tests/views/scene.hpp"
#include "views/rows/view_rows.hpp"

using namespace scene;

namespace {

bool isAligned(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) % 64 == 0;
}

}  // namespace

TEST_CASE("a column reads and writes the components themselves", "[views]") {
    Scene scene;
    const auto entities = scene.addMany<Place>(3);
    scene.world.reconcile();
    const auto view = scene.world.getComponentsView({{"PlaceCMP", mustHave()}});
    const Column& column = view->getColumn("PlaceCMP");
    REQUIRE(column.count() == 3);
    for (std::size_t row = 0; row < 3; ++row) {
        Place* place = &entities[row].getComponent<Place>();
        CHECK(static_cast<const void*>(column.read(row)) == place);
        CHECK(static_cast<void*>(column.write(row)) == place);
        CHECK(view->getEntity(row) == entities[row]);
    }
    const Place moved{5, 6};
    std::memcpy(column.write(1), &moved, sizeof moved);
    CHECK(entities[1].getComponent<const Place>().x == 5);
    CHECK(column.getSchema().size == sizeof(Place));
}

TEST_CASE("a row that is not there is an error that names it", "[views]") {
    Scene scene;
    scene.add<Place>();
    scene.world.reconcile();
    const auto view = scene.world.getComponentsView({{"PlaceCMP", mustHave()}});
    const Column& column = view->getColumn("PlaceCMP");
    const int bad = code(ErrorCode::BadArgument);
    CHECK(errorOf([&] { column.read(1); }) == bad);
    CHECK(errorOf([&] { column.write(1); }) == bad);
    CHECK(errorOf([&] { column.read(SIZE_MAX); }) == bad);
    CHECK(errorOf([&] { view->getEntity(1); }) == bad);
    try {
        column.read(7);
    } catch (const Error& error) {
        const std::string says = error.what();
        CHECK(says.find("PlaceCMP") != std::string::npos);
        CHECK(says.find('7') != std::string::npos);
    }
}

TEST_CASE("a read-only column refuses to be written, another view of the same rows does not",
          "[views]") {
    Scene scene;
    scene.add<Place>();
    scene.world.reconcile();
    const auto readOnly = scene.world.getComponentsView({{"PlaceCMP", mustHave(true)}});
    const auto readWrite = scene.world.getComponentsView({{"PlaceCMP", mustHave()}});
    CHECK(errorOf([&] { readOnly->getColumn("PlaceCMP").write(0); }) ==
          code(ErrorCode::WrongState));
    CHECK(readOnly->getColumn("PlaceCMP").read(0) == readWrite->getColumn("PlaceCMP").write(0));
}

TEST_CASE("EMPTY is one aligned address, as long as the largest component, all zeros", "[views]") {
    CHECK(isAligned(&emptyComponent));
    STATIC_CHECK(sizeof emptyComponent == maxComponentBytes);
    CHECK(std::ranges::all_of(emptyComponent.bytes, [](std::byte b) { return b == std::byte{}; }));
    CHECK(isEmpty(emptyComponent));
    const std::byte* pointer = emptyComponent.bytes;
    CHECK(isEmpty(pointer));
    CHECK(isEmpty(*reinterpret_cast<const Place*>(pointer)));
    const Place place;
    const Place* other = &place;
    CHECK_FALSE(isEmpty(other));
    CHECK_FALSE(isEmpty(place));
}

TEST_CASE("EMPTY stands where an optional component is absent or disabled, and is not written",
          "[views]") {
    Scene scene;
    Entity has = scene.add<Place, Speed>();
    Entity disabled = scene.add<Place, Speed>();
    disabled.setComponentEnabled("SpeedCMP", false);
    scene.add<Place>();
    scene.world.reconcile();
    const auto view =
        scene.world.getComponentsView({{"PlaceCMP", mustHave()}, {"SpeedCMP", optional()}});
    const Column& speed = view->getColumn("SpeedCMP");
    REQUIRE(view->count() == 3);
    CHECK(static_cast<const void*>(speed.read(0)) == &has.getComponent<const Speed>());
    CHECK(speed.read(1) == emptyComponent.bytes);
    CHECK(speed.read(2) == emptyComponent.bytes);
    CHECK(speed.write(0) == speed.read(0));
    const int missing = code(ErrorCode::MissingComponent);
    CHECK(errorOf([&] { speed.write(1); }) == missing);
    CHECK(errorOf([&] { speed.write(2); }) == missing);

    disabled.setComponentEnabled("SpeedCMP", true);
    has.removeComponent<Speed>();
    CHECK(speed.read(1) == emptyComponent.bytes);
    scene.world.reconcile();
    CHECK(speed.read(0) == emptyComponent.bytes);
    CHECK(static_cast<const void*>(speed.read(1)) == &disabled.getComponent<const Speed>());
}

TEST_CASE("the row of an entity is found, and -1 for one that has none", "[views]") {
    Scene scene;
    const auto entities = scene.addMany<Place>(5);
    const Entity without = scene.add<Speed>();
    scene.world.reconcile();
    const auto view = scene.world.getComponentsView({{"PlaceCMP", mustHave()}});
    for (std::size_t row = 0; row < 5; ++row)
        CHECK(view->rowOf(entities[row]) == static_cast<std::ptrdiff_t>(row));
    CHECK(view->rowOf(without) == -1);
    CHECK(view->rowOf(Entity()) == -1);
    Scene other;
    const Entity foreign = other.add<Place>();
    other.world.reconcile();
    CHECK(view->rowOf(foreign) == -1);

    // Rows behind one that left move up; a stale handle has no row, nor has the entity that reuses its slot.
    scene.world.removeEntity(entities[1]);
    const Entity detached = scene.world.newEntity("detached");
    CHECK(view->rowOf(entities[1]) == 1);
    CHECK(view->rowOf(detached) == -1);
    scene.world.reconcile();
    Entity reused = scene.world.newEntity("reused");
    CHECK(reused.getId().index == entities[1].getId().index);
    CHECK(view->rowOf(entities[1]) == -1);
    CHECK(view->rowOf(reused) == -1);
    CHECK(view->rowOf(entities[4]) == 3);
    reused.addComponent<Place>();
    scene.world.addEntity(reused);
    scene.world.reconcile();
    CHECK(view->rowOf(entities[1]) == -1);
    CHECK(view->rowOf(reused) == 4);
    CHECK(view->getEntities() ==
          std::vector<Entity>{entities[0], entities[2], entities[3], entities[4], reused});
}

TEST_CASE("what is removed, or removed and added, stays readable until the reconcile", "[views]") {
    Scene scene;
    Entity removed = scene.add<Place>();
    Entity replaced = scene.add<Place>();
    removed.getComponent<Place>().x = 10;
    replaced.getComponent<Place>().x = 20;
    scene.world.reconcile();
    const auto view = scene.world.view<const Place>();
    const auto shown = [&](std::size_t row) {
        return reinterpret_cast<const Place*>(view.untyped()->getColumn("PlaceCMP").read(row))->x;
    };
    removed.removeComponent<Place>();
    replaced.removeComponent<Place>();
    replaced.addComponent<Place>({21, 0});
    scene.addMany<Place>(200);  // would take freed slots
    CHECK(view.count() == 2);
    CHECK(shown(0) == 10);
    CHECK(shown(1) == 20);
    CHECK(replaced.getComponent<const Place>().x == 21);
    CHECK(view.isDirty());
    scene.world.reconcile();
    CHECK(view.count() == 201);
    CHECK(shown(0) == 21);
    CHECK(view.getEntity(0) == replaced);
}

TEST_CASE("columns and component pages begin on 64-byte boundaries", "[views]") {
    Scene scene;
    scene.addMany<Place, Speed, Health, Frozen, Sprite>(500);
    scene.world.reconcile();
    const auto view = scene.world.view<Place, Speed, Health, Frozen, Sprite>();
    for (const Column& column : view.untyped()->getColumns()) {
        CHECK(isAligned(ViewRows::of(column).pointers.data()));
        for (const ComponentPool::Page* page : ViewRows::of(column).type->pool.pages())
            CHECK(isAligned(page->data));
    }
}
