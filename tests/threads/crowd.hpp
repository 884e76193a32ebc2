// The components and systems that tests of threads share.
#pragma once

#include <string>
#include <utility>

#include "views/view.hpp"
#include "world/world.hpp"

namespace crowd {

struct Place {
    float x = 0;
    float y = 0;
};
struct Speed {
    float x = 1;
    float y = 0.5F;
};
struct Health {
    std::int32_t points = 100;
};
struct Aim {
    revenant::EntityId at;
    std::int32_t shots = 0;
};

inline void define(revenant::World& world) {
    using revenant::field;
    world.defineComponent<Place>("PlaceCMP", {field("x", &Place::x), field("y", &Place::y)});
    world.defineComponent<Speed>("SpeedCMP", {field("x", &Speed::x), field("y", &Speed::y)});
    world.defineComponent<Health>("HealthCMP", {field("points", &Health::points)});
    world.defineComponent<Aim>("AimCMP", {field("at", &Aim::at), field("shots", &Aim::shots)});
}

inline revenant::Entity spawn(revenant::World& world, const std::string& name = "one") {
    revenant::Entity entity = world.newEntity(name);
    entity.addComponent<Place>();
    entity.addComponent<Speed>();
    entity.addComponent<Health>();
    entity.addComponent<Aim>();
    world.addEntity(entity);
    return entity;
}

// A world with so many entities, and so many threads.
struct Crowd {
    explicit Crowd(int threads, int count = 1) : world(revenant::WorldOptions{.threads = threads}) {
        define(world);
        for (int i = 0; i < count; ++i) spawn(world, "one" + std::to_string(i));
        world.reconcile();
    }
    // A system made of one function, which touches what `access` says.
    void system(std::string name, revenant::FunctionSystem::Function function,
                revenant::SystemAccess access) {
        world.registerSystem(std::move(name), std::move(function), {.access = std::move(access)});
    }

    revenant::World world;
};

}  // namespace crowd
