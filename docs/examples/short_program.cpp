#include <cstdio>

#include "rewind/time_rewind_sys.hpp"
#include "views/view.hpp"

using namespace revenant;

struct Body {
    float x = 0, speed = 0;
};

int main() {
    World& world = World::getInstance();
    world.defineComponent<Body>("BodyCMP", {field("x", &Body::x), field("speed", &Body::speed)});
    auto rewind = std::make_shared<TimeRewindSys>(world, RewindOptions{.seconds = 60});
    world.registerSystem(rewind);
    world.registerSystem("MovementSys", [bodies = world.view<Body>()](World&, double dt) {
        bodies.each([dt](Body& body) { body.x += body.speed * static_cast<float>(dt); });
    });

    Entity player = world.newEntity("player");
    player.addComponent<Body>({.speed = 60});
    world.addEntity(player);
    for (int i = 0; i < 60; ++i) world.update(1.0 / 60);
    world.removeEntity(player);  // gone ...
    for (int i = 0; i < 60; ++i) world.update(1.0 / 60);

    rewind->seek(30);  // ... and back: the same entity, where it was
    std::printf("%s at x = %.0f\n", player.getName().c_str(), player.getComponent<Body>().x);
}
