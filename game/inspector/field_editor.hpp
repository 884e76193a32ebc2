// FieldEditor: one field of a component as a widget that fits its type. By schema, so that it works for
// components that C++ does not know.
#pragma once

#include "game/inspector/inspection.hpp"

namespace revenant::game {

// Draws the field's value, and writes what the user makes of it to the component.
void editField(Inspection& inspection, Entity entity, const std::string& component,
               const Field& field);
// "player (#3.1)", "none", or an id whose entity is gone.
std::string entityText(World& world, EntityId id);

}  // namespace revenant::game
