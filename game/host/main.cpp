// The game's host. Its options are in options.cpp.
#include <cstdio>
#include <exception>
#include <span>

#include "game/host/demonstration.hpp"
#include "game/host/headless_run.hpp"
#include "game/host/history_run.hpp"
#include "game/host/options.hpp"
#include "game/host/window.hpp"
#include "game/host/windowed_run.hpp"

using namespace revenant::game;

namespace {

int run(const Options& options, const char* program) {
    if (!options.history.empty()) return runHistory(options);
    const std::string folder = findGameFolder(options, program);
    if (!options.demonstrate.empty()) return demonstrate(options, folder);
    if (options.headless) return runHeadless(options, folder);
    return runWindowed(options, folder);
}

}  // namespace

int main(int count, char** arguments) {
    const char* program = arguments[0];
    Options options;
    try {
        options = parseOptions(std::span<const char* const>(arguments + 1, arguments + count));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", program, error.what());
        return 2;
    }
    if (options.help) {
        std::fputs(usage(program).c_str(), stdout);
        return 0;
    }
    try {
        return run(options, program);
    } catch (const NoDisplay& error) {
        std::fprintf(stderr, "%s: there is no display (%s); --headless needs none\n", program,
                     error.what());
        return 3;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", program, error.what());
        return 1;
    }
}
