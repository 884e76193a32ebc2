// Numbers sorted by buckets, beside std::sort.
#include "world/storage/bucket_sort.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

using namespace revenant;

namespace {

template <class Key>
bool sortsAsStdDoes(std::vector<Key> keys) {
    std::vector<Key> expected = keys;
    std::ranges::sort(expected);
    std::vector<Key> scratch;
    bucketSort(keys, scratch);
    return keys == expected;
}

// However they are spread: evenly, in clusters, most of them equal, in a wide range.
template <class Key>
std::vector<Key> drawn(std::mt19937_64& random, std::size_t count, int spread) {
    constexpr Key most = std::numeric_limits<Key>::max();
    std::vector<Key> keys(count);
    for (Key& key : keys) {
        const auto number = static_cast<Key>(random());
        switch (spread) {
            case 0: key = number; break;
            case 1: key = number % 16 == 0 ? number : static_cast<Key>(1000 + number % 512); break;
            case 2: key = number % 8 == 0 ? most : Key{7}; break;
            case 3: key = static_cast<Key>(most - number % 3); break;
            default: key = number >> (number % std::numeric_limits<Key>::digits); break;
        }
    }
    return keys;
}

template <class Key>
void checkAll(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (const std::size_t count : {0, 1, 2, 24, 25, 26, 63, 100, 1000, 5000, 40000})
        for (int spread = 0; spread < 5; ++spread) {
            INFO(count << " keys of " << sizeof(Key) << " bytes, spread " << spread);
            CHECK(sortsAsStdDoes(drawn<Key>(random, count, spread)));
        }
}

}  // namespace

TEST_CASE("bucketSort sorts as std::sort does, however the keys are spread", "[world][storage]") {
    checkAll<std::uint32_t>(1);
    checkAll<std::uint64_t>(2);
}
