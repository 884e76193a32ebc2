// SystemTimes: how long each system took in the last ticks, for plots.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace revenant {
class World;
}

namespace revenant::game {

struct TimeRing {
    static constexpr std::size_t size = 240;

    std::array<float, size> microseconds{};  // a ring
    std::size_t next = 0;                    // where the next one goes: the oldest
    std::size_t count = 0;

    void add(float value) noexcept;
    float last() const noexcept { return microseconds[(next + size - 1) % size]; }
    float average() const noexcept;
    float highest() const noexcept;
};

class SystemTimes {
public:
    // To be called once after each tick.
    void sample(World& world);
    const TimeRing* find(const std::string& system) const;
    const TimeRing& total() const noexcept { return total_; }

private:
    std::map<std::string, TimeRing, std::less<>> systems_;
    TimeRing total_;
};

}  // namespace revenant::game
