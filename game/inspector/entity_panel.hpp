// EntityPanel: the forest in world order, with the state of each entity; a search; the zombies.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "game/inspector/inspection.hpp"

namespace revenant::game {

class EntityPanel {
public:
    void draw(Inspection& inspection);

private:
    struct Row {
        EntityId id;
        int depth = 0;
        bool hasChildren = false;
    };

    void gather(const World& world);
    void drawRow(Inspection& inspection, const Row& row, bool isTree);
    void drawRows(Inspection& inspection);
    void drawZombies(Inspection& inspection);
    bool isWanted(const World& world, const EntityRecord& record) const;

    std::string search_;
    std::set<std::uint64_t> collapsed_;  // ids
    std::vector<Row> rows_;
};

}  // namespace revenant::game
