// The scenes that benchmarks share: entities with a position and a velocity, and the work
// `position += velocity * dt` that all figures are stated in.
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

// Removes and spawns one entity in a hundred per frame. `asChildren`: of 100 spawns, so many
// become children of a random entity, in mid-tree; the others are roots.
class Churn {
public:
    Churn(revenant::World& world, std::size_t count, unsigned asChildren)
        : world_(world), entities_(spawnRoots(world, count)), asChildren_(asChildren) {
        world_.reconcile();
    }

    // Removals and spawns that the last frame asked for; what a removed parent takes along comes
    // on top, and is not counted.
    std::size_t changes() const noexcept { return changes_; }

    void frame() {
        draw();
        change();
        keep();
    }

    // A frame in three steps, so that only the world's part is timed. First the entities to
    // remove, each once and in random order, and the parents of those to spawn. By handle: no record is read.
    void draw() {
        for (std::size_t i = 0; i < entities_.size() / 100; ++i) {
            std::size_t victim = pick();
            while (isDrawn_[victim]) victim = pick();
            isDrawn_[victim] = true;
            const bool asChild = random_() % 100 < asChildren_;
            drawn_.push_back(
                {victim, entities_[victim], asChild ? entities_[pick()] : revenant::Entity()});
        }
    }
    void change() {
        std::erase_if(drawn_, [this](const Drawn& drawn) {
            // One that is gone went with its parent.
            const bool isGone = drawn.entity.getState() != revenant::EntityState::Managed;
            if (!isGone) world_.removeEntity(drawn.entity);
            if (isGone) isDrawn_[drawn.index] = false;
            return isGone;
        });
        for (Drawn& drawn : drawn_) drawn.entity = spawn(drawn.parent);
        changes_ = 2 * drawn_.size();
        world_.reconcile();
    }
    void keep() {
        for (const Drawn& drawn : drawn_) {
            entities_[drawn.index] = drawn.entity;
            isDrawn_[drawn.index] = false;
        }
        drawn_.clear();
    }

    // Replaces children that went with their parents, to keep the number. Not part of the frame.
    // Asked by state: while a history keeps them as zombies their handles stay valid.
    void repair() {
        for (revenant::Entity& entity : entities_)
            if (entity.getState() != revenant::EntityState::Managed)
                entity =
                    spawn(random_() % 100 < asChildren_ ? entities_[pick()] : revenant::Entity());
        world_.reconcile();
    }

private:
    struct Drawn {
        std::size_t index;
        revenant::Entity entity;  // the one to remove, then its replacement
        revenant::Entity parent;
    };

    revenant::Entity spawn(revenant::Entity parent) {
        revenant::Entity entity = world_.newEntity("mover");
        if (parent.getState() == revenant::EntityState::Managed)
            parent.addChild(entity);
        else
            parent = {};
        entity.addComponent<Position>();
        entity.addComponent<Velocity>();
        if (parent == revenant::Entity()) world_.addEntity(entity);
        return entity;
    }
    std::size_t pick() { return random_() % entities_.size(); }

    revenant::World& world_;
    std::vector<revenant::Entity> entities_;
    std::vector<bool> isDrawn_ = std::vector<bool>(entities_.size());
    std::vector<Drawn> drawn_;
    std::size_t changes_ = 0;
    unsigned asChildren_;
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
