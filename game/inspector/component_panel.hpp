// ComponentPanel: the selected entity: what it is, the holders of its references, and its components with fields that
// can be edited while the game runs.
#pragma once

#include "game/inspector/inspection.hpp"

namespace revenant::game {

class ComponentPanel {
public:
    void draw(Inspection& inspection);

private:
    static void drawHead(Inspection& inspection, Entity entity);
    static void drawReferences(Inspection& inspection, Entity entity);
    static void drawComponent(Inspection& inspection, Entity entity, const std::string& name);
};

}  // namespace revenant::game
