#include "game/host/canvas.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "game/host/pixel_font.hpp"
#include "game/host/png_file.hpp"
#include "tests/scratch_folder.hpp"
#include "world/error.hpp"

using namespace revenant::game;

namespace {

constexpr Color black = Color::of(0x000000FF);
constexpr Color white = Color::of(0xFFFFFFFF);
constexpr Color red = Color::of(0xFF0000FF);
constexpr Color green = Color::of(0x00FF00FF);

std::size_t countOf(const Canvas& canvas, Color color) {
    return static_cast<std::size_t>(std::ranges::count(canvas.pixels(), color));
}

// Two pixels: red, green.
const Image pair = {2, 1, {red, green}};

}  // namespace

TEST_CASE("a rectangle fills exactly its pixels, and is cut off at the edges", "[game][host]") {
    Canvas canvas(10, 10);
    canvas.clear(black);
    canvas.rect({2, 3, 4, 2}, white);
    CHECK(countOf(canvas, white) == 8);
    CHECK(canvas.at(2, 3) == white);
    CHECK(canvas.at(5, 4) == white);
    CHECK(canvas.at(6, 4) == black);
    canvas.clear(black);
    canvas.rect({-5, -5, 100000000, 7}, white);
    CHECK(countOf(canvas, white) == 20);
    canvas.rect({3, 3, -4, -4}, red);
    canvas.rect({30, 3, 4, 4}, red);
    CHECK(countOf(canvas, red) == 0);
}

TEST_CASE("colours are blended by their alpha, and the canvas stays opaque", "[game][host]") {
    Canvas canvas(1, 1);
    canvas.clear(Color::of(0x00000000));
    CHECK(canvas.at(0, 0) == black);
    canvas.rect({0, 0, 1, 1}, Color::of(0xFFFFFF80));
    CHECK(canvas.at(0, 0) == Color::of(0x808080FF));
    canvas.rect({0, 0, 1, 1}, Color::of(0xFF000000));
    CHECK(canvas.at(0, 0) == Color::of(0x808080FF));
}

TEST_CASE("a line draws both its ends, in any direction", "[game][host]") {
    for (const auto& [x, y] : {std::pair{9, 9}, {9, 4}, {4, 9}, {9, 0}, {0, 9}}) {
        Canvas canvas(10, 10);
        canvas.clear(black);
        canvas.line(0, 0, x, y, white);
        CHECK(canvas.at(0, 0) == white);
        CHECK(canvas.at(x, y) == white);
        CHECK(countOf(canvas, white) == static_cast<std::size_t>(std::max(x, y) + 1));
        Canvas back(10, 10);
        back.clear(black);
        back.line(x, y, 0, 0, white);
        CHECK(countOf(back, white) == countOf(canvas, white));
    }
    Canvas canvas(10, 10);
    canvas.clear(black);
    canvas.line(-5, 5, 20, 5, white);
    CHECK(countOf(canvas, white) == 10);
}

TEST_CASE("an image is drawn as it is, mirrored, tinted, or in part", "[game][host]") {
    Canvas canvas(4, 1);
    canvas.clear(black);
    canvas.draw(pair, 1, 0, {{0, 0, 2, 1}});
    CHECK(canvas.at(1, 0) == red);
    CHECK(canvas.at(2, 0) == green);
    canvas.draw(pair, 1, 0, {{0, 0, 2, 1}, true});
    CHECK(canvas.at(1, 0) == green);
    CHECK(canvas.at(2, 0) == red);
    canvas.clear(black);
    canvas.draw(pair, 0, 0, {{1, 0, 1, 1}, false, Color::of(0x408040FF)});
    CHECK(canvas.at(0, 0) == Color::of(0x008000FF));
    CHECK(canvas.at(1, 0) == black);
}

TEST_CASE("what of an image lies outside moves nothing else", "[game][host]") {
    Canvas canvas(3, 1);
    canvas.clear(black);
    canvas.draw(pair, -1, 0, {{0, 0, 2, 1}});
    CHECK(canvas.at(0, 0) == green);
    canvas.clear(black);
    canvas.draw(pair, 2, 0, {{0, 0, 2, 1}, true});
    CHECK(canvas.at(2, 0) == green);
    // A source larger than the image, to all sides: the image stands where it would.
    canvas.clear(black);
    canvas.draw(pair, 0, 0, {{-1, -3, 100, 100}});
    CHECK(canvas.at(0, 0) == black);  // three rows above the image
    canvas.draw(pair, 0, -3, {{-1, -3, 100, 100}});
    CHECK(canvas.at(0, 0) == black);
    CHECK(canvas.at(1, 0) == red);
    CHECK(canvas.at(2, 0) == green);
    canvas.clear(black);
    canvas.draw(pair, 0, 0, {{-1, 0, 4, 1}, true});
    CHECK(canvas.at(0, 0) == black);
    CHECK(canvas.at(1, 0) == green);
    CHECK(canvas.at(2, 0) == red);
}

TEST_CASE("grading by nothing changes nothing; without saturation all is grey; a tint multiplies",
          "[game][host]") {
    Canvas canvas(2, 1);
    canvas.clear(black);
    canvas.draw(pair, 0, 0, {{0, 0, 2, 1}});
    canvas.grade(1, Color::of(0x123456FF), 0);
    CHECK(canvas.at(0, 0) == red);
    CHECK(canvas.at(1, 0) == green);
    canvas.grade(0, white, 0);
    for (const Color pixel : canvas.pixels()) {
        CHECK(pixel.r == pixel.g);
        CHECK(pixel.g == pixel.b);
    }
    CHECK(canvas.at(1, 0).g > canvas.at(0, 0).g);
    canvas.clear(white);
    canvas.grade(1, red, 1);
    CHECK(canvas.at(0, 0) == red);
}

TEST_CASE("text is as wide as it says, line by line and at any scale", "[game][host]") {
    const auto widthOf = [](std::string_view text, int scale) {
        Canvas canvas(300, 60);
        canvas.clear(black);
        canvas.text(0, 0, text, white, scale);
        int right = 0;
        for (int y = 0; y < canvas.height(); ++y)
            for (int x = 0; x < canvas.width(); ++x)
                if (canvas.at(x, y) == white) right = std::max(right, x + 1);
        return right;
    };
    for (const char* text :
         {"A", "Hello, World!", "0123456789", "frame 12\nMM", "\u25B6 \u2026 \u00D7"}) {
        CHECK(widthOf(text, 1) == textWidth(text));
        CHECK(widthOf(text, 2) == textWidth(text, 2));
    }
    CHECK(textWidth("") == 0);
    CHECK(widthOf("\xFF\xFE", 1) == textWidth("\xFF\xFE"));  // no UTF-8: boxes
}

TEST_CASE("every printable letter of ASCII has a glyph of its own", "[game][host]") {
    const Glyph& box = glyphOf(0x10FFFF);
    for (char32_t letter = U' '; letter <= U'~'; ++letter) {
        INFO("letter " << static_cast<unsigned>(letter));
        CHECK(&glyphOf(letter) != &box);
    }
}

TEST_CASE("a picture that is written can be read back; where it cannot be, a sentence says so",
          "[game][host]") {
    const revenant::ScratchFolder folder;
    const std::string path = folder.file("pair.png");
    writePng(path, 2, 1, pair.pixels, 3);
    const Image read = readPng(path);
    CHECK(read.width == 6);
    CHECK(read.height == 3);
    CHECK(read.pixels[2] == red);
    CHECK(read.pixels[3] == green);
    std::filesystem::remove(path);
    CHECK_THROWS_AS(readPng(path), revenant::Error);
    CHECK_THROWS_AS(writePng("/no/such/folder/a.png", 2, 1, pair.pixels), revenant::Error);
}
