#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "world/core/world_core.hpp"
#include "world/entity_state.hpp"
#include "world/world.hpp"

using namespace revenant;

namespace {

// A world with an entity in each state that a world without a history knows.
struct States {
    World world;
    Entity detached = world.newEntity("detached");
    Entity arriving = world.newEntity("arriving");
    Entity managed = world.newEntity("managed");
    Entity departing = world.newEntity("departing");
    Entity zombie = world.newEntity("zombie");

    States() {
        zombie.retain();
        for (Entity each : {managed, departing, zombie}) world.addEntity(each);
        world.reconcile();
        world.removeEntity(zombie);
        world.reconcile();
        world.addEntity(arriving);
        world.removeEntity(departing);
    }
    EntityRecord& recordOf(Entity entity) {
        return WorldCore::of(world).requireRecord(entity, "test");
    }
    bool isReported(std::string_view what) {
        return std::ranges::any_of(world.validate(), [&](const std::string& problem) {
            return problem.find(what) != std::string::npos;
        });
    }
};

void flipIntent(EntityRecord& record) {
    record.intent = record.wantsIn() ? Intent::Detach : Intent::In;
}

}  // namespace

TEST_CASE("the state of a record is the state of its entity", "[world][storage]") {
    States states;
    REQUIRE(states.world.validate().empty());
    const std::vector<std::pair<Entity, EntityState>> expected = {
        {states.detached, EntityState::Detached},
        {states.arriving, EntityState::PendingAdd},
        {states.managed, EntityState::Managed},
        {states.departing, EntityState::PendingRemove},
        {states.zombie, EntityState::Zombie}};
    for (const auto& [entity, state] : expected) {
        const EntityRecord& record = states.recordOf(entity);
        CHECK(record.state() == state);
        CHECK(entity.getState() == state);
        CHECK(record.exists());
        CHECK(record.isOut() == !record.managed);
        CHECK(record.isArriving() == (state == EntityState::PendingAdd));
        CHECK(record.isDeparting() == (state == EntityState::PendingRemove));
        CHECK(record.staysOut() ==
              (state == EntityState::Detached || state == EntityState::Zombie));
    }
    const Entity gone = states.detached;
    const EntityRecord& freed = states.recordOf(gone);
    states.detached.destroy();
    CHECK(freed.state() == EntityState::Destroyed);
    CHECK_FALSE(freed.exists());
    CHECK(gone.getState() == EntityState::Destroyed);
}

TEST_CASE("the validator reports every combination of flags that is no state", "[world][storage]") {
    struct Fault {
        std::string_view report;
        Entity States::*entity;
        void (*flip)(EntityRecord&);
    };
    const std::vector<Fault> faults = {
        {"both alive and unborn", &States::detached, [](EntityRecord& r) { r.unborn = !r.unborn; }},
        {"is destroyed, yet in a list", &States::managed,
         [](EntityRecord& r) { r.alive = !r.alive; }},
        {"is listed as a zombie, which it is not", &States::zombie,
         [](EntityRecord& r) { r.alive = !r.alive; }},
        {"is listed as pending, which it is not", &States::arriving,
         [](EntityRecord& r) { r.alive = !r.alive; }},
        {"both managed and a zombie", &States::managed,
         [](EntityRecord& r) { r.removed = !r.removed; }},
        {"is to leave, but", &States::managed, flipIntent},
        {"is to come in, but", &States::detached, flipIntent},
        {"is out, yet active", &States::detached, [](EntityRecord& r) { r.active = !r.active; }},
        {"has moved, but", &States::managed, [](EntityRecord& r) { r.moved = !r.moved; }},
        {"has moved, but", &States::arriving, [](EntityRecord& r) { r.moved = !r.moved; }},
        {"was enabled or disabled, but", &States::managed,
         [](EntityRecord& r) { r.toggled = !r.toggled; }},
        {"may have to be collected, but", &States::zombie,
         [](EntityRecord& r) { r.loosened = !r.loosened; }},
        {"is in the list of roots", &States::managed,
         [](EntityRecord& r) { r.inRoots = !r.inRoots; }},
        {"is remembered by a history", &States::managed,
         [](EntityRecord& r) { r.remembered = !r.remembered; }},
        {"scratch flags", &States::managed, [](EntityRecord& r) { r.leaving = !r.leaving; }},
    };
    for (const Fault& fault : faults) {
        CAPTURE(fault.report);
        States states;
        EntityRecord& record = states.recordOf(states.*fault.entity);
        REQUIRE_FALSE(states.isReported(fault.report));
        fault.flip(record);
        CHECK(states.isReported(fault.report));
        fault.flip(record);  // the world trusts its flags when it ends
        REQUIRE(states.world.validate().empty());
    }
}
