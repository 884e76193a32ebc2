#include "game/inspector/system_times.hpp"

#include <algorithm>
#include <numeric>

#include "world/world.hpp"

namespace revenant::game {

void TimeRing::add(float value) noexcept {
    microseconds[next] = value;
    next = (next + 1) % size;
    count = std::min(count + 1, size);
}

float TimeRing::average() const noexcept {
    if (count == 0) return 0;
    // Those that were not filled yet are zero.
    return std::accumulate(microseconds.begin(), microseconds.end(), 0.0F) /
           static_cast<float>(count);
}

float TimeRing::highest() const noexcept {
    return *std::ranges::max_element(microseconds);
}

void SystemTimes::sample(World& world) {
    float sum = 0;
    for (const auto& system : world.getSystems()) {
        const bool ticked =
            system->isEnabled() && (!world.isInPast() || system->getOptions().tickWhileRewinding);
        const float microseconds =
            ticked ? static_cast<float>(system->getLastTickNanoseconds()) / 1000.0F : 0;
        systems_[system->getName()].add(microseconds);
        sum += microseconds;
    }
    total_.add(sum);
}

const TimeRing* SystemTimes::find(const std::string& system) const {
    const auto found = systems_.find(system);
    return found == systems_.end() ? nullptr : &found->second;
}

}  // namespace revenant::game
