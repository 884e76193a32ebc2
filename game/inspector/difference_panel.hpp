// DifferencePanel: what differs between two chosen frames: which entities, components and fields.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "game/inspector/inspection.hpp"

namespace revenant::game {

class DifferencePanel {
public:
    void draw(Inspection& inspection);
    void compare(Inspection& inspection);

private:
    static constexpr std::size_t mostShown = 1000;

    static void editFrame(Inspection& inspection, const char* label,
                          std::optional<std::int64_t>& frame);
    void drawTable() const;

    std::vector<Divergence> found_;
    std::optional<std::int64_t> comparedA_;
    std::optional<std::int64_t> comparedB_;
};

}  // namespace revenant::game
