#include "game/host/game_script.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>

#include "game/host/pixel_font.hpp"
#include "world/error.hpp"

namespace revenant::game {

namespace {

constexpr std::int64_t largestImage = 8192;  // pixels along a side
constexpr std::size_t mostImages = 65536;

int coordinate(const ScriptCall& call, int position, const char* name) {
    return static_cast<int>(
        std::clamp<std::int64_t>(call.integer(position, name), -1 << 24, 1 << 24));
}

Color colorOf(const ScriptCall& call, int position, const char* name) {
    const std::int64_t number = call.integer(position, name);
    if (number < 0 || number > 0xFFFFFFFF)
        fail(ErrorCode::BadArgument, call.function(), ": argument ", position, " (", name,
             ") must be a colour 0xRRGGBBAA, not ", number);
    return Color::of(static_cast<std::uint32_t>(number));
}

int scaleOf(const ScriptCall& call, int position) {
    if (!call.has(position)) return 1;
    const std::int64_t scale = call.integer(position, "scale");
    if (scale < 1 || scale > 64)
        fail(ErrorCode::BadArgument, call.function(), ": scale must be 1 to 64, not ", scale);
    return static_cast<int>(scale);
}

double between(const ScriptCall& call, int position, const char* name, double least, double most) {
    const double number = call.number(position, name);
    if (number < least || number > most)
        fail(ErrorCode::BadArgument, call.function(), ": argument ", position, " (", name,
             ") must be ", least, " to ", most, ", not ", number);
    return number;
}

// The argument of `start`: a level that is a number is passed as one.
Value levelValue(const std::string& text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) return number;
    return text;
}

}  // namespace

GameScript::GameScript(std::string folder, Canvas& canvas, const StepInput& input,
                       SoundDevice& sound, bool isHeadless)
    : folder_(std::move(folder)), canvas_(canvas), script_("host") {
    script_.addModuleFolder(folder_);
    script_.setField("width", std::int64_t{canvas.width()});
    script_.setField("height", std::int64_t{canvas.height()});
    script_.setField("headless", isHeadless);
    defineInput(input);
    defineCanvas();
    defineSound(sound);
    defineFiles();
}

void GameScript::attempt(const char* what, const std::function<void()>& call) {
    try {
        call();
    } catch (const std::exception& error) {
        errors_.add(what, error.what());
    }
}

void GameScript::start(const StartOptions& options) {
    attempt("main.lua", [&] { script_.load(folder_ + "/main.lua"); });
    if (!script_.isLoaded()) return;
    ScriptTable table;
    if (options.level) table["level"] = levelValue(*options.level);
    if (options.seed) table["seed"] = static_cast<std::int64_t>(*options.seed);
    attempt("start", [&] { script_.call("start", table); });
}

void GameScript::step(double seconds) {
    if (!script_.isLoaded()) return;  // what it raised stays to be seen
    errors_.advance();
    attempt("step", [&] { script_.call("step", {seconds}); });
}

void GameScript::draw(double alpha) {
    if (script_.isLoaded())
        attempt("draw", [&] { script_.call("draw", {alpha}); });
    else
        canvas_.clear(Color::of(0x161222FF));
    errors_.draw(canvas_);
}

void GameScript::refresh() {
    if (script_.hasFunction("refresh")) attempt("refresh", [&] { script_.call("refresh"); });
}

ScriptTable GameScript::summary() {
    ScriptTable table;
    if (script_.isLoaded()) attempt("summary", [&] { table = script_.callForTable("summary"); });
    return table;
}

void GameScript::defineInput(const StepInput& input) {
    const auto define = [&](const char* name, bool (StepInput::*ask)(Action) const noexcept) {
        script_.addMethod("input", name, [&input, ask](ScriptCall& call) {
            const auto action = actionOf(call.text(1, "action"));
            if (!action)
                fail(ErrorCode::BadArgument, call.function(), ": there is no action '",
                     call.text(1, "action"), "'");
            call.give((input.*ask)(*action));
        });
    };
    define("isDown", &StepInput::isDown);
    define("wasPressed", &StepInput::wasPressed);
    define("wasReleased", &StepInput::wasReleased);
}

void GameScript::defineCanvas() {
    script_.addMethod("canvas", "clear",
                      [this](ScriptCall& call) { canvas_.clear(colorOf(call, 1, "color")); });
    script_.addMethod("canvas", "newImage", [this](ScriptCall& call) {
        const std::int64_t width = call.integer(1, "width");
        const std::int64_t height = call.integer(2, "height");
        const std::string_view bytes = call.text(3, "pixels");
        if (width < 1 || height < 1 || width > largestImage || height > largestImage)
            fail(ErrorCode::BadArgument, call.function(), ": an image of ", width, " x ", height,
                 " pixels; each side must be 1 to ", largestImage);
        if (bytes.size() != static_cast<std::size_t>(width * height * 4))
            fail(ErrorCode::BadArgument, call.function(), ": ", width, " x ", height,
                 " pixels are ", width * height * 4, " bytes, not ", bytes.size());
        if (images_.size() == mostImages)
            fail(ErrorCode::LimitReached, call.function(), ": there are ", mostImages,
                 " images already; make them once, not per frame");
        Image image{static_cast<int>(width), static_cast<int>(height), {}};
        image.pixels.resize(static_cast<std::size_t>(width * height));
        std::memcpy(static_cast<void*>(image.pixels.data()), bytes.data(), bytes.size());
        images_.push_back(std::move(image));
        call.give(static_cast<double>(images_.size()));
    });
    script_.addMethod("canvas", "draw", [this](ScriptCall& call) {
        const std::int64_t number = call.integer(1, "image");
        if (number < 1 || number > static_cast<std::int64_t>(images_.size()))
            fail(ErrorCode::BadArgument, call.function(), ": there is no image ", number);
        const Image& image = images_[static_cast<std::size_t>(number - 1)];
        DrawOptions options{{0, 0, image.width, image.height}};
        if (call.has(4))
            options.source = {coordinate(call, 4, "sx"), coordinate(call, 5, "sy"),
                              coordinate(call, 6, "sw"), coordinate(call, 7, "sh")};
        if (call.has(8)) options.flipX = call.boolean(8, "flipX");
        if (call.has(9)) options.tint = colorOf(call, 9, "tint");
        canvas_.draw(image, coordinate(call, 2, "x"), coordinate(call, 3, "y"), options);
    });
    script_.addMethod("canvas", "rect", [this](ScriptCall& call) {
        canvas_.rect({coordinate(call, 1, "x"), coordinate(call, 2, "y"), coordinate(call, 3, "w"),
                      coordinate(call, 4, "h")},
                     colorOf(call, 5, "color"));
    });
    script_.addMethod("canvas", "line", [this](ScriptCall& call) {
        canvas_.line(coordinate(call, 1, "x1"), coordinate(call, 2, "y1"),
                     coordinate(call, 3, "x2"), coordinate(call, 4, "y2"),
                     colorOf(call, 5, "color"));
    });
    script_.addMethod("canvas", "text", [this](ScriptCall& call) {
        canvas_.text(coordinate(call, 1, "x"), coordinate(call, 2, "y"), call.text(3, "string"),
                     colorOf(call, 4, "color"), scaleOf(call, 5));
    });
    script_.addMethod("canvas", "textWidth", [](ScriptCall& call) {
        call.give(static_cast<double>(textWidth(call.text(1, "string"), scaleOf(call, 2))));
    });
    script_.addMethod("canvas", "grade", [this](ScriptCall& call) {
        canvas_.grade(between(call, 1, "saturation", 0, 4), colorOf(call, 2, "color"),
                      between(call, 3, "strength", 0, 1));
    });
}

void GameScript::defineSound(SoundDevice& sound) {
    script_.addMethod("sound", "play", [&sound](ScriptCall& call) {
        const auto effect = effectOf(call.text(1, "name"));
        if (!effect)
            fail(ErrorCode::BadArgument, call.function(), ": there is no sound '",
                 call.text(1, "name"), "'");
        const double volume = call.has(2) ? between(call, 2, "volume", 0, 1) : 1;
        const double pitch = call.has(3) ? between(call, 3, "pitch", 0.1, 8) : 1;
        sound.play(*effect, volume, pitch);
    });
    script_.addMethod("sound", "setRewind", [&sound](ScriptCall& call) {
        sound.setRewind(between(call, 1, "speed", 0, 1e6));
    });
}

void GameScript::defineFiles() {
    script_.addFunction("readFile", [this](ScriptCall& call) {
        const std::string path(call.text(1, "path"));
        std::ifstream file(folder_ + "/" + path, std::ios::binary);
        std::ostringstream text;
        if (path.empty() || !file || !(text << file.rdbuf()))
            fail(ErrorCode::BadArgument, call.function(), ": cannot read '", path,
                 "' in the game's folder");
        call.give(text.str());
    });
}

}  // namespace revenant::game
