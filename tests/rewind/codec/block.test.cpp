#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <random>

#include "rewind/codec/block_reader.hpp"
#include "rewind/codec/block_writer.hpp"
#include "world/error.hpp"

using namespace revenant;

namespace {

std::uint32_t wordOf(float number) {
    std::uint32_t word = 0;
    std::memcpy(&word, &number, sizeof word);
    return word;
}

BlockWords randomBlock(unsigned seed) {
    std::mt19937 random(seed);
    BlockWords words;
    words.frames = 1 + random() % 200;
    std::uint64_t key = random() % 3;
    for (unsigned i = random() % 40; i > 0; --i) {
        const std::uint32_t first = random() % words.frames;
        const std::uint32_t count = random() % (words.frames - first) + 1;
        words.streams.push_back({key, first, count, static_cast<std::uint32_t>(random())});
        key += 1 + (random() % 4 == 0 ? std::uint64_t{random()} << 20 : random() % 5);
        const unsigned kind = random() % 3;
        std::uint32_t value = random();
        for (std::uint32_t k = 0; k < count; ++k) {
            value = kind == 0 ? random() : kind == 1 ? value + 12345 : value ^ (random() % 2);
            words.values.push_back(value);
        }
    }
    return words;
}

// Sixty bodies at constant speed, in floats.
BlockWords glidingBlock() {
    BlockWords words;
    words.frames = 600;
    for (std::uint32_t body = 0; body < 60; ++body) {
        float x = static_cast<float>(body) * 30;
        words.streams.push_back({body, 0, words.frames, wordOf(x)});
        for (std::uint32_t frame = 0; frame < words.frames; ++frame) {
            x += 40.0F / 60.0F;
            words.values.push_back(wordOf(x));
        }
    }
    return words;
}

}  // namespace

TEST_CASE("a block comes back from packing word for word", "[rewind][codec]") {
    CHECK(unpackBlock(packBlock({})) == BlockWords{});
    for (unsigned seed = 0; seed < 200; ++seed) {
        CAPTURE(seed);
        const BlockWords words = randomBlock(seed);
        CHECK(unpackBlock(packBlock(BlockWords(words))) == words);
    }
}

TEST_CASE("steady motion packs to less than half a byte per word", "[rewind][codec]") {
    const BlockWords words = glidingBlock();
    CHECK(packBlock(BlockWords(words)).size() * 2 < words.values.size());
}

TEST_CASE("a damaged block is refused with a sentence, whatever the damage", "[rewind][codec]") {
    const auto packed = packBlock(randomBlock(7));
    auto refusedOrRead = [](std::span<const std::byte> bytes) {
        try {
            unpackBlock(bytes);
            return true;
        } catch (const Error& error) {
            return std::string(error.what()).find("damaged") != std::string::npos;
        }
    };
    for (std::size_t length = 0; length < packed.size(); ++length) {
        CAPTURE(length);
        CHECK_THROWS_AS(unpackBlock(std::span(packed).first(length)), Error);
    }
    std::mt19937 random(3);
    for (int i = 0; i < 3000; ++i) {
        auto flipped = packed;
        flipped[random() % flipped.size()] ^= static_cast<std::byte>(1 + random() % 255);
        CHECK(refusedOrRead(flipped));
        std::vector<std::byte> noise(random() % 64);
        for (std::byte& byte : noise) byte = static_cast<std::byte>(random());
        CHECK(refusedOrRead(noise));
    }
}
