#include "game/host/error_report.hpp"

#include <cstdio>
#include <string_view>
#include <vector>

#include "game/host/canvas.hpp"
#include "game/host/pixel_font.hpp"
#include "world/error.hpp"

namespace revenant::game {

namespace {

constexpr int margin = 8;
constexpr std::size_t mostLines = 18;

// Breaks a text into lines that fit, at spaces where possible.
std::vector<std::string> wrap(std::string_view text, int width) {
    std::vector<std::string> lines;
    std::string line;
    std::size_t lastSpace = std::string::npos;
    for (const char letter : text) {
        if (letter == '\n') {
            lines.push_back(std::move(line));
            line.clear();
            lastSpace = std::string::npos;
            continue;
        }
        if (letter == ' ') lastSpace = line.size();
        if (letter == '\t')
            line += "  ";
        else
            line += letter;
        if (textWidth(line) <= width) continue;
        const std::size_t cut =
            lastSpace == std::string::npos || lastSpace == 0 ? line.size() - 1 : lastSpace;
        std::string rest = line.substr(cut + (line[cut] == ' ' ? 1 : 0));
        line.resize(cut);
        lines.push_back(std::move(line));
        line = "  " + rest;
        lastSpace = std::string::npos;
    }
    if (!line.empty()) lines.push_back(std::move(line));
    return lines;
}

}  // namespace

void ErrorReport::add(const std::string& where, const std::string& text) {
    ++count_;
    const std::string full = sentence("in ", where, ": ", text);
    if (said_.insert(full).second) std::fprintf(stderr, "%s\n", full.c_str());
    if (isShown() && full != text_) return;  // the first of several is what matters
    repeats_ = full == text_ ? repeats_ + 1 : 1;
    text_ = full;
    stepsLeft_ = shownSteps;
}

void ErrorReport::advance() noexcept {
    if (stepsLeft_ > 0) --stepsLeft_;
}

void ErrorReport::draw(Canvas& canvas) const {
    if (!isShown()) return;
    std::vector<std::string> lines = wrap(text_, canvas.width() - 4 * margin);
    if (lines.size() > mostLines) {
        lines.resize(mostLines);
        lines.emplace_back("…");
    }
    const int height = static_cast<int>(lines.size() + 2) * fontLineHeight + margin;
    canvas.rect({margin, margin, canvas.width() - 2 * margin, height}, Color::of(0x1B1023E8));
    canvas.rect({margin, margin, canvas.width() - 2 * margin, 1}, Color::of(0xFF6B7DFF));
    canvas.rect({margin, margin, 2, height}, Color::of(0xFF6B7DFF));
    const std::string title = repeats_ > 1 ? sentence("A script raised an error (", repeats_,
                                                      " times). The game goes on.")
                                           : "A script raised an error. The game goes on.";
    int y = margin + 5;
    canvas.text(2 * margin, y, title, Color::of(0xFF9AA8FF));
    y += fontLineHeight + 4;
    Color color = Color::of(0xFFF4E0FF);
    for (const std::string& line : lines) {
        if (line.rfind("stack traceback:", 0) == 0) color = Color::of(0xA99BB8FF);
        canvas.text(2 * margin, y, line, color);
        y += fontLineHeight;
    }
}

}  // namespace revenant::game
