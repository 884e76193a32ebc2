// A world at random, with every type of field, plain data, trees, references, disabled parts and requests that wait; and
// a game in it whose every tick draws random numbers, spawns, removes and writes.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/save/plain_hooks.hpp"
#include "world/world.hpp"

namespace revenant::tests {

struct Everything {
    float f32 = 1;
    double f64 = 2;
    std::int32_t i32 = 3;
    std::uint32_t u32 = 4;
    std::int64_t i64 = 5;
    std::uint8_t u8 = 6;
    bool flag = true;
    EntityId target;
    StringId text;
    std::int32_t numbers[3] = {7, 8, 9};
    EntityId friends[2];
};

struct Moving {
    double x = 0;
    double speed = 1;
};

// Returns what keeps the plain data.
inline std::shared_ptr<PlainHooks> defineAll(World& world) {
    world.defineComponent<Everything>(
        "EverythingCMP", {field("f32", &Everything::f32), field("f64", &Everything::f64),
                          field("i32", &Everything::i32), field("u32", &Everything::u32),
                          field("i64", &Everything::i64), field("u8", &Everything::u8),
                          field("flag", &Everything::flag), field("target", &Everything::target),
                          field("text", &Everything::text), field("numbers", &Everything::numbers),
                          field("friends", &Everything::friends)});
    world.defineComponent<Moving>("MovingCMP",
                                  {field("x", &Moving::x), field("speed", &Moving::speed)});
    world.defineComponent("TagCMP", std::vector<FieldSpec>{});
    return definePlain(world);
}

// The game: what it does follows from the world alone.
inline void addGame(World& world) {
    world.registerSystem("GameSys", [](World& inside, double dt) {
        for (Entity entity : inside.getAllManagedEntities()) {
            if (entity.hasComponent("MovingCMP")) {
                auto& moving = entity.getComponent<Moving>();
                moving.x += moving.speed * dt * inside.random();
            }
            if (inside.random(50) == 1 && entity.hasComponent("TagCMP"))
                entity.removeComponent("TagCMP");
            if (inside.random(200) == 1 && !entity.getParent()) inside.removeEntity(entity);
        }
        if (inside.random(3) == 1) {
            Entity born = inside.newEntity("born");
            born.addComponent<Moving>();
            inside.addEntity(born);
        }
    });
}

class RandomWorld {
public:
    explicit RandomWorld(std::uint64_t seed, int count = 40) : engine_(seed) {
        plain_ = defineAll(world);
        for (int i = 0; i < count; ++i) addOne();
        world.update(0.5);
        for (int i = 0; i < count / 3; ++i) addOne();
        for (int i = 0; i < count * 2 / 3; ++i) change();
        for (const Entity& entity : entities_)
            if (entity.isValid() && below(3) == 0) think(entity);
        if (!entities_.empty() && any().isValid()) world.setMainCharacter(any());
        world.setResource("list",
                          Value(ValueArray{Value(1.5), Value(std::int64_t{1} << 60),
                                           Value(std::string("\xFF\0z", 3)), Value(any().getId()),
                                           Value(ValueArray{Value(true), Value()})}),
                          {.rewind = true});
    }

    World world;

private:
    std::size_t below(std::size_t limit) { return engine_() % limit; }
    Entity any() { return entities_[below(entities_.size())]; }

    void addOne() {
        static const std::string names[] = {"a", "bb", "", "name \xC3\xA4",
                                            std::string("\xFE\0x", 3)};
        Entity made = world.newEntity(names[below(std::size(names))]);
        entities_.push_back(made);
        if (below(2) == 0) made.addComponent<Moving>({double(below(100)) / 7, double(below(9))});
        if (below(2) == 0) made.addComponent("TagCMP");
        if (below(3) > 0) fill(made);
        Entity parent = any();
        const bool isChild = below(2) == 0 && parent != made && parent.isValid();
        if (isChild)
            parent.addChild(made);
        else if (below(8) > 0)
            world.addEntity(made);
    }
    void fill(Entity entity) {
        auto& all = entity.addComponent<Everything>();
        static const double odd[] = {0.1,    -0.0,  HUGE_VAL, -HUGE_VAL,         std::nan(""),
                                     5e-324, 1e300, 1.0 / 3,  9007199254740993.0};
        all.f32 = static_cast<float>(odd[below(std::size(odd))]);
        all.f64 = odd[below(std::size(odd))];
        all.i32 = static_cast<std::int32_t>(engine_());
        all.u32 = static_cast<std::uint32_t>(engine_());
        all.i64 = static_cast<std::int64_t>(engine_());
        all.u8 = static_cast<std::uint8_t>(engine_());
        all.flag = below(2) == 0;
        if (Entity other = any(); other.isValid()) all.target = other.getId();
        entity.setField(
            "EverythingCMP", "text",
            below(3) == 0 ? std::string("\x80 bytes") : "text " + std::to_string(below(5)));
        all.numbers[1] = static_cast<std::int32_t>(engine_());
        all.friends[1] = entity.getId();
    }
    void think(Entity entity) {
        std::vector<EntityId> known;
        for (const Entity& each : entities_) known.push_back(each.getId());
        entity.addComponent("PlainCMP");
        plain_->setState(entity.getId(), RandomPlain(engine_, known).make());
    }
    void change() {
        Entity entity = any();
        if (!entity.isValid()) return;
        switch (below(6)) {
            case 0: return entity.setEnabled(below(2) == 0);
            case 1: return world.removeEntity(entity);
            case 2:
                if (Entity parent = entity.getParent()) parent.removeChild(entity);
                return;
            case 3:
                if (entity.hasComponent("MovingCMP"))
                    entity.setComponentEnabled("MovingCMP", false);
                return;
            case 4: return entity.setRewindable(below(4) > 0);
            default:
                if (!entity.hasComponent("TagCMP")) entity.addComponent("TagCMP");
        }
    }

    std::mt19937_64 engine_;
    std::vector<Entity> entities_;
    std::shared_ptr<PlainHooks> plain_;
};

// The view of a world, entity by entity, with references by place in the world's order.
inline std::vector<std::string> describeAll(World& world) {
    const std::vector<Entity> all = world.getAllManagedEntities();
    auto placeOf = [&](Entity entity) {
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i] == entity) return static_cast<int>(i);
        return -1;
    };
    std::vector<std::string> lines;
    for (const Entity& entity : all) {
        std::ostringstream out;
        out << entity.getName() << " in " << placeOf(entity.getParent())
            << (entity.isEnabled() ? " on" : " off") << (entity.isRewindable() ? "" : " outside");
        for (const std::string& name : entity.getComponentNames()) {
            out << "; " << name << (entity.isComponentEnabled(name) ? "" : " off");
            for (const Field& each : world.getSchema(name).fields) {
                const Value value = entity.getField(name, each.name);
                const ValueArray single{value};
                const ValueArray& values = each.isArray ? *value.as<ValueArray>() : single;
                for (const Value& element : values) {
                    out << ' ';
                    if (const auto* id = element.as<EntityId>())
                        out << '@' << placeOf({world, *id});
                    if (const auto* whole = element.as<std::int64_t>()) out << *whole;
                    if (const auto* text = element.as<std::string>()) out << '"' << *text << '"';
                    if (const auto* flag = element.as<bool>()) out << *flag;
                    if (const auto* number = element.as<double>())
                        out << std::hexfloat << *number << (std::signbit(*number) ? "-" : "");
                }
            }
        }
        lines.push_back(out.str());
    }
    return lines;
}

}  // namespace revenant::tests
