// The game's host: see options.cpp for what it can be asked for.
#include <cstdio>
#include <exception>
#include <span>

#include "game/host/headless_run.hpp"
#include "game/host/options.hpp"

using namespace revenant::game;

int main(int count, char** arguments) {
    Options options;
    std::string folder;
    try {
        options = parseOptions(std::span<const char* const>(arguments + 1, arguments + count));
        if (options.help) {
            std::fputs(usage(arguments[0]).c_str(), stdout);
            return 0;
        }
        folder = findGameFolder(options, arguments[0]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", arguments[0], error.what());
        return 2;
    }
    try {
        return runHeadless(options, folder);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", arguments[0], error.what());
        return 1;
    }
}
