// Files that are refused, and worlds that refuse good ones.
#include <catch2/catch_test_macros.hpp>

#include "tests/rewind/recorded_flight.hpp"
#include "tests/world/refusal.hpp"
#include "world/core/world_core.hpp"

using namespace revenant;

TEST_CASE("a file that is no history, cut off, damaged or of another version changes nothing",
          "[rewind][file]") {
    const std::vector<std::byte> good = smallFile();
    const TemporaryFile file;
    Flight tool;
    auto refuse = [&](const std::vector<std::byte>& bytes, const std::string& part) {
        writeFile(file.path(), bytes);
        checkRefused(tool.world, ErrorCode::BadArgument, {"loadHistory", file.path(), part},
                     [&] { tool.rewind->loadHistory(file.path()); });
        CHECK_FALSE(tool.rewind->getFrame());
        CHECK_FALSE(tool.rewind->isRewinding());
        CHECK(tool.world.getStats().componentTypes == 0);
    };
    refuse({}, "is cut off: it has only 0 bytes");
    std::vector<std::byte> bytes = good;
    bytes[3] = std::byte{'e'};
    refuse(bytes, "is not a history file");
    bytes = good;
    bytes[8] = std::byte{1};
    refuse(bytes, "it has format 1, but this version reads 2 to 7");
    bytes[8] = std::byte{200};
    refuse(bytes, "it has format 200, but this version reads 2 to 7; open it with the version");
    bytes = good;
    bytes.resize(bytes.size() / 2);
    refuse(bytes, "is cut off");
    bytes = good;
    bytes[bytes.size() / 2] ^= std::byte{4};
    refuse(bytes, "its checksum is wrong");
    checkRefused(tool.world, ErrorCode::BadArgument, {"cannot be read"},
                 [&] { tool.rewind->loadHistory("nowhere/no.history"); });
    checkRefused(tool.world, ErrorCode::WrongState, {"the history is empty"},
                 [&] { tool.rewind->saveHistory(file.path()); });
    writeFile(file.path(), good);
    tool.rewind->loadHistory(file.path());
    CHECK(tool.rewind->getFrame() == 24);
    checkRefused(tool.world, ErrorCode::BadArgument, {"cannot be written"},
                 [&] { tool.rewind->saveHistory("nowhere/no.history"); });
}

TEST_CASE("every truncation of a history file is refused", "[rewind][file]") {
    const std::vector<std::byte> good = smallFile();
    for (std::size_t size = 0; size < good.size(); ++size) {
        CAPTURE(size);
        REQUIRE_THROWS_AS(parseHistory(std::span(good).first(size)), Error);
    }
    CHECK_NOTHROW(parseHistory(good));
}

TEST_CASE("every single damaged byte of a history file is found", "[rewind][file]") {
    std::vector<std::byte> bytes = smallFile();
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        CAPTURE(at);
        const std::byte good = bytes[at];
        for (const unsigned bits : {0x01U, 0x80U, 0xFFU}) {
            bytes[at] = good ^ static_cast<std::byte>(bits);
            REQUIRE_THROWS_AS(parseHistory(bytes), Error);
        }
        bytes[at] = good;
    }
}

TEST_CASE("a history is refused by a world that is in use or defines things otherwise",
          "[rewind][file]") {
    const TemporaryFile file;
    writeFile(file.path(), smallFile());
    Flight tool;
    auto refuse = [&](ErrorCode code, std::initializer_list<std::string> parts) {
        checkRefused(tool.world, code, parts, [&] { tool.rewind->loadHistory(file.path()); });
        CHECK_FALSE(tool.rewind->getFrame());
    };
    SECTION("an entity") {
        tool.world.newEntity("mine");
        refuse(ErrorCode::WrongState, {"has 1 entity of its own", "world that was made for it"});
    }
    SECTION("an entity that was") {
        for (int i = 0; i < 3; ++i) tool.world.newEntity("mine").destroy();
        refuse(ErrorCode::WrongState, {"has had entities", "world that was made for it"});
    }
    SECTION("a history") {
        tool.ticks(2);
        checkRefused(tool.world, ErrorCode::WrongState, {"there is a history already"},
                     [&] { tool.rewind->loadHistory(file.path()); });
        CHECK(tool.rewind->getNewestFrame() == 2);
    }
    SECTION("a field of another type") {
        tool.world.defineComponent("HullCMP", {{"x", FieldType::F64}, {"y", FieldType::F32}});
        refuse(ErrorCode::WrongType, {"component 'HullCMP', field 'x'", "another type"});
    }
    SECTION("a field that is missing") {
        tool.world.defineComponent(
            "HullCMP", {{"x", FieldType::F32, {}, 1, false, Blend::Lerp}, {"y", FieldType::F32}});
        refuse(ErrorCode::WrongType, {"component 'HullCMP', field 'target'", "not in this world"});
    }
    SECTION("another order") {
        tool.world.defineComponent("GaugeCMP", {{"ticks", FieldType::I32}});
        refuse(ErrorCode::WrongState, {"component 'HullCMP' is the 1. that was defined"});
    }
    SECTION("another string") {
        WorldCore::of(tool.world).components().strings().intern("mine");
        refuse(ErrorCode::WrongState, {"the string 'mine' of this world has the number of"});
    }
    SECTION("the same definitions are welcome") {
        tool.define();
        tool.rewind->loadHistory(file.path());
        CHECK(stateHash(tool.world) == tool.rewind->frameHash(24));
    }
    SECTION("inside a tick") {
        tool.world.registerSystem("LoadSys", [&](World&, double) {
            CHECK_THROWS_AS(tool.rewind->loadHistory(file.path()), Error);
        });
        tool.ticks(1);
    }
}
