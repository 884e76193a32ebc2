// Component types: their definition from Lua, their schema for Lua.

#include <sol/sol.hpp>

#include "lua/bind/binding.hpp"
#include "lua/state/lua_migration.hpp"
#include "lua/state/lua_values.hpp"
#include "lua/state/script_hooks.hpp"
#include "lua/state/session.hpp"
#include "lua/state/world_link.hpp"
#include "world/storage/make_room.hpp"

namespace revenant {

namespace {

FieldSpec specOf(sol::table table, WorldLink& link) {
    FieldSpec spec;
    spec.name = table.get<std::string>("name");
    spec.type = static_cast<FieldType>(table.get<int>("type"));
    spec.count = table.get<std::uint32_t>("count");
    spec.isArray = table.get<bool>("isArray");
    spec.blend = static_cast<Blend>(table.get<int>("blend"));
    const sol::object initial = table["initial"];
    initial.push();
    spec.initial = toValue(initial.lua_state(), -1, link, "field '" + spec.name + "'");
    lua_pop(initial.lua_state(), 1);
    // A 64-bit integer that a Lua number could not hold.
    if (const sol::optional<std::string> digits = table["digits"])
        spec.initial = Value(static_cast<std::int64_t>(std::stoll(*digits)));
    if (spec.isArray && spec.count > 0 && !spec.initial.isNone() && !spec.initial.as<ValueArray>())
        spec.initial = Value(ValueArray(spec.count, spec.initial));
    return spec;
}

sol::table schemaOf(std::uint32_t number, std::uint32_t type, sol::this_state state) {
    WorldLink& link = WorldLink::require(number);
    const ComponentType& component =
        link.core().components().at(static_cast<ComponentTypeId>(type));
    const ComponentSchema& schema = component.schema;
    sol::state_view lua(state);
    sol::table result = lua.create_table();
    result["name"] = schema.name;
    result["size"] = schema.size;
    result["defaults"] = std::string_view(reinterpret_cast<const char*>(schema.defaults.data()),
                                          schema.defaults.size());
    result["isScript"] = dynamic_cast<ScriptHooks*>(component.hooks.get()) != nullptr;
    result["rewind"] = !component.hooks || component.hooks->isRewound();
    sol::table fields = lua.create_table();
    for (const Field& field : schema.fields) {
        sol::table each = lua.create_table();
        each["name"] = field.name;
        each["type"] = std::string(nameOf(field.type));
        each["offset"] = field.offset;
        each["count"] = field.count;
        each["isArray"] = field.isArray;
        each["blend"] = static_cast<int>(field.blend);
        fields.add(each);
    }
    result["fields"] = fields;
    return result;
}

}  // namespace

void bindComponents(sol::table& native) {
    native.set_function("defineComponent",
                        [](std::uint32_t number, std::string name, sol::table fields) {
                            WorldLink& link = WorldLink::requireOpen(number);
                            std::vector<FieldSpec> specs;
                            for (std::size_t i = 1; i <= fields.size(); ++i)
                                specs.push_back(specOf(fields[i], link));
                            makeRoom(link.belongings.types);
                            const ComponentTypeId type =
                                link.world().defineComponent(std::move(name), std::move(specs));
                            link.belongings.types.push_back(type);
                            return type;
                        });
    // Whether there is a component of that name with these very fields, which a reloaded file may define again.
    native.set_function(
        "isDefinedAlike", [](std::uint32_t number, const std::string& name, sol::table fields) {
            WorldLink& link = WorldLink::require(number);
            const ComponentType* known = link.core().components().find(name);
            if (!known || known->hooks) return false;
            std::vector<FieldSpec> specs;
            for (std::size_t i = 1; i <= fields.size(); ++i)
                specs.push_back(specOf(fields[i], link));
            const ComponentSchema schema =
                makeSchema(link.core().components().strings(), name, std::move(specs));
            return isLaidOutAlike(known->schema, schema);
        });
    native.set_function("defineScriptComponent", [](std::uint32_t number, std::string name,
                                                    std::string base, bool rewind, bool isAgain) {
        return defineScriptComponent(WorldLink::requireOpen(number), std::move(name),
                                     {std::move(base), rewind, isAgain});
    });
    native.set_function("schemaOf", &schemaOf);
    native.set_function("setVersion", [](std::uint32_t number, const std::string& name,
                                         std::uint32_t version, bool migrates) {
        WorldLink& link = WorldLink::requireOpen(number);
        link.world().setVersion(name, version,
                                migrates ? std::make_shared<LuaMigration>(link, name) : nullptr);
    });
    // The names of all component types, as keys.
    native.set_function("getComponentTypes", [](std::uint32_t number, sol::this_state state) {
        const ComponentStore& components = WorldLink::require(number).core().components();
        sol::table names = sol::state_view(state).create_table();
        for (std::size_t i = 0; i < components.count(); ++i)
            if (const auto& type = components.at(static_cast<ComponentTypeId>(i));
                !type.isForgotten)
                names[type.schema.name] = true;
        return names;
    });
}

}  // namespace revenant
