// Access that was not declared is found in validating builds.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "tests/threads/crowd.hpp"
#include "tests/world/assertions.hpp"

using namespace revenant;
using namespace crowd;

namespace {

// What update says when a system that declares `access` does this.
template <class Deed>
std::string saidOf(Deed deed, SystemAccess access) {
    const ThrowingAssertions assertions;
    Crowd scene(2, 8);
    const auto places = scene.world.view<Place>();
    const auto speeds = scene.world.view<const Speed>();
    const Entity other = scene.world.findEntity("one1");
    if (access.views.empty())
        access += SystemAccess{.views = (places.access() + speeds.access()).views};
    scene.system(
        "A", [&](World&, double) { deed(places, speeds, other); }, access);
    try {
        scene.world.update(0.1);
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("access that was not declared is found", "[threads]") {
    if (!validating) SKIP("only validating builds look");
    const std::string declare =
        "which it did not declare: hold a view of it (System::view), or name it in "
        "SystemOptions::access";
    const SystemAccess reads{.reads = {"PlaceCMP", "SpeedCMP"}};
    CHECK(saidOf([](auto&, auto&, Entity e) { (void)e.getComponent<const Health>(); }, reads) ==
          "system 'A' reads component 'HealthCMP', " + declare);
    CHECK(saidOf([](auto&, auto&, Entity e) { e.getComponent<Place>().x = 1; }, reads) ==
          "system 'A' writes component 'PlaceCMP', " + declare);
    CHECK(saidOf([](auto&, auto&, Entity e) { (void)e.getField("HealthCMP", "points"); }, reads) ==
          "system 'A' reads component 'HealthCMP', " + declare);
    CHECK(saidOf([](auto& places, auto&, Entity) { places.each([](Place&) {}); }, reads) ==
          "system 'A' writes component 'PlaceCMP', " + declare);
    CHECK(saidOf([](auto& places, auto&, Entity e) { (void)places.template get<Place>(e); },
                 reads) == "system 'A' writes component 'PlaceCMP', " + declare);
    CHECK(saidOf([](auto&, auto& speeds, Entity) { speeds.each([](const Speed&) {}); },
                 {.reads = {"PlaceCMP"}}) == "system 'A' reads component 'SpeedCMP', " + declare);
    // What was declared passes.
    CHECK(saidOf([](auto& places, auto&, Entity e) { (void)places.template get<const Place>(e); },
                 reads)
              .empty());
    CHECK(
        saidOf([](auto&, auto&, Entity e) { (void)e.getComponent<const Place>(); }, reads).empty());
}

TEST_CASE("a chunk writes through its arguments, and reads nothing that the loop writes",
          "[threads]") {
    if (!validating) SKIP("only validating builds look");
    const SystemAccess all{.reads = {"SpeedCMP"}, .writes = {"PlaceCMP", "HealthCMP"}};
    CHECK(saidOf(
              [](auto& places, auto&, Entity e) {
                  places.parallelEach([e](Place&) { e.getComponent<Health>().points = 1; }, 2);
              },
              all)
              .starts_with("parallelEach of system 'A' writes component 'HealthCMP' other than"));
    CHECK(saidOf(
              [](auto& places, auto&, Entity e) {
                  places.parallelEach(
                      [e](Place& place) { place.x = e.getComponent<const Place>().x; }, 2);
              },
              all)
              .starts_with("parallelEach of system 'A' reads component 'PlaceCMP' of another row"));
    CHECK(saidOf(
              [](auto& places, auto&, Entity e) {
                  places.parallelEach(
                      [e](Place& place) { place.x = e.getComponent<const Speed>().x; }, 2);
              },
              all)
              .empty());
}

TEST_CASE("a loop over a view that the system does not hold is refused", "[threads]") {
    Crowd scene(2, 8);
    const auto places = scene.world.view<const Place>();
    spawn(scene.world);
    scene.system("A", [&](World&, double) { places.each([](const Place&) {}); },
                 {.reads = {"PlaceCMP"}});
    std::string said;
    try {
        scene.world.update(0.1);
    } catch (const Error& error) {
        said = error.what();
    }
    CHECK(said.starts_with("system 'A' loops over a view that it does not hold"));
}
