#include "game/host/options.hpp"

#include <charconv>
#include <filesystem>
#include <string_view>

#include "game/inspector/inspector.hpp"
#include "world/error.hpp"

namespace revenant::game {

namespace {

class Arguments {
public:
    explicit Arguments(std::span<const char* const> all) : all_(all) {}

    bool empty() const noexcept { return at_ == all_.size(); }
    std::string_view next() { return option_ = all_[at_++]; }
    std::string value(const char* what) {
        if (empty() || std::string_view(all_[at_]).substr(0, 2) == "--")
            fail(ErrorCode::BadArgument, option_, " needs ", what, " behind it");
        return all_[at_++];
    }
    template <class Number>
    Number number(const char* what) {
        const std::string text = value(what);
        Number parsed{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
        if (error != std::errc() || end != text.data() + text.size() || parsed < 0)
            fail(ErrorCode::BadArgument, option_, " needs ", what, ", not '", text, "'");
        return parsed;
    }

private:
    std::span<const char* const> all_;
    std::size_t at_ = 0;
    std::string_view option_;
};

void refuseTogether(bool one, bool other, const char* names) {
    if (one && other) fail(ErrorCode::BadArgument, names, " exclude each other");
}

}  // namespace

Options parseOptions(std::span<const char* const> all) {
    Options options;
    Arguments arguments(all);
    while (!arguments.empty()) {
        const std::string_view option = arguments.next();
        if (option == "--help" || option == "-h")
            options.help = true;
        else if (option == "--game")
            options.gameFolder = arguments.value("a folder");
        else if (option == "--level")
            options.level = arguments.value("a number or a file");
        else if (option == "--seed")
            options.seed = arguments.number<std::uint64_t>("a number");
        else if (option == "--headless")
            options.headless = true;
        else if (option == "--inspector")
            options.inspector = true;
        else if (option == "--mute")
            options.mute = true;
        else if (option == "--frames")
            options.frames = arguments.number<std::int64_t>("a number of steps");
        else if (option == "--record")
            options.record = arguments.value("a file");
        else if (option == "--replay")
            options.replay = arguments.value("a file");
        else if (option == "--script")
            options.script = arguments.value("a file");
        else if (option == "--history")
            options.history = arguments.value("a file");
        else if (option == "--save-history")
            options.saveHistory = arguments.value("a file");
        else if (option == "--panel") {
            options.panel = arguments.value("a panel");
            if (!isPanelName(options.panel))
                fail(ErrorCode::BadArgument, "--panel: there is no panel '", options.panel,
                     "', only systems, views, history, difference and sync");
        } else if (option == "--at")
            options.at = arguments.number<std::int64_t>("a frame");
        else if (option == "--compare") {
            const auto first = arguments.number<std::int64_t>("two frames");
            options.compare = {first, arguments.number<std::int64_t>("two frames")};
        } else if (option == "--demonstrate")
            options.demonstrate = arguments.value("a folder");
        else if (option == "--screenshot") {
            const auto frame = arguments.number<std::int64_t>("a step and a file");
            options.screenshots.push_back({frame, arguments.value("a step and a file")});
        } else
            fail(ErrorCode::BadArgument, "there is no option '", option, "'; --help lists them");
    }
    refuseTogether(!options.replay.empty(), !options.script.empty(), "--replay and --script");
    refuseTogether(!options.history.empty(), !options.record.empty(), "--history and --record");
    refuseTogether(!options.history.empty(), !options.replay.empty(), "--history and --replay");
    refuseTogether(!options.history.empty(), !options.script.empty(), "--history and --script");
    return options;
}

std::string usage(const std::string& program) {
    return "usage: " + program + R"( [OPTION...]

  --level LEVEL            begin with this level: a number, or the path of a level file
  --seed NUMBER            of the world's random numbers
  --inspector              open the inspector (F1 does, too)
  --mute                   no sound

  --script FILE            play the inputs of a log, then hand over to the player
  --record FILE            write the inputs, and hashes of what came of them, to a log
  --replay FILE            play a log and compare the hashes; fails at the first that differs
  --save-history FILE      write the history of the run's last seconds when it ends
  --history FILE           look at such a history, without the game running

  --panel NAME             the panel that the inspector opens: systems, views, history, difference, sync
  --at FRAME               the frame of the history that it shows
  --compare FRAME FRAME    the frames whose difference it shows

  --headless               no window and no sound; prints a summary at the end
  --frames N               end after N steps of 1/60 second
  --screenshot FRAME FILE  a PNG picture of what is seen after step FRAME (more may be given);
                           with --inspector, of that; with --history, of that frame of the history
  --demonstrate FOLDER     play, rewind, play again and compare, headless; pictures go to the folder
  --game FOLDER            the folder with main.lua
  --help                   say this

Keys: arrows or A D W S, space or Z to jump, X or E to act, left Shift, Backspace or R to rewind,
P to pause, comma and period to step, F5 to restart the level, Enter to confirm, F1 for the
inspector, F11 for the whole screen, Escape to quit. Gamepads: stick or cross, A, X, either trigger.

Exit status: 0; 1 when the game raised an error (headless), a file could not be read or written, or a
replay differed; 2 for bad options; 3 when there is no display.
)";
}

std::string findGameFolder(const Options& options, const std::string& executable) {
    namespace fs = std::filesystem;
    if (!options.gameFolder.empty()) {
        if (!fs::is_directory(options.gameFolder))
            fail(ErrorCode::BadArgument, "--game: there is no folder '", options.gameFolder, "'");
        return options.gameFolder;
    }
    std::error_code ignored;
    fs::path at = fs::weakly_canonical(executable, ignored).parent_path();
    const fs::path candidates[] = {at / "game", at / "../share/revenant/game",
                                   fs::path(REVENANT_GAME_FOLDER)};
    for (const fs::path& folder : candidates)
        if (fs::exists(folder / "main.lua", ignored)) return folder.string();
    fail(ErrorCode::BadArgument, "cannot find the game's folder; name it with --game FOLDER");
}

}  // namespace revenant::game
