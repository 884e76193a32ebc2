#include <cstdio>
#include <span>
#include <vector>

#include "rewind/state_hash.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "views/query.hpp"
#include "views/view.hpp"
#include "world/version.hpp"
#if __has_include("save/save.hpp")
#include "save/save.hpp"
#endif

// A project that has only the installed headers and library: all layers work from there.
struct Position {
    float x = 0;
};

#if __has_include("save/save.hpp")
// Whether another world that loads the bytes of a save, wherever they lie, is equal.
bool canSave(revenant::World& world) {
    std::vector<std::byte> memory(1);
    const std::vector<std::byte> saved = revenant::saveToBytes(world);
    memory.insert(memory.end(), saved.begin(), saved.end());
    revenant::World other;
    other.defineComponent<Position>("PositionCMP", {revenant::field("x", &Position::x)});
    revenant::loadFromBytes(other, std::span<const std::byte>(memory).subspan(1));
    return revenant::stateHash(other) == revenant::stateHash(world);
}
#else
bool canSave(revenant::World& /*world*/) {
    return true;
}
#endif

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
    rewind->stop();
    return x == 4 && canSave(world) && world.query().with<Position>().count() == 1 ? 0 : 1;
}
