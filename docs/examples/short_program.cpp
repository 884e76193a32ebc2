#include <cstdio>

#include "rewind/time_rewind_sys.hpp"
#include "views/view.hpp"

using namespace revenant;

struct Transform {
    float x = 0, y = 0;
};
struct Velocity {
    float x = 0, y = 0;
};

int main() {
    World& world = World::getInstance();
    world.defineComponent<Transform>("TransformCMP",
                                     {field("x", &Transform::x), field("y", &Transform::y)});
    world.defineComponent<Velocity>("VelocityCMP",
                                    {field("x", &Velocity::x), field("y", &Velocity::y)});
    auto rewind = std::make_shared<TimeRewindSys>(world, RewindOptions{.seconds = 60});
    world.registerSystem(rewind);
    world.registerSystem("MovementSys", [movers = world.view<Transform, const Velocity>()](
                                            World&, double dt) {
        movers.each([dt](Transform& t, const Velocity& v) { t.x += v.x * static_cast<float>(dt); });
    });

    Entity player = world.newEntity("player");
    player.addComponent<Transform>();
    player.addComponent<Velocity>({60, 0});
    world.addEntity(player);
    for (int i = 0; i < 60; ++i) world.update(1.0 / 60);
    world.removeEntity(player);  // gone ...
    for (int i = 0; i < 60; ++i) world.update(1.0 / 60);

    rewind->seek(30);  // ... and back: the same entity, where it was
    std::printf("%s at x = %.0f\n", player.getName().c_str(), player.getComponent<Transform>().x);
}
