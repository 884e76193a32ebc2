#include "rewind/frame.hpp"

namespace revenant {

std::size_t Structure::bytes() const noexcept {
    std::size_t sum = toggles.capacity() * sizeof(Toggle) +
                      rebindings.capacity() * sizeof(Rebinding) +
                      (departures.capacity() + arrivals.capacity()) * sizeof(Step);
    for (const auto* steps : {&departures, &arrivals})
        for (const Step& step : *steps)
            if (step.absence) sum += sizeof(Absence) + step.absence->bytes;
    for (const Rebinding& rebinding : rebindings)
        sum += rebinding.before.capacity() + rebinding.after.capacity();
    return sum;
}

std::size_t Frame::bytes() const noexcept {
    std::size_t sum =
        sizeof(Frame) + (words.capacity() + amended.capacity()) * sizeof(std::uint32_t);
    sum +=
        systems.capacity() * sizeof(SystemSeconds) + resources.capacity() * sizeof(ResourceChange);
    for (const ResourceChange& change : resources)
        for (const auto* value : {&change.before, &change.after})
            if (*value) sum += (*value)->bytes();
    for (const Structure& structure : structures) sum += sizeof(Structure) + structure.bytes();
    return sum;
}

}  // namespace revenant
