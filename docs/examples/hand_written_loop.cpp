// A loop of one's own: the program decides what happens when, and calls the parts of a tick itself.
// World::update does the same three things: reconcile, record or restore a frame, tick the systems.
#include <cstdio>

#include "rewind/time_rewind_sys.hpp"
#include "views/view.hpp"

using namespace revenant;

namespace {

struct Ball {
    float height = 10, speed = 0;
};

// A system of C++: derives from System, overrides onTick.
class GravitySys final : public System {
public:
    explicit GravitySys(World& world) : System(world, "GravitySys"), balls_(world.view<Ball>()) {}

protected:
    void onTick(double dt) override {
        const auto seconds = static_cast<float>(dt);
        balls_.each([seconds](Ball& ball) {
            ball.speed -= 9.81F * seconds;
            ball.height += ball.speed * seconds;
            if (ball.height < 0) {
                ball.height = 0;
                ball.speed = -ball.speed;
            }
        });
    }

private:
    View<Ball> balls_;
};

// Draws, so to speak: it may tick while the past is shown, the other may not.
class DrawingSys final : public System {
public:
    explicit DrawingSys(World& world)
        : System(world, "DrawingSys", {.tickWhileRewinding = true}),
          balls_(world.view<const Ball>()) {}
    float shown() const noexcept { return shown_; }

protected:
    void onTick(double) override {
        balls_.each([this](const Ball& ball) { shown_ = ball.height; });
    }

private:
    View<const Ball> balls_;
    float shown_ = 0;
};

}  // namespace

int main() {
    World world;
    world.defineComponent<Ball>("BallCMP",
                                {field("height", &Ball::height), field("speed", &Ball::speed)});
    auto rewind = std::make_shared<TimeRewindSys>(world);
    auto gravity = std::make_shared<GravitySys>(world);
    auto drawing = std::make_shared<DrawingSys>(world);
    // Registered, so that the history knows their fixed steps and states; ticked below, by hand.
    world.registerSystem(rewind);
    world.registerSystem(gravity);
    world.registerSystem(drawing);

    Entity ball = world.newEntity("ball");
    ball.addComponent<Ball>();
    world.addEntity(ball);

    constexpr double dt = 1.0 / 60;
    auto loop = [&] {
        world.reconcile();  // entities come and go; lists and views change here, and only here
        rewind->tick(dt);   // records a frame; while rewinding, shows an earlier one
        gravity->tick(dt);  // does nothing while the past is shown
        drawing->tick(dt);  // always
        return drawing->shown();
    };
    float atTwoSeconds = 0;
    for (int i = 0; i < 240; ++i) {
        const float height = loop();
        if (rewind->getFrame() == 120) atTwoSeconds = height;
    }
    rewind->start();  // each turn of the loop now goes one frame back
    while (*rewind->getFrame() > 120) loop();
    rewind->stop();
    const float again = loop();  // frame 120 once more, and on from there
    std::printf("frame %d: height %.3f, %s\n", static_cast<int>(*rewind->getFrame()),
                static_cast<double>(again), again == atTwoSeconds ? "as before" : "otherwise");
    return again == atTwoSeconds ? 0 : 1;
}
