// MapPanel: where everything is, for a history that is looked at without its game: each entity that has a
// place is a box or a dot on a plan of the world.
#pragma once

#include <string>
#include <vector>

#include "game/inspector/inspection.hpp"

namespace revenant::game {

class MapPanel {
public:
    void draw(Inspection& inspection);

private:
    struct Spot {
        EntityId id;
        std::string name;
        float x = 0;
        float y = 0;
        float width = 0;
        float height = 0;
    };

    // Where the plan's corner lies on the screen, and how many pixels a unit has.
    struct Projection {
        float x = 0;
        float y = 0;
        float scale = 1;
    };

    void gather(World& world);
    void widen();
    Projection fit(const Inspection& inspection, float width, float height);

    std::vector<Spot> spots_;
    // What there was to see so far: the plan never shrinks while time moves.
    float left_ = 0, top_ = 0, right_ = 0, bottom_ = 0;
    bool isKnown_ = false;
    bool isWhole_ = false;   // all of it, rather than the surroundings of the selected entity
    float unitsWide_ = 640;  // that those surroundings are
};

}  // namespace revenant::game
