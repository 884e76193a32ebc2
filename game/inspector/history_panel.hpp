// HistoryPanel: what the history weighs, how much of it is packed, its budget, and the file it is saved to;
// and what else the world keeps in memory.
#pragma once

#include <string>

#include "game/inspector/inspection.hpp"

namespace revenant::game {

class HistoryPanel {
public:
    void draw(Inspection& inspection);

private:
    static void drawBudget(Inspection& inspection);
    static void drawPacking(const TimeRewindSys& history);
    static void drawWorld(const World& world);
    void drawSaving(Inspection& inspection);

    std::string path_ = "history.rev";
    std::string saved_;  // what the last saving came to
};

}  // namespace revenant::game
