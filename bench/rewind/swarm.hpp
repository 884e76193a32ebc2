// Swarm: a crowd of bullets, 16 bytes of f32 each, that all change in every tick; and the processor time of
// a thread.
//
//     linear    constant velocity: positions change, velocities do not
//     honest    gravity and a random push on each bullet in each tick: all four fields change, in no pattern
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sys/resource.h>
#endif

#include "rewind/time_rewind_sys.hpp"
#include "views/view.hpp"
#include "world/world.hpp"

namespace bench {

using namespace revenant;

struct Bullet {
    float x, y, vx, vy;
};
struct Tag {
    std::uint32_t value = 0;
};

enum class Motion { Linear, Honest };

class Swarm {
public:
    static constexpr double stepSeconds = 1.0 / 60;

    World world;
    std::shared_ptr<TimeRewindSys> rewind;  // none: no history
    std::vector<Entity> entities;

    Swarm(std::size_t count, Motion motion, const RewindOptions* options)
        : motion_(motion), bullets_((define(world), world.view<Bullet>())) {
        for (std::size_t i = 0; i < count; ++i) {
            entities.push_back(spawn());
            world.addEntity(entities.back());
        }
        if (options) rewind = std::make_shared<TimeRewindSys>(world, *options);
        world.reconcile();
    }
    Entity spawn() {
        Entity entity = world.newEntity("bullet");
        entity.addComponent<Bullet>({draw(0, 4000), draw(0, 300), draw(-80, 80), draw(-200, 200)});
        return entity;
    }
    void move() {
        constexpr auto dt = static_cast<float>(stepSeconds);
        if (motion_ == Motion::Linear) {
            bullets_.each([](Bullet& bullet) {
                bullet.x += bullet.vx * dt;
                bullet.y += bullet.vy * dt;
            });
            return;
        }
        std::uint64_t state = state_;
        auto push = [&state] {
            state = state * 6364136223846793005U + 1442695040888963407U;
            return static_cast<float>(static_cast<std::int32_t>(state >> 32)) * 0x1p-31F;
        };
        bullets_.each([&](Bullet& bullet) {
            bullet.vx += push();
            bullet.vy += push() - 9.8F * dt;
            bullet.x += bullet.vx * dt;
            bullet.y += bullet.vy * dt;
        });
        state_ = state;
    }
    void tick() {
        world.reconcile();
        if (rewind) rewind->tick(stepSeconds);
        move();
    }

private:
    float draw(float low, float high) {
        return std::uniform_real_distribution<float>(low, high)(random_);
    }
    static int define(World& world) {
        world.defineComponent<Bullet>(
            "BulletCMP", {field("x", &Bullet::x), field("y", &Bullet::y), field("vx", &Bullet::vx),
                          field("vy", &Bullet::vy)});
        world.defineComponent<Tag>("TagCMP", {field("value", &Tag::value)});
        return 0;
    }

    Motion motion_;
    std::minstd_rand random_{11};
    std::uint64_t state_ = 5;
    View<Bullet> bullets_;
};

// Sixty ticks a second by the clock on the wall, asleep in between.
class Pace {
public:
    template <class Work>
    void operator()(Work work) {
        next_ += std::chrono::microseconds(16667);
        std::this_thread::sleep_until(next_);
        work();
    }

private:
    std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now();
};

// The calling thread's processor time so far in seconds, and how often it lost the processor while it wanted to
// go on (switches) or went to sleep by itself, for instance for a lock (waits).
struct ThreadUse {
    double seconds = 0;
    long switches = 0;
    long waits = 0;

    static ThreadUse now() {
        ThreadUse use;
#if defined(__linux__)
        rusage counted{};
        getrusage(RUSAGE_THREAD, &counted);
        use.switches = counted.ru_nivcsw;
        use.waits = counted.ru_nvcsw;
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        use.seconds = static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
#endif
        return use;
    }
};

}  // namespace bench
