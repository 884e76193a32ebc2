#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <iterator>
#include <sstream>

#include "tests/views/scene.hpp"
#include "views/rows/view_rows.hpp"

using namespace scene;

TEST_CASE("the dump has a line for each set of rows, with its rows and passes", "[views]") {
    Scene scene;
    auto entities = scene.addMany<Place, Speed>(50);
    scene.addMany<Health>(70);
    const auto places = scene.world.view<Place>();
    const auto shared = scene.world.view<const Place>();
    const auto movers = scene.world.view<Place, Speed>();
    const auto maybe = scene.world.view<Place, Optional<Speed>>();
    const auto resting = scene.world.view<Place, Without<Speed>>();
    const auto healthy = scene.world.view<Health>();
    scene.world.reconcile();
    entities[0].removeComponent<Speed>();
    scene.world.reconcile();
    std::istringstream dump(scene.tables().dump());
    std::string line;
    std::vector<std::vector<std::string>> lines;
    while (std::getline(dump, line)) {
        std::istringstream words(line);
        lines.emplace_back(std::istream_iterator<std::string>(words),
                           std::istream_iterator<std::string>());
    }
    REQUIRE(lines.size() == 1 + scene.tables().rowsCount());
    CHECK(lines[0][0] == "view");
    CHECK(lines[0][1] == "rows");
    CHECK(lines[0][2] == "passes");
    const auto has = [&](const Names& begin) {
        return std::ranges::any_of(lines, [&](const Names& words) {
            return words.size() >= begin.size() &&
                   std::equal(begin.begin(), begin.end(), words.begin());
        });
    };
    // rows, passes, rows moved
    CHECK(has({"PlaceCMP", "50", "1", "0"}));
    CHECK(has({"PlaceCMP", "SpeedCMP", "49", "2", "49"}));
    CHECK(has({"PlaceCMP", "?SpeedCMP", "50", "2", "0"}));
    CHECK(has({"PlaceCMP", "!SpeedCMP", "1", "1", "0"}));
    CHECK(has({"HealthCMP", "70", "1", "0"}));
}

TEST_CASE("a view counts its rows, passes, additions and removals since it was made", "[views]") {
    Scene scene;
    auto entities = scene.addMany<Place>(40);
    scene.world.reconcile();
    const auto view = scene.world.view<Place>().untyped();
    CHECK(view->getStats().rows == 40);
    CHECK(view->getStats().passes == 0);
    CHECK(view->getStats().rowsAdded == 0);
    scene.addMany<Place>(5);
    scene.world.removeEntity(entities[10]);
    scene.world.removeEntity(entities[20]);
    scene.world.reconcile();
    const ViewStats stats = view->getStats();
    CHECK(stats.rows == 43);
    CHECK(stats.passes == 1);
    CHECK(stats.rowsAdded == 5);
    CHECK(stats.rowsDropped == 2);
    CHECK(stats.rowsMoved == 28);  // the 29 behind the first, without the second
    CHECK(stats.segments > 0);
    CHECK(stats.bytes >= 43 * (sizeof(RowHead) + sizeof(void*)));
}

TEST_CASE("the list of views tells each set of rows by name, with how many views share it",
          "[views]") {
    Scene scene;
    scene.addMany<Place, Speed>(5);
    scene.world.reconcile();
    const auto movers = scene.world.view<Place, const Speed>();
    const auto writers = scene.world.view<Place, Speed>();
    const auto resting = scene.world.view<Place, Without<Speed>>();
    const auto all = scene.tables().list();
    REQUIRE(all.size() == 2);
    const bool isFirst = all[0].name == "PlaceCMP SpeedCMP";
    const ViewInfo& shared = all[isFirst ? 0 : 1];
    const ViewInfo& alone = all[isFirst ? 1 : 0];
    CHECK(shared.name == "PlaceCMP SpeedCMP");
    CHECK(shared.views == 2);
    CHECK(shared.stats.rows == 5);
    CHECK(alone.name == "PlaceCMP !SpeedCMP");
    CHECK(alone.views == 1);
    CHECK(alone.stats.rows == 0);
}
