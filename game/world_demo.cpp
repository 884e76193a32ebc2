// A small program that shows the world at work, until there is a game: a player with a lantern,
// walkers and coins; what is asked for and when it happens; zombies; views in world order.
#include <cstdio>
#include <iostream>
#include <string>

#include "views/query.hpp"
#include "views/view.hpp"
#include "views/view_tables.hpp"
#include "world/version.hpp"
#include "world/world.hpp"

using namespace revenant;

namespace {

struct Transform {
    float x = 0;
    float y = 0;
};
struct Velocity {
    float x = 0;
    float y = 0;
};
struct Coin {
    std::int32_t worth = 1;
};

void say(const std::string& sentence) {
    std::cout << "\n── " << sentence << '\n';
}

void showForest(const World& world) {
    world.forEachManaged([](Entity entity) {
        std::string indent = "   ";
        for (Entity at = entity.getParent(); at.isValid(); at = at.getParent()) indent += "  ";
        std::printf("%s%-22s", indent.c_str(),
                    (entity.getName() + (entity.isActive() ? "" : " (off)")).c_str());
        if (const auto* transform = entity.findComponent<const Transform>())
            std::printf(" at %5.1f, %4.1f", transform->x, transform->y);
        std::printf("%s\n", entity.isDirty() ? "   ← a change is waiting" : "");
    });
    for (const Entity& zombie : world.getZombies())
        std::printf("   %-22s zombie, %llu reference(s)\n", zombie.getName().c_str(),
                    static_cast<unsigned long long>(zombie.getRefCount()));
    std::fflush(stdout);
}

Entity spawn(World& world, const std::string& name, float x, float speed) {
    Entity entity = world.newEntity(name);
    entity.addComponent<Transform>({x, 0});
    if (speed != 0) entity.addComponent<Velocity>({speed, 0});
    world.addEntity(entity);
    return entity;
}

}  // namespace

int main() {
    World& world = World::getInstance();
    world.defineComponent<Transform>(
        "TransformCMP", {field("x", &Transform::x).lerp(), field("y", &Transform::y).lerp()});
    world.defineComponent<Velocity>("VelocityCMP",
                                    {field("x", &Velocity::x), field("y", &Velocity::y)});
    world.defineComponent<Coin>("CoinCMP", {field("worth", &Coin::worth)});

    std::cout << "Revenant " << version() << ": the world at work\n";
    auto movers = world.view<Transform, const Velocity>();
    world.registerSystem("MovementSys", [movers](World&, double dt) {
        movers.each([dt](Transform& transform, const Velocity& velocity) {
            transform.x += velocity.x * static_cast<float>(dt);
            transform.y += velocity.y * static_cast<float>(dt);
        });
    });

    Entity player = spawn(world, "player", 0, 4);
    Entity lantern = world.newEntity("lantern");
    lantern.addComponent<Transform>({0.5F, 1});
    player.addChild(lantern);
    Entity walker = spawn(world, "walker", 20, -2);
    for (float x : {5.0F, 10.0F, 15.0F}) spawn(world, "coin", x, 0).addComponent<Coin>();
    world.setMainCharacter(player);

    say("asked for, but the world is still empty: changes take effect at the next tick");
    std::cout << "   managed: " << world.getAllManagedEntities().size() << '\n';

    say("one second later: parents before children, in the order they came in");
    for (int i = 0; i < 60; ++i) world.update(1.0 / 60);
    showForest(world);

    say("a coin is taken, the walker is retained (by a history, say) and then removed");
    world.removeEntity(world.query().with<Coin>().first());
    walker.retain();
    world.removeEntity(walker);
    showForest(world);
    world.update(1.0 / 60);
    say("the tick after");
    showForest(world);

    say("the walker comes back: the same entity, last in order; the lantern is switched off");
    world.addEntity(walker);
    walker.release();
    lantern.setEnabled(false);
    world.update(1.0 / 60);
    showForest(world);

    say("views");
    std::cout << world.observer<ViewTables>().dump();
    const auto problems = world.validate();
    std::cout << "\nvalidator: " << (problems.empty() ? "every invariant holds" : problems.front())
              << '\n';
    return problems.empty() ? 0 : 1;
}
