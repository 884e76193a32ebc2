// The level that the history is measured on: 300 entities, 60 of them in motion. Honest motion:
// walkers that turn at ledges, jumpers under gravity, platforms on sine paths, animation timers, a
// player with random input, and shots that are spawned and removed. Nothing is constant, and
// nothing is noise; all randomness is the world's own.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "views/view.hpp"
#include "world/world.hpp"

namespace level {

using namespace revenant;

struct Transform {
    float x = 0;
    float y = 0;
    float angle = 0;
};
struct Velocity {
    float x = 0;
    float y = 0;
};
struct Animation {
    float timer = 0;
    float frameSeconds = 0.1F;
    std::int32_t frame = 0;
    std::int32_t frames = 4;
};
struct Walker {
    float left = 0;
    float right = 0;
};
struct Jumper {
    float wait = 0;
    float strength = 300;
};
struct Platform {
    float centre = 0;
    float reach = 0;
    float phase = 0;
};
struct Player {
    std::int32_t input = 0;
    float inputSeconds = 0;
    float coyote = 0;
};
struct Shot {
    float life = 0;
};
struct Sprite {
    std::int32_t image = 0;
    std::int32_t layer = 0;
};

inline constexpr double stepSeconds = 1.0 / 60;
inline constexpr float dt = 1.0F / 60;
inline constexpr float gravity = 980;

class Level {
public:
    explicit Level(World& world)
        : world_(define(world)),
          walkers_(world.view<Transform, Velocity, const Walker>()),
          jumpers_(world.view<const Transform, Velocity, Jumper>()),
          movers_(world.view<Transform, Velocity>()),
          platforms_(world.view<Transform, Platform>()),
          animated_(world.view<Animation>()),
          shots_(world.view<Transform, Shot>()) {
        for (int i = 0; i < 240; ++i) still(i);
        for (int i = 0; i < 24; ++i) walker(i);
        for (int i = 0; i < 15; ++i) jumper(i);
        for (int i = 0; i < 10; ++i) platform(i);
        for (int i = 0; i < 10; ++i) torch(i);
        player_ = mover("player", 100, 0);
        player_.addComponent<Player>();
        world_.addEntity(player_);
        world_.setMainCharacter(player_);
    }

    // One tick of play, as a system's.
    void tick() {
        steerPlayer();
        walkers_.each([](Transform& transform, Velocity& velocity, const Walker& walker) {
            if (transform.x < walker.left) velocity.x = std::abs(velocity.x);
            if (transform.x > walker.right) velocity.x = -std::abs(velocity.x);
        });
        jumpers_.each([this](const Transform& transform, Velocity& velocity, Jumper& jumper) {
            if (transform.y > 0) return;
            jumper.wait -= dt;
            if (jumper.wait > 0) return;
            velocity.y = jumper.strength;
            jumper.wait = 0.5F + static_cast<float>(world_.random());
        });
        movers_.each([](Transform& transform, Velocity& velocity) {
            transform.x += velocity.x * dt;
            transform.y += velocity.y * dt;
            if (transform.y > 0)
                velocity.y -= gravity * dt;
            else if (velocity.y < 0)
                transform.y = velocity.y = 0;
        });
        platforms_.each([](Transform& transform, Platform& platform) {
            platform.phase += dt;
            transform.x = platform.centre + std::sin(platform.phase) * platform.reach;
        });
        animated_.each([](Animation& animation) {
            animation.timer += dt;
            if (animation.timer < animation.frameSeconds) return;
            animation.timer -= animation.frameSeconds;
            animation.frame = (animation.frame + 1) % animation.frames;
        });
        shots_.each([this](Entity entity, Transform& transform, Shot& shot) {
            transform.x += 400 * dt;
            transform.angle += 3 * dt;
            shot.life -= dt;
            if (shot.life <= 0) world_.removeEntity(entity);
        });
    }

private:
    static World& define(World& world) {
        world.defineComponent<Transform>(
            "TransformCMP", {field("x", &Transform::x).lerp(), field("y", &Transform::y).lerp(),
                             field("angle", &Transform::angle).angle()});
        world.defineComponent<Velocity>("VelocityCMP",
                                        {field("x", &Velocity::x), field("y", &Velocity::y)});
        world.defineComponent<Animation>(
            "AnimationCMP",
            {field("timer", &Animation::timer), field("frameSeconds", &Animation::frameSeconds),
             field("frame", &Animation::frame), field("frames", &Animation::frames)});
        world.defineComponent<Walker>(
            "WalkerCMP", {field("left", &Walker::left), field("right", &Walker::right)});
        world.defineComponent<Jumper>(
            "JumperCMP", {field("wait", &Jumper::wait), field("strength", &Jumper::strength)});
        world.defineComponent<Platform>(
            "PlatformCMP", {field("centre", &Platform::centre), field("reach", &Platform::reach),
                            field("phase", &Platform::phase)});
        world.defineComponent<Player>("PlayerCMP", {field("input", &Player::input),
                                                    field("inputSeconds", &Player::inputSeconds),
                                                    field("coyote", &Player::coyote)});
        world.defineComponent<Shot>("ShotCMP", {field("life", &Shot::life)});
        world.defineComponent<Sprite>(
            "SpriteCMP", {field("image", &Sprite::image), field("layer", &Sprite::layer)});
        return world;
    }
    Entity make(const char* name, float x, float y) {
        Entity entity = world_.newEntity(name);
        entity.addComponent<Transform>({x, y, 0});
        entity.addComponent<Sprite>();
        return entity;
    }
    Entity mover(const char* name, float x, float speed) {
        Entity entity = make(name, x, 0);
        entity.addComponent<Velocity>({speed, 0});
        entity.addComponent<Animation>({static_cast<float>(world_.random()) * 0.1F});
        return entity;
    }
    void still(int i) { world_.addEntity(make("tile", static_cast<float>(i) * 16, -16)); }
    void walker(int i) {
        const auto x = static_cast<float>(i) * 70;
        Entity entity = mover("walker", x + 10, 20 + static_cast<float>(world_.random()) * 40);
        entity.addComponent<Walker>({x, x + 60});
        world_.addEntity(entity);
    }
    void jumper(int i) {
        Entity entity = mover("jumper", static_cast<float>(i) * 110, 0);
        entity.addComponent<Jumper>({static_cast<float>(world_.random()), 300});
        world_.addEntity(entity);
    }
    void platform(int i) {
        Entity entity = make("platform", 0, 50);
        entity.addComponent<Platform>(
            {static_cast<float>(i) * 150, 60, static_cast<float>(world_.random()) * 6});
        world_.addEntity(entity);
    }
    void torch(int i) {
        Entity entity = make("torch", static_cast<float>(i) * 160, 32);
        entity.addComponent<Animation>({static_cast<float>(world_.random()) * 0.1F});
        world_.addEntity(entity);
    }
    void steerPlayer() {
        auto& player = player_.getComponent<Player>();
        auto& velocity = player_.getComponent<Velocity>();
        const auto& transform = player_.getComponent<const Transform>();
        player.inputSeconds -= dt;
        if (player.inputSeconds <= 0) {
            player.input = static_cast<std::int32_t>(world_.random(-1, 1));
            player.inputSeconds = 0.2F + static_cast<float>(world_.random());
            if (world_.random() < 0.5 && transform.y <= 0) velocity.y = 350;
            if (world_.random() < 0.5) shoot(transform);
        }
        player.coyote = transform.y <= 0 ? 0.1F : std::max(0.0F, player.coyote - dt);
        const float wanted = static_cast<float>(player.input) * 120;
        velocity.x += (wanted - velocity.x) * 0.2F;
    }
    void shoot(const Transform& from) {
        Entity shot = make("shot", from.x, from.y + 8);
        shot.addComponent<Shot>({0.8F});
        world_.addEntity(shot);
    }

    World& world_;
    Entity player_;
    View<Transform, Velocity, const Walker> walkers_;
    View<const Transform, Velocity, Jumper> jumpers_;
    View<Transform, Velocity> movers_;
    View<Transform, Platform> platforms_;
    View<Animation> animated_;
    View<Transform, Shot> shots_;
};

}  // namespace level
