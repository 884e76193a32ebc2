// Random: the world's own random numbers (xoshiro256**). Its state is plain data, so that it is
// rewound with the world and the same ticks draw the same numbers again.
#pragma once

#include <array>
#include <cstdint>

namespace revenant {

class Random {
public:
    explicit Random(std::uint64_t seed = 1) noexcept { setSeed(seed); }

    void setSeed(std::uint64_t seed) noexcept;
    std::uint64_t next() noexcept;
    double uniform() noexcept;  // in [0, 1)
    // Every whole number from first to last is equally likely. REQUIRES: first <= last.
    std::int64_t between(std::int64_t first, std::int64_t last);

    const std::array<std::uint64_t, 4>& state() const noexcept { return state_; }
    // How many numbers were drawn: a history keeps that rather than each state.
    std::uint64_t draws() const noexcept { return draws_; }
    void setState(const std::array<std::uint64_t, 4>& state, std::uint64_t draws) noexcept {
        state_ = state;
        draws_ = draws;
    }

private:
    std::array<std::uint64_t, 4> state_{};
    std::uint64_t draws_ = 0;
};

}  // namespace revenant
