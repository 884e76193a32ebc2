// Stage: a world with a history, in which everything that has a place moves on with each tick.
// Shared by the tests of rewinding.
#pragma once

#include <memory>
#include <string>

#include "rewind/state_hash.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "views/view.hpp"

namespace revenant {

struct Position {
    float x = 0;
    float angle = 0;
};

struct Stage {
    World world;
    std::shared_ptr<TimeRewindSys> rewind;

    explicit Stage(const RewindOptions& options = {}) {
        world.defineComponent<Position>("PositionCMP", {field("x", &Position::x).lerp(),
                                                        field("angle", &Position::angle).angle()});
        rewind = std::make_shared<TimeRewindSys>(world, options);
        world.registerSystem(rewind);
        world.registerSystem("MoveSys", [view = world.view<Position>()](World&, double) {
            view.each([](Position& position) {
                position.x += 1;
                position.angle += 0.5F;
            });
        });
    }
    Entity spawn(const char* name, Entity parent = {}) {
        Entity entity = world.newEntity(name);
        entity.addComponent<Position>();
        if (parent.isValid())
            parent.addChild(entity);
        else
            world.addEntity(entity);
        return entity;
    }
    void ticks(int count) {
        for (int i = 0; i < count; ++i) world.update(1.0 / 64);
    }
    std::string names() const {
        std::string all;
        world.forEachManaged([&](Entity entity) { all += entity.getName() + " "; });
        return all;
    }
    bool isExact() { return stateHash(world) == rewind->frameHash(*rewind->getFrame()); }
};

struct Life {
    std::int32_t ticks = 0;
};

// A stage on which shots are fired, and end.
struct Range : Stage {
    explicit Range(const RewindOptions& options = {}) : Stage(options) {
        world.defineComponent<Life>("LifeCMP", {field("ticks", &Life::ticks)});
        world.registerSystem("LifeSys", [view = world.view<Life>()](World& w, double) {
            view.each([&w](Entity entity, Life& life) {
                if (--life.ticks <= 0) w.removeEntity(entity);
            });
        });
    }
    Entity fire(int ticks) {
        Entity shot = spawn("shot");
        shot.addComponent<Life>({ticks});
        return shot;
    }
};

constexpr RewindOptions smallBlocks() {
    return {.seconds = 1e6, .bytes = std::size_t{1} << 30, .blockFrames = 10};
}

}  // namespace revenant
