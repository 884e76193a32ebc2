#include <catch2/catch_test_macros.hpp>

#include "tests/views/scene.hpp"
#include "views/rows/view_rows.hpp"

using namespace scene;

namespace {

const Requirements placeAndSpeed = {{"PlaceCMP", mustHave()}, {"SpeedCMP", mustHave()}};

}  // namespace

TEST_CASE("equal requests get the very same view, however they were made", "[views]") {
    Scene scene;
    const auto view = scene.world.getComponentsView(placeAndSpeed);
    CHECK(scene.world.getComponentsView(placeAndSpeed) == view);
    CHECK(scene.world.view<Place, Speed>().untyped() == view);
    CHECK(scene.world.view<Speed, Place>().untyped() == view);
    CHECK(scene.tables().viewCount() == 1);

    const auto other = scene.world.view<const Place, Optional<Speed>, Without<Frozen>>();
    CHECK(scene.world.getComponentsView(
              {{"SpeedCMP", optional()}, {"FrozenCMP", without()}, {"PlaceCMP", mustHave(true)}}) ==
          other.untyped());
    ComponentRequirementDesc excluded = without();
    excluded.readOnly = false;  // no column is handed out for it
    CHECK(scene.world.getComponentsView(
              {{"SpeedCMP", optional()}, {"FrozenCMP", excluded}, {"PlaceCMP", mustHave(true)}}) ==
          other.untyped());
    CHECK(scene.tables().viewCount() == 2);
}

TEST_CASE("access does not split the rows of a view, presence does", "[views]") {
    Scene scene;
    const auto readWrite = scene.world.getComponentsView({{"PlaceCMP", mustHave()}});
    const auto readOnly = scene.world.getComponentsView({{"PlaceCMP", mustHave(true)}});
    CHECK(readWrite != readOnly);
    CHECK(&ViewRows::of(*readWrite) == &ViewRows::of(*readOnly));
    CHECK_FALSE(readWrite->getColumn("PlaceCMP").isReadOnly());
    CHECK(readOnly->getColumn("PlaceCMP").isReadOnly());
    CHECK(scene.tables().viewCount() == 2);
    CHECK(scene.tables().rowsCount() == 1);

    const auto maybe = scene.world.getComponentsView({{"PlaceCMP", optional()}});
    const auto none = scene.world.getComponentsView({{"PlaceCMP", without()}});
    CHECK(&ViewRows::of(*maybe) != &ViewRows::of(*readWrite));
    CHECK(&ViewRows::of(*none) != &ViewRows::of(*readWrite));
    CHECK(scene.tables().rowsCount() == 3);
}

TEST_CASE("rows are freed with their last user, and only then", "[views]") {
    Scene scene;
    auto readWrite = scene.world.getComponentsView({{"PlaceCMP", mustHave()}});
    auto again = scene.world.getComponentsView({{"PlaceCMP", mustHave()}});
    auto readOnly = scene.world.getComponentsView({{"PlaceCMP", mustHave(true)}});
    const std::weak_ptr<ComponentsView> watched = readWrite;
    readWrite.reset();
    CHECK(scene.tables().viewCount() == 2);
    again.reset();
    CHECK(watched.expired());
    CHECK(scene.tables().viewCount() == 1);
    CHECK(scene.tables().rowsCount() == 1);

    // Rows without users are not kept up to date; the others are.
    scene.add<Place>();
    scene.world.reconcile();
    CHECK(readOnly->count() == 1);
    readOnly.reset();
    CHECK(scene.tables().viewCount() == 0);
    CHECK(scene.tables().rowsCount() == 0);
    scene.add<Place>();
    scene.world.reconcile();
    CHECK(scene.world.getComponentsView({{"PlaceCMP", mustHave()}})->count() == 2);
}

TEST_CASE("a new view is filled at once, from the world as views see it", "[views]") {
    Scene scene;
    Entity a = scene.add<Place, Speed>("a");
    const Entity b = scene.add<Place>("b");
    scene.addTo<Place>(a, "a1");
    scene.world.reconcile();
    scene.add<Place>("later");
    scene.world.removeEntity(b);
    a.removeComponent<Place>();
    const auto view = scene.world.getComponentsView({{"PlaceCMP", mustHave()}});
    CHECK(names(view->getEntities()) == Names{"a", "a1", "b"});
    CHECK(view->isDirty());
    scene.world.reconcile();
    CHECK(names(view->getEntities()) == Names{"a1", "later"});
    CHECK_FALSE(view->isDirty());
}

TEST_CASE("a view opened late shows what the last reconcile saw, whatever was replaced since",
          "[views]") {
    Scene scene;
    Entity entity = scene.add<Place>();
    Entity bare = scene.add<Speed>();
    scene.world.reconcile();
    const Place* told = &entity.getComponent<const Place>();
    for (int i = 0; i < 3; ++i) {
        entity.removeComponent<Place>();
        entity.addComponent<Place>({50.0 + i, 0});
        bare.addComponent<Place>();
        bare.removeComponent<Place>();
    }
    const auto view = scene.world.getComponentsView({{"PlaceCMP", optional()}});
    const Column& column = view->getColumn("PlaceCMP");
    CHECK(static_cast<const void*>(column.read(0)) == told);
    CHECK(told->x == 1);
    CHECK(isEmpty(column.read(1)));
    scene.world.reconcile();
    CHECK(static_cast<const void*>(column.read(0)) == &entity.getComponent<const Place>());
    CHECK(isEmpty(column.read(1)));
}

TEST_CASE("a view opened by a listener shows what was just reconciled, and follows from there",
          "[views]") {
    Scene scene;
    std::shared_ptr<ComponentsView> view;
    scene.world.on(EventKind::EntityAdded, [&](const auto& event) {
        view = scene.world.getComponentsView(placeAndSpeed);
        if (event.entity.getName() != "next") scene.add<Place, Speed>("next");
    });
    scene.add<Place, Speed>("first");
    scene.world.reconcile();
    CHECK(names(view->getEntities()) == Names{"first"});
    CHECK(view->isDirty());
    scene.world.reconcile();
    CHECK(names(view->getEntities()) == Names{"first", "next"});
}

TEST_CASE("a column is the same object, in name order, for the whole life of its view", "[views]") {
    Scene scene;
    const auto view = scene.world.view<Speed, Place, Optional<const Sprite>, Without<Frozen>>();
    const Column* place = &view.untyped()->getColumn("PlaceCMP");
    const Column* sprite = &view.untyped()->getColumn("SpriteCMP");
    for (int round = 0; round < 20; ++round) {
        scene.addMany<Place, Speed>(100);
        scene.world.reconcile();
        CHECK(&view.untyped()->getColumn("PlaceCMP") == place);
        CHECK(&view.untyped()->getColumn("SpriteCMP") == sprite);
        CHECK(place->count() == view.count());
    }
    Names columns;
    for (const Column& column : view.untyped()->getColumns()) columns.push_back(column.getName());
    CHECK(columns == Names{"PlaceCMP", "SpeedCMP", "SpriteCMP"});
    CHECK(sprite->isOptional());
    CHECK_FALSE(place->isOptional());
    CHECK(errorOf([&] { view.untyped()->getColumn("FrozenCMP"); }) ==
          code(ErrorCode::UnknownComponent));
}

TEST_CASE("views, typed ones and their columns say so when the world was reset", "[views]") {
    Scene scene;
    scene.add<Place>();
    const auto typed = scene.world.view<Place>();
    const auto view = typed.untyped();
    scene.world.reconcile();
    const Column& column = view->getColumn("PlaceCMP");
    scene.world.reset();
    const int released = code(ErrorCode::ReleasedView);
    CHECK_FALSE(view->isValid());
    CHECK(errorOf([&] { view->count(); }) == released);
    CHECK(errorOf([&] { view->getEntity(0); }) == released);
    CHECK(errorOf([&] { view->getEntities(); }) == released);
    CHECK(errorOf([&] { view->rowOf(Entity()); }) == released);
    CHECK(errorOf([&] { view->isDirty(); }) == released);
    CHECK(errorOf([&] { view->getStats(); }) == released);
    CHECK(errorOf([&] { view->getColumn("PlaceCMP"); }) == released);
    CHECK(errorOf([&] { column.read(0); }) == released);
    CHECK(errorOf([&] { column.write(0); }) == released);
    CHECK(errorOf([&] { column.count(); }) == released);
    CHECK(errorOf([&] { typed.each([](Place&) {}); }) == released);
    CHECK(errorOf([&] { typed.count(); }) == released);
    CHECK(scene.tables().viewCount() == 0);

    // The same request gets a new view, which works.
    scene.add<Place>();
    scene.world.reconcile();
    CHECK(scene.world.view<Place>().untyped() != view);
    CHECK(scene.world.view<Place>().count() == 1);
}

TEST_CASE("a view may outlive its world, and says that it was released", "[views]") {
    auto scene = std::make_unique<Scene>();
    scene->add<Place>();
    scene->world.reconcile();
    const auto view = scene->world.getComponentsView({{"PlaceCMP", mustHave()}});
    scene.reset();
    CHECK_FALSE(view->isValid());
    CHECK(errorOf([&] { view->count(); }) == code(ErrorCode::ReleasedView));
}

TEST_CASE("a request for what is not defined, or for one component twice, is an error", "[views]") {
    Scene scene;
    const int unknown = code(ErrorCode::UnknownComponent);
    CHECK(errorOf([&] { scene.world.getComponentsView({{"NoneCMP", mustHave()}}); }) == unknown);
    CHECK(errorOf([&] { scene.world.getComponentsView({{"NoneCMP", optional()}}); }) == unknown);
    CHECK(errorOf([&] { scene.world.getComponentsView({{"NoneCMP", without()}}); }) == unknown);
    CHECK(errorOf([&] { scene.world.view<Undefined>(); }) == unknown);
    CHECK(errorOf([&] { scene.world.view<Place, Without<Undefined>>(); }) == unknown);
    const int bad = code(ErrorCode::BadArgument);
    CHECK(errorOf([&] { scene.world.view<Place, const Place>(); }) == bad);
    CHECK(errorOf([&] { scene.world.view<Place, Without<Place>>(); }) == bad);
    CHECK(errorOf([&] { scene.world.view<Place, Optional<Place>>(); }) == bad);
    CHECK(scene.tables().viewCount() == 0);
    CHECK(scene.tables().rowsCount() == 0);
}

TEST_CASE("worlds do not share views", "[views]") {
    Scene one;
    Scene other;
    CHECK(one.world.view<Place>().untyped() != other.world.view<Place>().untyped());
    one.add<Place>();
    one.world.reconcile();
    CHECK(one.world.view<Place>().count() == 1);
    CHECK(other.world.view<Place>().count() == 0);
}
