// Small saves that claim to be huge: refused, and the memory that this takes is bounded.
#ifndef _WIN32
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <functional>

#include "save/save.hpp"
#include "tests/save/random_world.hpp"
#include "tests/save/save_envelope.hpp"

#ifdef _WIN32  // last: its macros get in the way of names
#define WIN32_LEAN_AND_MEAN
// clang-format off
#include <windows.h>
#include <psapi.h>
// clang-format on
#endif

using namespace revenant;
using namespace revenant::tests;

namespace {

// What unpacking alone may take, and the rest of the claims: see freeBytes.
constexpr std::size_t bodyBytes = freeBytes - 64;
#if defined(__SANITIZE_ADDRESS__)
constexpr long mostTimes = 12;
constexpr long keptMebibytes = 256;   // of what was freed, by default
constexpr long mostMebibytes = 1600;  // a sanitizer keeps what was freed, and pads the rest
#else
constexpr long mostTimes = 3;
constexpr long keptMebibytes = 0;
constexpr long mostMebibytes = 400;
#endif

// Fills the rest of the body with a byte.
std::vector<std::byte> filled(ByteWriter& out, std::uint8_t filling) {
    const auto rest = out.room(bodyBytes - out.size());
    std::ranges::fill(rest, static_cast<std::byte>(filling));
    return wrapBody(out.bytes());
}

void strings(ByteWriter& out) {
    out.number(1);
    out.text("a");
}

// A component, one makeup with it, and as many entities as there is room for.
void stateful(ByteWriter& out, std::size_t entities) {
    strings(out);
    out.number(1);
    out.text("PlainCMP");
    out.number(1);
    out.plain(std::uint8_t{2});
    out.number(0);
    out.number(1);  // makeups
    out.number(1), out.number(0), out.number(0);
    out.number(entities);
    for (std::size_t i = 0; i < entities; ++i) out.plain(std::uint8_t{3});
    for (std::size_t i = 0; i < 2 * entities; ++i) out.number(0);
    for (std::size_t i = 0; i < entities; ++i) out.signedNumber(1);
    for (std::size_t i = 0; i < entities; ++i) out.number(0);
}

void emptyWorld(ByteWriter& out) {
    for (int i = 0; i < 4; ++i) out.number(0);  // strings, components, makeups, entities
    out.plain(0.0);
    out.number(0);
    for (int i = 0; i < 4; ++i) out.plain(std::uint64_t{1});
    for (int i = 0; i < 4; ++i) out.number(0);
}

// What comes before the rest, whatever that is.
const std::string jsonHead =
    R"({"format":"revenant save","version":1,"world":{"time":1,"tick":1,"random":[1,2,3,4],)"
    R"("draws":0,"lastSerial":9},"components":{},)";
std::string many(const std::string& part) {
    std::string text;
    for (int i = 0; i < 1 << 22; ++i) text += part;
    return text;
}

struct Bomb {
    const char* name;
    std::function<std::vector<std::byte>()> make;
};

const Bomb bombs[] = {
    {"zeros",
     [] {
         ByteWriter out;
         return filled(out, 0);
     }},
    {"strings",
     [] {
         ByteWriter out;
         out.number(bodyBytes / 2 - 8);
         return filled(out, 1);
     }},
    {"fields",
     [] {
         ByteWriter out;
         strings(out);
         out.number(1);
         out.text("A");
         out.number(1);
         out.plain(std::uint8_t{0});
         out.number(bodyBytes / 4 - 99);
         return filled(out, 1);
     }},
    {"makeups",
     [] {
         ByteWriter out;
         strings(out);
         out.number(0);
         out.number(bodyBytes / 7 - 99);
         return filled(out, 0);
     }},
    {"entities",
     [] {
         ByteWriter out;
         strings(out);
         out.number(0);
         out.number(1), out.number(0), out.number(0);
         out.number(bodyBytes / 5 - 99);
         return filled(out, 0);
     }},
    {"states",
     [] {
         ByteWriter out;
         stateful(out, bodyBytes / 9);
         return filled(out, 1);
     }},
    {"values in values",
     [] {
         ByteWriter out;
         emptyWorld(out);
         out.number(1);
         out.text("r");
         ByteWriter value;
         for (int depth = 0; depth < 90; ++depth) {
             value.plain(std::uint8_t{6});
             value.number(bodyBytes - 1000);
         }
         value.room(bodyBytes - 900 - value.size());
         out.sized(value.bytes());
         return filled(out, 0);
     }},
    {"values",
     [] {
         ByteWriter out;
         emptyWorld(out);
         out.number(1);
         out.text("r");
         ByteWriter value;
         value.plain(std::uint8_t{6});
         value.number(bodyBytes - 1000);
         value.room(bodyBytes - 1000);
         out.sized(value.bytes());
         return filled(out, 0);
     }},
    {"systems",
     [] {
         ByteWriter out;
         emptyWorld(out);
         out.number(0);
         out.number(bodyBytes / 10 - 99);
         return filled(out, 0);
     }},
    {"deep JSON",
     [] { return bytesOf(jsonHead + R"("resources":{"a":)" + std::string(4 << 20, '[')); }},
    {"wide JSON",
     [] { return bytesOf(jsonHead + R"("resources":{"a":[)" + many("[],") + "1]}}"); }},
    {"a wide entity",
     [] { return bytesOf(jsonHead + R"("entities":[{"name":[)" + many("{},") + "1]}]}"); }},
    {"wide JSON that is not read",
     [] { return bytesOf("{\"entities\":[" + many("[],") + "1],\"format\":3}"); }},
    {"many members",
     [] {
         std::string text = jsonHead + R"("systems":{)";
         for (int i = 0; i < 1 << 19; ++i)
             text += "\"" + std::to_string(i) + R"(":{"accumulatedSeconds":0},)";
         return bytesOf(text + "\"0\":3}}");
     }},
};

long peakMebibytes() {
#ifdef _WIN32
    PROCESS_MEMORY_COUNTERS counters{};
    K32GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters);
    return static_cast<long>(counters.PeakWorkingSetSize >> 20);
#else
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
#endif
}

// 0: refused within bounds.
int tryBomb(const std::vector<std::byte>& save) {
    World world;
    defineAll(world);
    const long before = peakMebibytes();
    try {
        loadFromBytes(world, save);
        return 1;
    } catch (const Error& error) {
        if (std::string_view(error.what()).empty()) return 2;
    } catch (...) {
        return 3;
    }
    return peakMebibytes() - before > mostMebibytes ? 4 : 0;
}

// What `program` returns, run in a process of its own, whose memory nothing else has used.
template <class Program>
int runApart(Program program) {
#ifdef _WIN32  // which cannot fork
    return program();
#else
    const pid_t child = fork();
    if (child == 0) std::_Exit(program());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
#endif
}

}  // namespace

TEST_CASE("JSON is read in a few times the memory of its text", "[save][bad]") {
    World many;
    defineAll(many);
    for (int i = 0; i < 20000; ++i) {
        Entity entity = many.newEntity("entity " + std::to_string(i));
        entity.addComponent<Everything>();
        entity.addComponent<Moving>();
        many.addEntity(entity);
    }
    const auto json = saveToBytes(many, {SaveFormat::Json});
    const auto text = static_cast<long>(json.size() >> 20);
    REQUIRE(text >= 8);
    CHECK(runApart([&] {
              World world;
              defineAll(world);
              const long before = peakMebibytes();
              loadFromBytes(world, json);
              return peakMebibytes() - before > mostTimes * text + keptMebibytes ? 1 : 0;
          }) == 0);
}

TEST_CASE("a save that claims to be huge takes no more memory than one may", "[save][bad]") {
    for (const Bomb& bomb : bombs) {
        INFO(bomb.name);
        const auto save = bomb.make();
        CHECK(runApart([&] { return tryBomb(save); }) == 0);
    }
}
