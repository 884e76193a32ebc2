// Theme: the inspector's colours, its fonts and the signs on its buttons.
#pragma once

#include <imgui.h>

#include <cstdint>

namespace revenant::game {

namespace theme {

inline constexpr ImU32 text = IM_COL32(226, 222, 236, 255);
inline constexpr ImU32 dim = IM_COL32(140, 132, 160, 255);
inline constexpr ImU32 faint = IM_COL32(98, 90, 120, 255);
inline constexpr ImU32 line = IM_COL32(58, 50, 78, 255);
inline constexpr ImU32 sunken = IM_COL32(18, 15, 28, 255);
inline constexpr ImU32 accent = IM_COL32(122, 162, 247, 255);  // what is selected or shown
inline constexpr ImU32 good = IM_COL32(126, 207, 160, 255);    // births, what is well
inline constexpr ImU32 bad = IM_COL32(240, 113, 120, 255);     // departures, errors
inline constexpr ImU32 warm = IM_COL32(240, 192, 110, 255);    // checkpoints, what waits
inline constexpr ImU32 past = IM_COL32(187, 154, 247, 255);    // zombies, returns, the past

}  // namespace theme

// Signs of the font that was found, or words where it has none.
struct Signs {
    const char* first = "|<<";
    const char* back = "<|";
    const char* play = "Play";
    const char* pause = "Pause";
    const char* forward = "|>";
    const char* last = ">>|";
};

// Sets style and fonts of the current ImGui context. REQUIRES: no font was added yet.
Signs applyTheme();

inline ImVec4 vectorOf(ImU32 color) {
    return ImGui::ColorConvertU32ToFloat4(color);
}
// A colour of its own for each name, always the same.
ImU32 colorOfName(const char* name);

}  // namespace revenant::game
