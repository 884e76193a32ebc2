#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cfenv>
#include <cmath>
#include <limits>
#include <random>

#include "rewind/codec/block_reader.hpp"
#include "rewind/codec/block_writer.hpp"
#include "rewind/codec/prediction_search.hpp"
#include "world/codec/zstd.hpp"
#include "world/error.hpp"

using namespace revenant;

namespace {

// Streams of components of which each has as many words as its entity has values.
class Stage {
public:
    BlockWords words;
    std::vector<std::uint32_t> owners;

    explicit Stage(std::uint32_t frames) { words.frames = frames; }

    // One component: its values before the first frame and in each, as words.
    void add(std::uint64_t type, std::uint32_t owner,
             const std::vector<std::vector<std::uint32_t>>& rows) {
        const auto number = static_cast<std::uint32_t>(owners.size());
        owners.push_back(owner);
        for (std::size_t word = 0; word < rows[0].size(); ++word) {
            Column column{type << 48 | std::uint64_t{word} << 32 | number, {}};
            for (const auto& row : rows) column.values.push_back(row[word]);
            columns_.push_back(std::move(column));
        }
    }
    // Numbers per frame, as floats or doubles.
    template <class Float>
    void addNumbers(std::uint64_t type, std::uint32_t owner,
                    const std::vector<std::vector<Float>>& rows) {
        std::vector<std::vector<std::uint32_t>> bits;
        for (const auto& row : rows) {
            bits.emplace_back();
            for (const Float number : row)
                if constexpr (sizeof(Float) == 8) {
                    const auto word = std::bit_cast<std::uint64_t>(number);
                    bits.back().push_back(static_cast<std::uint32_t>(word));
                    bits.back().push_back(static_cast<std::uint32_t>(word >> 32));
                } else {
                    bits.back().push_back(std::bit_cast<std::uint32_t>(number));
                }
        }
        add(type, owner, bits);
    }
    std::size_t packedBytes() {
        finish();
        const auto packed = packBlock(BlockWords(words), {}, owners);
        REQUIRE(unpackBlock(packed) == words);
        return packed.size();
    }
    void finish() {
        std::ranges::sort(columns_, {}, &Column::key);
        for (const Column& column : columns_) {
            words.streams.push_back({column.key, 0, words.frames, column.values[0]});
            words.values.insert(words.values.end(), column.values.begin() + 1, column.values.end());
        }
        columns_.clear();
    }

private:
    struct Column {
        std::uint64_t key;
        std::vector<std::uint32_t> values;  // that before the first frame, too
    };
    std::vector<Column> columns_;
};

constexpr std::uint32_t frames = 300;

// A body pushed about at random: position and speed, in one component or in two.
template <class Float, class Move>
std::vector<std::vector<Float>> pushed(std::mt19937& random, Move move) {
    std::uniform_real_distribution<double> draw(-100, 100);
    auto x = static_cast<Float>(draw(random));
    auto speed = static_cast<Float>(draw(random));
    std::vector<std::vector<Float>> rows;
    for (std::uint32_t i = 0; i <= frames; ++i) {
        rows.push_back({x, speed});
        move(x, speed, static_cast<Float>(draw(random)));
    }
    return rows;
}

// How many bytes the positions add to what the speeds take, per value.
template <class Float, class Move>
double bytesOfPositions(Move move) {
    Stage both(frames);
    Stage speeds(frames);
    std::mt19937 random(3);
    for (std::uint32_t owner = 0; owner < 40; ++owner) {
        const auto rows = pushed<Float>(random, move);
        both.addNumbers<Float>(0, owner, rows);
        std::vector<std::vector<Float>> second;
        for (const auto& row : rows) second.push_back({row[1]});
        speeds.addNumbers<Float>(0, owner, second);
    }
    return (static_cast<double>(both.packedBytes()) - static_cast<double>(speeds.packedBytes())) /
           (40.0 * frames);
}

// Unpacks, changes a few bytes at the front, where the table of streams is, and packs again.
std::vector<std::byte> remade(std::span<const std::byte> packed, std::mt19937& random) {
    const RawBytes raw = inflate(packed, "a block");
    std::vector<std::byte> bytes(raw.begin(), raw.end());
    for (unsigned k = 1 + random() % 3; k > 0; --k)
        bytes[random() % std::min<std::size_t>(bytes.size(), 200)] =
            static_cast<std::byte>(random() % 4 == 0 ? random() : random() % 64);
    return deflate(bytes, 1);
}

}  // namespace

TEST_CASE("positions that follow from speeds pack to next to nothing", "[rewind][codec]") {
    constexpr float dt = 1.0F / 60;
    // The speed changes first, or the position does; in floats, in doubles, and in Lua's way: numbers
    // are doubles, and what is stored is a float.
    CHECK(bytesOfPositions<float>([](float& x, float& speed, float push) {
              speed += push * dt;
              x += speed * dt;
          }) < 0.1);
    CHECK(bytesOfPositions<float>([](float& x, float& speed, float push) {
              x += speed * dt;
              speed += push * dt;
          }) < 0.1);
    CHECK(bytesOfPositions<float>([](float& x, float& speed, float push) {
              speed += push * dt;
              x = static_cast<float>(x + speed * (1.0 / 60));
          }) < 0.1);
    CHECK(bytesOfPositions<double>([](double& x, double& speed, double push) {
              speed += push / 60;
              x += speed * (1.0 / 60);
          }) < 0.1);
}

TEST_CASE("a position's speed is found in another component of the entity", "[rewind][codec]") {
    std::mt19937 random(5);
    Stage apart(frames);
    Stage strangers(frames);
    for (std::uint32_t owner = 0; owner < 40; ++owner) {
        const auto rows = pushed<float>(random, [](float& x, float& speed, float push) {
            speed += push / 60;
            x += speed * (1.0F / 60);
        });
        std::vector<std::vector<float>> first;
        std::vector<std::vector<float>> second;
        for (const auto& row : rows) {
            first.push_back({row[0]});
            second.push_back({row[1]});
        }
        apart.addNumbers<float>(1, owner, first);
        apart.addNumbers<float>(2, owner, second);
        strangers.addNumbers<float>(1, owner, first);
        strangers.addNumbers<float>(2, owner + 1000, second);
    }
    CHECK(apart.packedBytes() * 5 < strangers.packedBytes() * 4);
}

TEST_CASE("timers, falls, swings and decays pack to a fraction of a byte", "[rewind][codec]") {
    auto bytesPerValue = [](auto next) {
        Stage stage(frames);
        for (std::uint32_t owner = 0; owner < 30; ++owner) {
            std::vector<std::vector<float>> rows;
            auto state = static_cast<float>(owner) * 0.37F;
            for (std::uint32_t i = 0; i <= frames; ++i)
                rows.push_back({next(state, static_cast<float>(i), owner)});
            stage.addNumbers<float>(0, owner, rows);
        }
        return static_cast<double>(stage.packedBytes()) / (30.0 * frames);
    };
    CHECK(bytesPerValue([](float& timer, float, std::uint32_t) {
              timer += 1.0F / 60;
              return timer = timer > 2 ? timer - 2 : timer;
          }) < 0.15);
    CHECK(bytesPerValue([](float& speed, float, std::uint32_t) { return speed -= 980.0F / 60; }) <
          0.1);
    CHECK(bytesPerValue([](float&, float i, std::uint32_t owner) {
              return 500 + 60 * std::sin(static_cast<float>(owner) + i / 60);
          }) < 0.8);
    CHECK(bytesPerValue(
              [](float& heat, float, std::uint32_t) { return heat += (10 - heat) * 0.01F; }) < 0.6);
}

TEST_CASE("any streams of any entities come back word for word", "[rewind][codec]") {
    for (unsigned seed = 0; seed < 300; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        Stage stage(1 + random() % 120);
        std::uniform_real_distribution<double> draw(-50, 50);
        for (unsigned i = 1 + random() % 12; i > 0; --i) {
            std::vector<std::vector<double>> rows;
            std::vector<double> now{draw(random), draw(random), draw(random)};
            const unsigned kind = random() % 5;
            for (std::uint32_t frame = 0; frame <= stage.words.frames; ++frame) {
                if (kind == 0) now = {draw(random), draw(random), draw(random)};
                if (kind == 1) now[0] += now[1] / 60;
                if (kind == 2) now[1] += now[2] / 30, now[0] += now[1] / 30, now[2] = draw(random);
                if (kind == 3) now[random() % 3] = std::numeric_limits<double>::quiet_NaN();
                if (kind == 4) now[0] *= 1e30, now[1] = now[0] - now[0], now[2] /= 1e30;
                rows.push_back(now);
            }
            if (random() % 2 == 0) {
                stage.addNumbers<double>(random() % 3, random() % 8, rows);
            } else {
                std::vector<std::vector<float>> floats;
                for (const auto& row : rows)
                    floats.push_back({static_cast<float>(row[0]), static_cast<float>(row[1]),
                                      static_cast<float>(row[2])});
                stage.addNumbers<float>(3 + random() % 3, random() % 8, floats);
            }
        }
        stage.packedBytes();
    }
}

TEST_CASE("what is packed does not depend on how a game rounds", "[rewind][codec]") {
    std::mt19937 random(9);
    Stage stage(frames);
    for (std::uint32_t owner = 0; owner < 8; ++owner)
        stage.addNumbers<float>(0, owner,
                                pushed<float>(random, [](float& x, float& speed, float push) {
                                    speed += push / 60;
                                    x += speed * (1.0F / 60);
                                }));
    stage.finish();
    const auto plainly = packBlock(BlockWords(stage.words), {}, stage.owners);
    std::fesetround(FE_UPWARD);
    const auto upward = packBlock(BlockWords(stage.words), {}, stage.owners);
    const bool isSame = unpackBlock(plainly) == stage.words;
    const int rounding = std::fegetround();
    std::fesetround(FE_TONEAREST);
    CHECK(upward == plainly);
    CHECK(isSame);
    CHECK(rounding == FE_UPWARD);  // the game's own setting is left alone
}

TEST_CASE("damage to predictions is refused, or read as other values", "[rewind][codec]") {
    std::mt19937 random(11);
    Stage stage(60);
    for (std::uint32_t owner = 0; owner < 6; ++owner) {
        std::vector<std::vector<double>> rows;
        double x = owner;
        double speed = 3;
        for (int i = 0; i <= 60; ++i) {
            speed += static_cast<double>(random() % 100) / 60;
            x += speed / 60;
            rows.push_back({x, speed});
        }
        stage.addNumbers<double>(0, owner, rows);
    }
    stage.finish();
    // Bytes behind the compression are what a forger would change.
    const auto packed = packBlock(BlockWords(stage.words), {}, stage.owners);
    for (int i = 0; i < 4000; ++i) {
        const auto bytes = remade(packed, random);
        try {
            unpackBlock(bytes);
        } catch (const Error& error) {
            CHECK(std::string(error.what()).find("damaged") != std::string::npos);
        }
    }
}
