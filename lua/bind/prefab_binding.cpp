// Prefab: the template as the Lua half has laid it out, with each component's bytes as a string.

#include <sol/sol.hpp>

#include "lua/bind/binding.hpp"
#include "lua/state/session.hpp"
#include "lua/state/world_link.hpp"
#include "world/core/world_core.hpp"
#include "world/storage/string_sweep.hpp"

namespace revenant {

namespace {

Prefab::Node nodeOf(const sol::table& table, World& world) {
    Prefab::Node node;
    node.name = table.get<std::string>("name");
    node.parent = table.get<int>("parent");
    node.enabled = table.get_or("enabled", true);
    node.rewindable = table.get_or("rewindable", true);
    const sol::table components = table["components"];
    REVENANT_ASSERT(components.size() <= maxComponentsPerEntity, "the template was checked");
    std::vector<FreshComponents::Component> all;
    for (std::size_t i = 1; i <= components.size(); ++i) {
        const sol::table each = components[i];
        FreshComponents::Component component;
        component.type = &WorldCore::of(world).components().at(each.get<ComponentTypeId>("type"));
        REVENANT_ASSERT(!component.type->family, "a native component has no family");
        const auto bytes = each.get<std::string_view>("bytes");
        if (bytes.size() != component.type->schema.size)
            fail(ErrorCode::BadArgument, "prefab: component '", component.type->schema.name,
                 "' has the wrong size");
        const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
        component.bytes.assign(first, first + bytes.size());
        StringTable& strings = WorldCore::of(world).components().strings();
        forEachString(component.type->schema, first, [&](StringId id) {
            if (strings.isUsed(id)) strings.keep(id);
        });
        all.push_back(std::move(component));
    }
    node.components = FreshComponents(WorldCore::of(world).components(), std::move(all));
    return node;
}

}  // namespace

void bindPrefab(sol::table& native) {
    native.set_function("definePrefab", [](std::uint32_t number, const sol::table& nodes) {
        WorldLink& link = WorldLink::require(number);
        Prefab prefab;
        for (std::size_t i = 1; i <= nodes.size(); ++i) {
            Prefab::Node node = nodeOf(nodes[i], link.world());
            node.isOutside =
                !node.rewindable ||
                (node.parent >= 0 && prefab.nodes[static_cast<std::size_t>(node.parent)].isOutside);
            prefab.nodes.push_back(std::move(node));
        }
        return link.addPrefab(std::move(prefab));
    });
}

}  // namespace revenant
