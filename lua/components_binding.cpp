// Component types: their definition from Lua, their schema for Lua.

#include <sol/sol.hpp>

#include "lua/binding.hpp"
#include "lua/lua_values.hpp"
#include "lua/script_hooks.hpp"
#include "lua/session.hpp"
#include "lua/world_link.hpp"

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
    if (spec.isArray && spec.count > 0 && !spec.initial.isNone() && !spec.initial.as<ValueArray>())
        spec.initial = Value(ValueArray(spec.count, spec.initial));
    return spec;
}

sol::table schemaOf(std::uint32_t number, std::uint32_t type, sol::this_state state) {
    WorldLink& link = WorldLink::require(number);
    const ComponentType& component =
        link.world().components().at(static_cast<ComponentTypeId>(type));
    const ComponentSchema& schema = component.schema;
    sol::state_view lua(state);
    sol::table result = lua.create_table();
    result["name"] = schema.name;
    result["size"] = schema.size;
    result["defaults"] = std::string_view(reinterpret_cast<const char*>(schema.defaults.data()),
                                          schema.defaults.size());
    result["isScript"] = dynamic_cast<ScriptHooks*>(component.hooks.get()) != nullptr;
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
                            WorldLink& link = WorldLink::require(number);
                            std::vector<FieldSpec> specs;
                            for (std::size_t i = 1; i <= fields.size(); ++i)
                                specs.push_back(specOf(fields[i], link));
                            return link.world().defineComponent(std::move(name), std::move(specs));
                        });
    native.set_function("defineScriptComponent", [](std::uint32_t number, std::string name) {
        return defineScriptComponent(WorldLink::require(number), std::move(name));
    });
    native.set_function("schemaOf", &schemaOf);
}

}  // namespace revenant
