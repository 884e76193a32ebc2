// Playground: a world in which everything that a game does happens at random, for as long as it is
// ticked: entities come, go, move and change, levels are loaded and unloaded. All randomness is the
// world's own and nothing looks at what is not rewound, so that the same frames lead to the same frames.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "rewind/time_rewind_sys.hpp"
#include "views/view.hpp"

namespace soak {

using namespace revenant;

struct Body {
    float x = 0;
    float y = 0;
    float angle = 0;
    EntityId target;
};
struct Gauge {
    std::int32_t ticks = 0;
    std::uint8_t tag = 7;
    StringId label;
};
struct Cargo {
    std::int32_t crates[24] = {};
};
// Some of its state lives outside of the world, as a physics body's would.
struct Shell {
    float radius = 1;
};
// The root of a tree that the game never reparents, so that others may count on it.
struct Keepsake {
    std::int64_t made = 0;
};

class Playground {
public:
    World world;
    std::shared_ptr<TimeRewindSys> rewind;

    explicit Playground(const RewindOptions& options);
    Playground(const Playground&) = delete;
    Playground& operator=(const Playground&) = delete;
    ~Playground();

    // Lets time pass: as much as always passes with this frame.
    void tick(std::int64_t frame);
    // An entity that the history knows, by a random number; none in an empty world.
    Entity pick(std::uint64_t number);

private:
    class Shells;
    class ClockSys;

    void define();
    void act();
    void spawn(Entity parent);
    void dress(Entity entity);
    void loadLevel();
    void change(Entity one, Entity other);
    void bindOrUnbind(Entity one);
    void write(Entity one, Entity other);
    std::int64_t draw(std::int64_t last) { return world.random(0, last); }

    std::shared_ptr<Shells> shells_;
    std::vector<View<Body>> bodies_;  // one; none before the components are defined
    std::vector<Entity> present_;     // as of the start of the tick
};

}  // namespace soak
