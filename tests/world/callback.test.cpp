// Callback: takes what std::function takes, and is empty where that is.
#include "world/callback.hpp"

#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <memory>
#include <string>

#include "world/world.hpp"

using namespace revenant;

namespace {

struct Counter {
    int count = 0;
    int raise(int by) { return count += by; }
};

int twice(int number) {
    return 2 * number;
}

}  // namespace

TEST_CASE("a callback calls lambdas, functions, members and std::function alike", "[world]") {
    using Call = Callback<int(int)>;
    CHECK(Call([](int number) { return number + 1; })(1) == 2);
    CHECK(Call(twice)(4) == 8);
    CHECK(Call(&twice)(4) == 8);
    CHECK(Call(std::function<int(int)>(twice))(4) == 8);
    CHECK(Callback<double(int)>(twice)(4) == 8.0);
    Callback<void(int)>{twice}(4);  // its result is dropped
    Counter counter;
    CHECK(Callback<int(Counter&, int)>(&Counter::raise)(counter, 3) == 3);
    CHECK(counter.count == 3);
    const auto length = [](std::unique_ptr<std::string> text) { return text->size(); };
    CHECK(Callback<std::size_t(std::unique_ptr<std::string>)>(length)(
              std::make_unique<std::string>("moved")) == 5);
    STATIC_CHECK_FALSE(std::is_constructible_v<Call, int>);
    STATIC_CHECK_FALSE(std::is_constructible_v<Call, void (*)(std::string)>);
}

TEST_CASE("a callback gives back what it calls, by its type", "[world]") {
    struct Add {
        int by;
        int operator()(int number) const { return number + by; }
    };
    const Callback<int(int)> callback(Add{5});
    REQUIRE(callback.target<Add>());
    CHECK(callback.target<Add>()->by == 5);
    CHECK(callback.target<int (*)(int)>() == nullptr);
    CHECK(Callback<int(int)>(twice).target<int (*)(int)>() != nullptr);
    CHECK(Callback<int(int)>().target<Add>() == nullptr);
}

TEST_CASE("copies of a callback share what they call, which dies with the last of them",
          "[world]") {
    const auto alive = std::make_shared<int>(0);
    Callback<int()> first([alive, calls = 0]() mutable { return ++calls; });
    Callback<int()> second = first;
    CHECK(first() == 1);
    CHECK(second() == 2);
    first = nullptr;
    CHECK_FALSE(first);
    CHECK(second() == 3);
    CHECK(alive.use_count() == 2);
    second = {};
    CHECK(alive.use_count() == 1);
}

TEST_CASE("a callback made of nothing is empty, and says so when it is called", "[world]") {
    int (*const nothing)(int) = nullptr;
    CHECK_FALSE(Callback<int(int)>());
    CHECK_FALSE(Callback<int(int)>(nullptr));
    CHECK_FALSE(Callback<int(int)>(nothing));
    CHECK_FALSE(Callback<int(int)>(std::function<int(int)>()));
    CHECK_FALSE(Callback<int(Counter&, int)>(static_cast<int (Counter::*)(int)>(nullptr)));
    CHECK_THROWS_AS(Callback<int(int)>()(1), Error);
}

TEST_CASE("a listener may own an object whose destructor changes the listeners", "[world]") {
    World world;
    int calls = 0;
    const auto count = [&calls](const Event&) { ++calls; };
    std::shared_ptr<void> owned(nullptr, [&](void*) {
        for (int i = 0; i < 100; ++i) world.on(EventKind::EntityAdded, count);
    });
    world.on(EventKind::EntityAdded, count);
    const ListenerToken token =
        world.on(EventKind::EntityAdded, [kept = std::move(owned)](const Event&) {});
    world.on(EventKind::EntityAdded, count);
    world.off(token);
    world.addEntity(world.newEntity("entity"));
    world.reconcile();
    CHECK(calls == 102);
}
