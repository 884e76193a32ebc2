#include "world/core/random.hpp"

#include <bit>

#include "world/error.hpp"

namespace revenant {

void Random::setSeed(std::uint64_t seed) noexcept {
    for (std::uint64_t& word : state_) {  // splitmix64: never all zero
        seed += 0x9E3779B97F4A7C15U;
        std::uint64_t mixed = seed;
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9U;
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBU;
        word = mixed ^ mixed >> 31;
    }
}

std::uint64_t Random::next() noexcept {
    ++draws_;
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
}

double Random::uniform() noexcept {
    return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

std::int64_t Random::between(std::int64_t first, std::int64_t last) {
    REVENANT_ASSERT(first <= last, "random: the range from ", first, " to ", last, " is empty");
    const std::uint64_t range =
        static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
    if (range == UINT64_MAX) return static_cast<std::int64_t>(next());
    // Draws beyond the last whole multiple are thrown away, so that every number is equally likely.
    const std::uint64_t limit = UINT64_MAX - UINT64_MAX % (range + 1);
    std::uint64_t drawn = next();
    while (drawn >= limit) drawn = next();
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + drawn % (range + 1));
}

}  // namespace revenant
