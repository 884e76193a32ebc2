// The scenes that benchmarks share: entities with a position and a velocity, and the work
// `position += velocity * dt` that BENCHMARKS are stated in.
#pragma once

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "views/view.hpp"
#include "world/world.hpp"

namespace scene {

struct Position {
    float x = 0;
    float y = 0;
};
struct Velocity {
    float x = 1;
    float y = 1;
};
struct Boost {
    float x = 1;
    float y = 1;
};

inline constexpr float stepSeconds = 1.0F / 60.0F;

inline void defineComponents(revenant::World& world) {
    using revenant::field;
    world.defineComponent<Position>("PositionCMP",
                                    {field("x", &Position::x), field("y", &Position::y)});
    world.defineComponent<Velocity>("VelocityCMP",
                                    {field("x", &Velocity::x), field("y", &Velocity::y)});
    world.defineComponent<Boost>("BoostCMP", {field("x", &Boost::x), field("y", &Boost::y)});
}

inline revenant::Entity spawn(revenant::World& world) {
    revenant::Entity entity = world.newEntity("mover");
    entity.addComponent<Position>();
    entity.addComponent<Velocity>();
    return entity;
}

inline std::vector<revenant::Entity> spawnRoots(revenant::World& world, std::size_t count) {
    std::vector<revenant::Entity> entities;
    entities.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        entities.push_back(spawn(world));
        world.addEntity(entities.back());
    }
    return entities;
}

// Removes and spawns one entity in a hundred per frame: half of the spawns as roots, half as
// children of a random entity.
class Churn {
public:
    Churn(revenant::World& world, std::size_t count)
        : world_(world), entities_(spawnRoots(world, count)) {
        world_.reconcile();
    }

    std::size_t changesPerFrame() const noexcept { return entities_.size() / 100 * 2; }

    void frame() {
        const std::size_t count = entities_.size() / 100;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t victim = pick();
            // A removed parent takes its children along: they are replaced when they are picked.
            if (entities_[victim].isValid()) world_.removeEntity(entities_[victim]);
            replaced_.push_back(victim);
        }
        for (std::size_t i = 0; i < replaced_.size(); ++i) {
            revenant::Entity entity = world_.newEntity("mover");
            revenant::Entity parent = entities_[pick()];
            const bool asChild = i % 2 == 1 && parent.isValid() &&
                                 parent.getState() == revenant::EntityState::Managed;
            if (asChild) parent.addChild(entity);
            entity.addComponent<Position>();
            entity.addComponent<Velocity>();
            if (!asChild) world_.addEntity(entity);
            entities_[replaced_[i]] = entity;
        }
        replaced_.clear();
        world_.reconcile();
    }

private:
    std::size_t pick() { return random_() % entities_.size(); }

    revenant::World& world_;
    std::vector<revenant::Entity> entities_;
    std::vector<std::size_t> replaced_;
    std::minstd_rand random_{42};
};

class Stopwatch {
public:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }

private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace scene
