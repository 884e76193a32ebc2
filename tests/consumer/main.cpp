#include <cstdio>

#include "rewind/time_rewind_sys.hpp"
#include "views/query.hpp"
#include "views/view.hpp"
#include "world/version.hpp"

// A project that has only the installed headers and library: all layers work from there.
struct Position {
    float x = 0;
};

int main() {
    revenant::World world;
    world.defineComponent<Position>("PositionCMP", {revenant::field("x", &Position::x)});
    auto rewind = std::make_shared<revenant::TimeRewindSys>(world);
    world.registerSystem(rewind);
    revenant::Entity entity = world.newEntity("entity");
    entity.addComponent<Position>();
    world.addEntity(entity);
    const auto view = world.view<Position>();
    for (int i = 0; i < 10; ++i) {
        world.update(0.1);
        view.each([](Position& position) { position.x += 1; });
    }
    rewind->seek(5);
    const float x = entity.getComponent<const Position>().x;
    std::printf("linked revenant %s, x = %.0f\n", revenant::version(), static_cast<double>(x));
    return x == 4 && world.query().with<Position>().count() == 1 ? 0 : 1;
}
