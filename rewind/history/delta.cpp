#include "rewind/history/delta.hpp"

namespace revenant {

std::size_t findInImage(const Words& image, ComponentTypeId type) noexcept {
    std::size_t at = 0;
    while (at < image.size() && typeOf(image[at]) != type) at += 1 + wordsOf(image[at]);
    return at;
}

std::size_t Delta::bytes() const noexcept {
    std::size_t words32 = words.capacity();
    for (const auto* steps : {&departures, &arrivals})
        for (const Step& step : *steps) words32 += step.makeup.image.capacity();
    for (const Rebinding& rebinding : rebindings)
        words32 += rebinding.before.capacity() + rebinding.after.capacity();
    for (const Outside& outside : outsides)
        for (const auto* makeup : {&outside.before, &outside.after})
            if (*makeup) words32 += (*makeup)->image.capacity();
    std::size_t sum = words32 * sizeof(std::uint32_t) +
                      (departures.capacity() + arrivals.capacity()) * sizeof(Step) +
                      rebindings.capacity() * sizeof(Rebinding) +
                      toggles.capacity() * sizeof(Toggle) + outsides.capacity() * sizeof(Outside) +
                      states.capacity() * sizeof(StateChange);
    // Each state counts once: usually, the one before is the one after an earlier change (Recorder::bytes).
    for (const StateChange& change : states)
        if (const State& state = change.after ? change.after : change.before)
            sum += state->heapBytes();
    return sum;
}

void appendDifferences(Words& words, std::uint32_t index, ComponentTypeId type,
                       std::span<const std::uint32_t> differences) {
    const std::size_t head = words.size();
    const std::size_t masks = (differences.size() + maskBits - 1) / maskBits;
    words.resize(head + 2 + masks, 0);
    words[head] = index;
    words[head + 1] = headOf(type, masks);
    for (std::size_t i = 0; i < differences.size(); ++i) {
        if (differences[i] == 0) continue;
        words[head + 2 + i / maskBits] |= 1U << (i % maskBits);
        words.push_back(differences[i]);
    }
    if (words.size() == head + 2 + masks) words.resize(head);
}

}  // namespace revenant
