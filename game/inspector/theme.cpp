#include "game/inspector/theme.hpp"

#include <array>
#include <filesystem>

namespace revenant::game {

namespace {

constexpr float fontPixels = 14;

constexpr const char* fontFiles[] = {
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/TTF/DejaVuSans.ttf",
    "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
    "/Library/Fonts/DejaVuSans.ttf",
    "C:/Windows/Fonts/seguisym.ttf",
};
// Latin, arrows, blocks and geometric shapes.
constexpr ImWchar glyphRanges[] = {0x20, 0x17F, 0x2010, 0x2027, 0x2190, 0x21FF, 0x2500, 0x25FF, 0};

Signs addFonts() {
    ImFontAtlas& fonts = *ImGui::GetIO().Fonts;
    for (const char* path : fontFiles) {
        std::error_code ignored;
        if (!std::filesystem::exists(path, ignored)) continue;
        ImFontConfig config;
        config.OversampleH = 1;  // drawn at whole pixels: crisp
        config.PixelSnapH = true;
        if (!fonts.AddFontFromFileTTF(path, fontPixels, &config, glyphRanges)) continue;
        return {"\u25AE\u25C0\u25C0", "\u25C0\u25AE", "\u25B6",
                "\u25AE\u25AE",       "\u25AE\u25B6", "\u25B6\u25B6\u25AE"};
    }
    fonts.AddFontDefault();
    return {};
}

void setShapes(ImGuiStyle& style) {
    style.WindowRounding = 0;
    style.ChildRounding = 3;
    style.FrameRounding = 3;
    style.GrabRounding = 3;
    style.TabRounding = 3;
    style.PopupRounding = 3;
    style.ScrollbarRounding = 6;
    style.ScrollbarSize = 11;
    style.WindowBorderSize = 1;
    style.FrameBorderSize = 0;
    style.WindowPadding = {10, 8};
    style.FramePadding = {7, 3};
    style.ItemSpacing = {7, 5};
    style.ItemInnerSpacing = {6, 4};
    style.CellPadding = {6, 2};
    style.IndentSpacing = 14;
    style.WindowTitleAlign = {0, 0.5F};
    style.AntiAliasedLinesUseTex = false;  // software renderers have no filter for it
}

ImVec4 shade(int r, int g, int b, int a = 255) {
    return {static_cast<float>(r) / 255.0F, static_cast<float>(g) / 255.0F,
            static_cast<float>(b) / 255.0F, static_cast<float>(a) / 255.0F};
}

void setColors(ImGuiStyle& style) {
    const auto set = [&](ImGuiCol_ which, const ImVec4& color) { style.Colors[which] = color; };
    ImGui::StyleColorsDark(&style);
    set(ImGuiCol_Text, vectorOf(theme::text));
    set(ImGuiCol_TextDisabled, vectorOf(theme::dim));
    set(ImGuiCol_WindowBg, shade(27, 23, 40));
    set(ImGuiCol_ChildBg, shade(0, 0, 0, 0));
    set(ImGuiCol_PopupBg, shade(34, 29, 50));
    set(ImGuiCol_Border, vectorOf(theme::line));
    set(ImGuiCol_FrameBg, shade(42, 36, 60));
    set(ImGuiCol_FrameBgHovered, shade(55, 48, 79));
    set(ImGuiCol_FrameBgActive, shade(66, 58, 94));
    set(ImGuiCol_TitleBg, shade(34, 29, 50));
    set(ImGuiCol_TitleBgActive, shade(34, 29, 50));
    set(ImGuiCol_MenuBarBg, shade(34, 29, 50));
    set(ImGuiCol_ScrollbarBg, shade(0, 0, 0, 0));
    set(ImGuiCol_ScrollbarGrab, shade(66, 58, 92));
    set(ImGuiCol_CheckMark, vectorOf(theme::accent));
    set(ImGuiCol_SliderGrab, vectorOf(theme::accent));
    set(ImGuiCol_SliderGrabActive, shade(157, 187, 255));
    set(ImGuiCol_Button, shade(52, 45, 74));
    set(ImGuiCol_ButtonHovered, shade(72, 63, 104));
    set(ImGuiCol_ButtonActive, shade(92, 80, 134));
    set(ImGuiCol_Header, shade(54, 50, 88));
    set(ImGuiCol_HeaderHovered, shade(66, 61, 106));
    set(ImGuiCol_HeaderActive, shade(80, 74, 128));
    set(ImGuiCol_Separator, vectorOf(theme::line));
    set(ImGuiCol_Tab, shade(34, 29, 50));
    set(ImGuiCol_TabHovered, shade(72, 63, 104));
    set(ImGuiCol_TabActive, shade(58, 52, 90));
    set(ImGuiCol_TabUnfocused, shade(34, 29, 50));
    set(ImGuiCol_TabUnfocusedActive, shade(58, 52, 90));
    set(ImGuiCol_PlotLines, vectorOf(theme::accent));
    set(ImGuiCol_PlotHistogram, vectorOf(theme::accent));
    set(ImGuiCol_TableHeaderBg, shade(36, 31, 53));
    set(ImGuiCol_TableBorderLight, shade(44, 38, 62));
    set(ImGuiCol_TableBorderStrong, vectorOf(theme::line));
    set(ImGuiCol_TableRowBgAlt, shade(255, 255, 255, 6));
    set(ImGuiCol_TextSelectedBg, shade(122, 162, 247, 90));
    set(ImGuiCol_NavHighlight, shade(122, 162, 247, 160));
}

}  // namespace

Signs applyTheme() {
    setShapes(ImGui::GetStyle());
    setColors(ImGui::GetStyle());
    return addFonts();
}

ImU32 colorOfName(const char* name) {
    static constexpr std::array palette = {theme::accent,
                                           theme::good,
                                           theme::warm,
                                           theme::past,
                                           IM_COL32(125, 207, 255, 255),
                                           IM_COL32(255, 158, 100, 255),
                                           IM_COL32(247, 168, 208, 255),
                                           IM_COL32(158, 206, 106, 255)};
    std::uint32_t hash = 2166136261U;
    for (const char* at = name; *at != 0; ++at)
        hash = (hash ^ static_cast<unsigned char>(*at)) * 16777619U;
    return palette.at((hash ^ hash >> 16) % palette.size());
}

}  // namespace revenant::game
