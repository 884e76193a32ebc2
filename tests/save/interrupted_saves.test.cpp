// Interrupted saves: a save is written as a whole or not at all.
#ifndef _WIN32  // it forks, and limits the size of files
#ifdef __linux__
#include <sched.h>
#include <sys/mount.h>
#endif
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>

#include "save/save.hpp"
#include "tests/save/random_world.hpp"
#include "tests/scratch_folder.hpp"
#include "world/codec/file_bytes.hpp"

using namespace revenant;
using namespace revenant::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

// A save whose values tell which one it is, and too large for one write.
void fill(World& world, int number) {
    world.reset();
    for (int i = 0; i < 3000; ++i) {
        Entity entity = world.newEntity(std::to_string(number) + "." + std::to_string(i * 7919));
        entity.addComponent<Moving>({std::sin(i * 1.0 + number), number * 1.0});
        world.addEntity(entity);
    }
}

int numberOf(World& world) {
    const auto all = world.getAllManagedEntities();
    if (all.size() != 3000) return -1;
    const double number = all.front().getComponent<const Moving>().speed;
    for (const Entity& entity : all)
        if (entity.getComponent<const Moving>().speed != number) return -1;
    return static_cast<int>(number);
}

}  // namespace

TEST_CASE("a disk that is full leaves the old save whole", "[save][file]") {
    const ScratchFolder folder;
    const std::string path = folder.file("slot.sav");
    World world;
    defineAll(world);
    fill(world, 1);
    save(world, path);
    const auto before = readFile(path);
    fill(world, 2);
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    const rlimit small{before.size() / 2, limit.rlim_max};
    const auto oldHandler = std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    std::string said;
    try {
        save(world, path);
    } catch (const Error& error) {
        said = error.what();
    }
    setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, oldHandler);
    CHECK_THAT(said, ContainsSubstring("slot.sav") && ContainsSubstring("cannot be written"));
    CHECK(readFile(path) == before);
    CHECK_FALSE(std::filesystem::exists(path + ".unfinished"));
    if (std::filesystem::exists("/dev/full"))
        CHECK_THROWS_WITH(save(world, "/dev/full/x"), ContainsSubstring("/dev/full/x"));
}

#ifdef __linux__
namespace {

// Runs in a child, whose file systems are its own: what it mounts goes with it. Its exit code; none where it was not allowed to
// begin.
template <class Work>
std::optional<int> inOwnMounts(const std::string& folder, Work work) {
    constexpr int notAllowed = 77;
    const pid_t child = fork();
    if (child == 0) {
        const bool isOwn = unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
        const bool isMounted = isOwn &&
                               mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                               mount("disk", folder.c_str(), "tmpfs", 0, "size=256k") == 0;
        std::_Exit(isMounted ? work() : notAllowed);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status)) return -1;
    if (WEXITSTATUS(status) == notAllowed) return std::nullopt;
    return WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("a file system without room leaves the old save whole, at any byte", "[save][file]") {
    const ScratchFolder folder;
    World world;
    defineAll(world);
    const auto code = inOwnMounts(folder.path(), [&] {
        const std::string path = folder.file("slot.sav");
        const std::string ballast = folder.file("ballast");
        fill(world, 1);
        save(world, path);
        const auto before = readFile(path);
        fill(world, 2);
        int refused = 0;
        // Less and less room is left for the new one, down to none.
        for (std::size_t taken = 256 * 1024 - before.size(); taken > 4096; taken -= 4096) {
            std::FILE* file = std::fopen(ballast.c_str(), "wb");
            const std::vector<char> bytes(taken - 4096);
            const bool isWritten = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
            if (std::fclose(file) != 0 || !isWritten) continue;
            try {
                save(world, path);
                break;
            } catch (const Error& error) {
                if (!std::string_view(error.what()).ends_with(std::strerror(ENOSPC))) return 2;
                ++refused;
            }
            if (readFile(path) != before) return 3;
            if (std::filesystem::exists(path + ".unfinished")) return 4;
        }
        World other;
        defineAll(other);
        load(other, path);
        return refused > 3 && numberOf(other) == 2 ? 0 : 5;
    });
    if (!code) SKIP("no file system can be mounted here");
    CHECK(*code == 0);
}
#endif

TEST_CASE("a folder that may not be written to keeps its saves", "[save][file]") {
    namespace fs = std::filesystem;
    const ScratchFolder folder;
    const std::string path = folder.file("slot.sav");
    World world;
    defineAll(world);
    fill(world, 1);
    save(world, path);
    const auto before = readFile(path);
    fs::permissions(path, fs::perms::all);
    fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec |
                                       fs::perms::others_read | fs::perms::others_exec);
    const pid_t child = fork();
    if (child == 0) {
        constexpr uid_t nobody = 65534;
        if (geteuid() == 0 && setuid(nobody) != 0) std::_Exit(77);
        try {
            save(world, path);
        } catch (const Error& error) {
            const bool isSaid = std::string_view(error.what()).ends_with(std::strerror(EACCES));
            std::_Exit(isSaid ? 0 : 2);
        }
        std::_Exit(1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    fs::permissions(folder.path(), fs::perms::owner_all);
    REQUIRE(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) SKIP("the user cannot be changed here");
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(readFile(path) == before);
}

TEST_CASE("a save replaces files alone, and keeps links and permissions", "[save][file]") {
    namespace fs = std::filesystem;
    const ScratchFolder folder;
    World world;
    defineAll(world);
    fill(world, 1);
    const std::string pipe = folder.file("pipe");
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    CHECK_THROWS_WITH(save(world, pipe), ContainsSubstring("device or a pipe"));
    CHECK(fs::is_fifo(pipe));
    CHECK_THROWS_WITH(load(world, pipe), ContainsSubstring("device or a pipe"));
    CHECK_THROWS_WITH(save(world, folder.path()), ContainsSubstring("it is a folder"));

    const std::string target = folder.write("target.sav", "old");
    const std::string link = folder.file("link.sav");
    fs::create_symlink("target.sav", link);
    fs::permissions(target, fs::perms::owner_read | fs::perms::owner_write);
    const std::string precious = folder.write("precious", "not a save");
    fs::create_symlink("precious", target + ".unfinished");
    save(world, link);
    CHECK(fs::is_symlink(link));
    CHECK(fs::is_regular_file(fs::symlink_status(target)));
    CHECK(fs::status(target).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
    CHECK(fs::file_size(precious) == 10);
    load(world, target);
    CHECK(world.validate().empty());
}

TEST_CASE("a process that is killed at any byte of a save leaves the old one whole",
          "[save][file]") {
    const ScratchFolder folder;
    const std::string path = folder.file("slot.sav");
    World world;
    defineAll(world);
    fill(world, 1);
    save(world, path);
    const auto before = readFile(path);
    fill(world, 2);
    constexpr std::size_t steps = 24;
    for (std::size_t step = 0; step < steps; ++step) {
        const pid_t child = fork();
        if (child == 0) {
            // The write that goes beyond the limit is the last thing the process does.
            std::signal(SIGXFSZ, SIG_DFL);
            const rlimit core{0, 0};
            setrlimit(RLIMIT_CORE, &core);
            const rlimit limit{before.size() * step / steps, before.size()};
            setrlimit(RLIMIT_FSIZE, &limit);
            save(world, path);
            std::_Exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        CHECK(WIFSIGNALED(status));
        if (readFile(path) != before) FAIL("cut at step " << step);
    }
    // The next save replaces what was left half written.
    save(world, path);
    World other;
    defineAll(other);
    load(other, path);
    CHECK(numberOf(other) == 2);
    CHECK_FALSE(std::filesystem::exists(path + ".unfinished"));
}

TEST_CASE("a process that is killed while it saves leaves a whole save", "[save][file]") {
    const ScratchFolder folder;
    const std::string path = folder.file("slot.sav");
    World world;
    defineAll(world);
    fill(world, 1);
    save(world, path);
    World other;
    defineAll(other);
    for (int round = 0; round < 12; ++round) {
        const pid_t child = fork();
        if (child == 0) {
            for (int number = 2;; ++number) {
                fill(world, number);
                save(world, path);
            }
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5 + 7 * round));
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        load(other, path);
        CHECK(numberOf(other) >= 1);
    }
}
#endif
