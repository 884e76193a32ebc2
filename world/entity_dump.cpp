// An entity as text: Entity::dump.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "world/core/world_core.hpp"
#include "world/entity.hpp"

namespace revenant {

namespace {

std::string textOf(const World& world, const Value& value);

std::string textOfNumber(double number) {
    std::array<char, 32> digits{};
    for (int precision = 15; precision <= 17; ++precision) {
        std::snprintf(digits.data(), digits.size(), "%.*g", precision, number);
        if (std::strtod(digits.data(), nullptr) == number) break;
    }
    return digits.data();
}

std::string textOf(const World& world, const ValueArray& values) {
    std::string text = "{";
    for (const Value& each : values) text += (text.size() > 1 ? ", " : "") + textOf(world, each);
    return text + "}";
}

std::string textOf(const World& world, const Value& value) {
    if (const auto* flag = value.as<bool>()) return *flag ? "true" : "false";
    if (const auto* whole = value.as<std::int64_t>()) return std::to_string(*whole);
    if (const auto* number = value.as<double>()) return textOfNumber(*number);
    if (const auto* string = value.as<std::string>()) return sentence('"', *string, '"');
    if (const auto* id = value.as<EntityId>())
        return id->isNull() ? "none" : describe(WorldCore::of(world).entity(*id));
    if (const auto* values = value.as<ValueArray>()) return textOf(world, *values);
    return "nothing";
}

// State that lives outside of the component's bytes: its parts, as its hooks describe them.
void appendState(std::string& text, ComponentHooks& hooks, EntityId owner,
                 const std::byte* component) {
    if (!hooks.isRewound() || !hooks.hasRewindState(component)) return;
    std::vector<std::byte> state;
    hooks.getRewindState(owner, component, state);
    for (const StatePart& part : hooks.describeRewindState(state))
        text += sentence("    ", part.path, " = ", part.value, "\n");
}

}  // namespace

std::string Entity::dump() const {
    std::string text = sentence(describe(*this), ", ", nameOf(getState()), "\n");
    if (!isValid()) return text;
    const EntityRecord& target = record("dump");
    if (!target.enabled) text += "  disabled\n";
    if (!isRewindable()) text += "  not rewindable\n";
    if (const Entity parent = getParent(); parent.isValid())
        text += sentence("  parent: ", describe(parent), "\n");
    for (const Entity& child : getChildren()) text += sentence("  child: ", describe(child), "\n");
    const References references = getReferences();
    if (getRefCount() > 0)
        text += sentence("  references: ", references.users, " by retain, ", references.histories,
                         " by a history, ", references.ancestors, " on its ancestors\n");
    for (const ComponentTypeId id : target.shape->types()) {
        const ComponentType& type = core().components_.at(id);
        text += sentence("  ", type.schema.name,
                         isComponentEnabled(type.schema.name) ? "\n" : " (disabled)\n");
        for (const Field& field : type.schema.fields)
            text += sentence("    ", field.name, " = ",
                             textOf(*world_, getField(type.schema.name, field.name)), "\n");
        if (type.hooks) appendState(text, *type.hooks, target.id, target.slotOf(id));
    }
    return text;
}

}  // namespace revenant
