// The components that the tests of views share, of several sizes, and short ways to set scenes.
// Their names are not in the order of their definitions, so that mixing up the two shows.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "views/rows/view_tables.hpp"
#include "views/view.hpp"
#include "world/core/world_core.hpp"

namespace scene {

using namespace revenant;

struct Place {
    double x = 1;
    double y = 2;
};
struct Speed {
    float x = 3;
    float y = 4;
};
struct Health {
    std::int32_t points = 100;
};
struct Frozen {};
struct Sprite {
    std::array<std::int32_t, 50> tiles{};
};
struct Undefined {};  // no component of any world

inline void defineComponents(World& world) {
    world.defineComponent<Place>("PlaceCMP", {field("x", &Place::x), field("y", &Place::y)});
    world.defineComponent<Speed>("SpeedCMP", {field("x", &Speed::x), field("y", &Speed::y)});
    world.defineComponent<Health>("HealthCMP", {field("points", &Health::points)});
    world.defineComponent<Frozen>("FrozenCMP", {});
    world.defineComponent<Sprite>("SpriteCMP", {field("tiles", &Sprite::tiles)});
}

struct Scene {
    World world;

    Scene() { defineComponents(world); }

    ViewTables& tables() { return WorldCore::of(world).observer<ViewTables>(); }

    // A root with the given components, asked to come in.
    template <class... Components>
    Entity add(std::string_view name = "root") {
        Entity entity = world.newEntity(name);
        (entity.addComponent<Components>(), ...);
        world.addEntity(entity);
        return entity;
    }
    template <class... Components>
    std::vector<Entity> addMany(std::size_t count) {
        std::vector<Entity> entities;
        for (std::size_t i = 0; i < count; ++i) entities.push_back(add<Components...>());
        return entities;
    }
    // A child with the given components; it follows its parent.
    template <class... Components>
    Entity addTo(Entity parent, std::string_view name = "child") {
        Entity entity = world.newEntity(name);
        parent.addChild(entity);
        (entity.addComponent<Components>(), ...);
        return entity;
    }
};

inline ComponentRequirementDesc mustHave(bool readOnly = false) {
    return ComponentRequirementDesc(true, readOnly);
}
inline ComponentRequirementDesc optional(bool readOnly = false) {
    return ComponentRequirementDesc(false, readOnly);
}
inline ComponentRequirementDesc without() {
    return ComponentRequirementDesc::without();
}

inline std::vector<std::string> names(const std::vector<Entity>& entities) {
    std::vector<std::string> result;
    result.reserve(entities.size());
    for (const Entity& entity : entities) result.push_back(entity.getName());
    return result;
}
using Names = std::vector<std::string>;

// The code of the error that a call throws: tells similar errors apart.
template <class Call>
int errorOf(Call call) {
    try {
        call();
    } catch (const Error& error) {
        return static_cast<int>(error.code());
    }
    return -1;
}
constexpr int code(ErrorCode code) {
    return static_cast<int>(code);
}

}  // namespace scene
