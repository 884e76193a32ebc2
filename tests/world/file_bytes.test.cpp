#include "world/codec/file_bytes.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>

#include "tests/scratch_folder.hpp"
#include "world/error.hpp"

using namespace revenant;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::vector<std::byte> some(3, std::byte{7});
const std::vector<std::byte> others(5, std::byte{8});

}  // namespace

TEST_CASE("a path is UTF-8 on every platform, whatever the user's language", "[world][file]") {
    const ScratchFolder folder;
    const std::string path = folder.path() + "/slot_\xC3\xBC_\xE6\x97\xA5.sav";
    writeFile(path, some);
    CHECK(
        std::filesystem::exists(std::filesystem::path(folder.path()) / u8"slot_\u00FC_\u65E5.sav"));
    CHECK(readFile(path) == some);
    writeFile(path, others);  // over the old one
    CHECK(readFile(path) == others);
    CHECK_FALSE(std::filesystem::exists(std::filesystem::path(folder.path()) /
                                        u8"slot_\u00FC_\u65E5.sav.unfinished"));
}

TEST_CASE("a file that is open elsewhere is replaced, or stays whole and the error says so",
          "[world][file]") {
    const ScratchFolder folder;
    const std::string path = folder.file("slot.sav");
    writeFile(path, some);
    std::string said;
    {
        const std::ifstream reader(path, std::ios::binary);
        REQUIRE(reader);
        try {
            writeFile(path, others);  // Windows refuses
        } catch (const Error& error) {
            said = error.what();
        }
    }
    CHECK(readFile(path) == (said.empty() ? others : some));
    if (!said.empty()) CHECK_THAT(said, ContainsSubstring("cannot be written: "));
    CHECK_FALSE(std::filesystem::exists(folder.file("slot.sav.unfinished")));
}

TEST_CASE("what cannot be read or written is an error with a sentence", "[world][file]") {
    const ScratchFolder folder;
    CHECK_THROWS_WITH(readFile(folder.path()), ContainsSubstring("it is a folder"));
    CHECK_THROWS_WITH(readFile(folder.file("none")), ContainsSubstring("it cannot be read: "));
    CHECK_THROWS_WITH(writeFile(folder.file("none/none"), some),
                      ContainsSubstring("it cannot be written: "));
}
