#include "game/inspector/inspector.hpp"

#include <imgui.h>

#include <catch2/catch_test_macros.hpp>
#include <set>

#include "game/host/offscreen.hpp"
#include "game/host/png_file.hpp"
#include "game/inspector/inspection.hpp"
#include "tests/rewind/flight.hpp"
#include "tests/scratch_folder.hpp"

using namespace revenant;
using namespace revenant::game;

namespace {

// How many colours a picture of the inspector has: one that shows nothing has few.
std::size_t coloursOf(const Offscreen& screen) {
    const ScratchFolder folder;
    screen.save(folder.file("screen.png"));
    const Image image = readPng(folder.file("screen.png"));
    std::set<std::uint32_t> colours;
    for (const Color& pixel : image.pixels)
        colours.insert(static_cast<std::uint32_t>(pixel.r << 16 | pixel.g << 8 | pixel.b));
    return colours.size();
}

}  // namespace

TEST_CASE("the inspector draws a world whose entities come, go and change in every way",
          "[game][inspector]") {
    Flight flight(Flight::roomy(20));
    flight.define();
    Offscreen screen(800, 600);
    for (const char* panel : {"systems", "views", "history", "difference", "sync"}) {
        Inspector inspector(flight.world, {screen.renderer(), nullptr, true, panel});
        // Also before anything happened, and without a history.
        inspector.draw(nullptr, nullptr);
        inspector.draw(flight.rewind.get(), nullptr);
        CHECK(coloursOf(screen) > 20);
    }
    flight.takeOff();
    Canvas canvas(480, 270);
    Inspector inspector(flight.world, {screen.renderer(), nullptr, true, "difference"});
    for (int i = 0; i < 60; ++i) {
        flight.ticks(3);
        inspector.sample();
        if (i % 10 == 0) inspector.draw(flight.rewind.get(), screen.upload(canvas));
    }
    flight.rewind->setCheckpoint("here");
    inspector.compare(flight.rewind.get(), 20, 150);
    CHECK(inspector.isPaused());
    CHECK(flight.rewind->isRewinding());
    for (const std::int64_t frame : {1, 180, 90, 17}) {
        flight.rewind->seek(frame);
        inspector.draw(flight.rewind.get(), nullptr);
    }
    CHECK(coloursOf(screen) > 50);
    flight.rewind->stop();
    flight.ticks(5);
    inspector.draw(flight.rewind.get(), nullptr);
}

TEST_CASE("the mouse scrubs the timeline both ways, and the game stands still",
          "[game][inspector]") {
    Flight flight(Flight::roomy(20));
    flight.define();
    flight.takeOff();
    flight.ticks(100);
    Offscreen screen(1600, 900);
    Inspector inspector(flight.world, {screen.renderer(), nullptr, true, ""});
    ImGuiIO& io = ImGui::GetIO();
    const auto drawAt = [&](float x, bool isDown) {
        io.MousePos = {x, 800};  // within the tracks
        io.MouseDown[0] = isDown;
        inspector.draw(flight.rewind.get(), nullptr);
        inspector.draw(flight.rewind.get(), nullptr);
        return *flight.rewind->getFrame();
    };
    CHECK(drawAt(300, false) == 100);
    CHECK_FALSE(flight.rewind->isRewinding());
    const std::int64_t left = drawAt(300, true);
    CHECK(flight.rewind->isRewinding());
    CHECK(inspector.isPaused());
    const std::int64_t right = drawAt(600, true);
    CHECK(left > 1);
    CHECK(right > left);
    CHECK(right < 100);
    CHECK(drawAt(300, true) == left);
    CHECK(drawAt(-50, true) == 1);
    CHECK(drawAt(5000, true) == 100);
    CHECK(drawAt(600, false) == 100);
}

namespace {

// A user at the mouse and keys of an inspector without a window.
struct Hands {
    Inspector& inspector;
    TimeRewindSys* history;
    ImGuiIO& io = ImGui::GetIO();

    void draw(int times = 2) {
        for (int i = 0; i < times; ++i) inspector.draw(history, nullptr);
    }
    void point(float x, float y, bool isDown) {
        io.MousePos = {x, y};
        io.MouseDown[0] = isDown;
        draw();
    }
    void click(float x, float y) {
        point(x, y, false);
        point(x, y, true);
        point(x, y, false);
    }
    void type(const char* text) {
        io.AddInputCharactersUTF8(text);
        draw();
    }
};

}  // namespace

TEST_CASE("entities are found by name or component, and their fields edited by dragging",
          "[game][inspector]") {
    World world;
    auto rewind = std::make_shared<TimeRewindSys>(world);
    world.registerSystem(rewind);
    world.defineComponent<Hull>("HullCMP", {field("x", &Hull::x)});
    std::vector<Entity> ships;
    for (int i = 0; i < 40; ++i) {
        ships.push_back(world.newEntity(i == 33 ? "flagship" : "boat"));
        if (i == 7) ships.back().addComponent<Hull>({});
        world.addEntity(ships.back());
    }
    world.update(1.0 / 64);
    Offscreen screen(1600, 900);
    const auto search = [&](Hands& hands, const char* searched) {
        hands.draw();
        hands.click(150, 38);
        hands.type(searched);
        hands.click(100, 84);  // the first row
        return hands.inspector.selected();
    };
    {
        Inspector inspector(world, {screen.renderer(), nullptr, true, ""});
        Hands hands{inspector, rewind.get()};
        CHECK(search(hands, "FLAG") == ships[33].getId());
    }
    Inspector inspector(world, {screen.renderer(), nullptr, true, ""});
    Hands hands{inspector, rewind.get()};
    CHECK(search(hands, "hullcmp") == ships[7].getId());
    // Its only field: the value is dragged to the right.
    REQUIRE(ships[7].getComponent<Hull>().x == 0);
    const float x = 1480;
    for (float y = 200; y < 320 && ships[7].getComponent<Hull>().x == 0; y += 8) {
        hands.point(x, y, false);
        hands.point(x, y, true);
        hands.point(x + 60, y, true);
        hands.point(x + 60, y, false);
    }
    CHECK(ships[7].getComponent<Hull>().x > 1);
}

TEST_CASE("the inspector survives a window that is far too small", "[game][inspector]") {
    Flight flight;
    flight.define();
    flight.takeOff();
    flight.ticks(30);
    Offscreen screen(64, 48);
    Inspector inspector(flight.world, {screen.renderer(), nullptr, false, ""});
    for (int i = 0; i < 3; ++i) inspector.draw(flight.rewind.get(), nullptr);
}

TEST_CASE("system times are kept for the last ticks, with average and most", "[game][inspector]") {
    World world;
    world.registerSystem("Busy", [](World&, double) {});
    SystemTimes times;
    CHECK(times.find("Busy") == nullptr);
    for (int i = 0; i < 10; ++i) {
        world.update(0.01);
        times.sample(world);
    }
    REQUIRE(times.find("Busy"));
    CHECK(times.find("Busy")->count == 10);
    TimeRing ring;
    for (int i = 0; i < 1000; ++i) ring.add(static_cast<float>(i % 2));
    CHECK(ring.count == TimeRing::size);
    CHECK(ring.last() == 1);
    CHECK(ring.average() == 0.5F);
    CHECK(ring.highest() == 1);
}

TEST_CASE("what a panel cannot do becomes a message", "[game][inspector]") {
    World world;
    Inspection inspection(world);
    inspection.attempt([] { fail(ErrorCode::BadArgument, "not like this"); });
    CHECK(inspection.message == "not like this");
    inspection.attempt([] {});
    CHECK(inspection.message.empty());
    CHECK(bytesText(512) == "512 B");
    CHECK(bytesText(1536) == "1.5 KiB");
    CHECK(bytesText(std::size_t{3} << 20) == "3.0 MiB");
}
