#include "rewind/history/delta.hpp"

#include <algorithm>

namespace revenant {

std::size_t findInImage(std::span<const std::uint32_t> image, ComponentTypeId type) noexcept {
    std::size_t at = 0;
    while (at < image.size() && typeOf(image[at]) != type) at += 1 + wordsOf(image[at]);
    return at;
}

std::size_t Delta::bytes() const noexcept {
    std::size_t words32 = words.capacity() + images.capacity();
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

Makeup Delta::makeupOf(const Step& step) const {
    const auto image = imageAt(step.image);
    return {Words(image.begin(), image.end()), step.disabled, step.enabled};
}

ImagePart Delta::addImage(std::span<const std::uint32_t> added) {
    const ImagePart part{static_cast<std::uint32_t>(images.size()),
                         static_cast<std::uint32_t>(added.size())};
    images.insert(images.end(), added.begin(), added.end());
    return part;
}

void Delta::setMakeup(Step& step, const Makeup& makeup) {
    step.disabled = makeup.disabled;
    step.enabled = makeup.enabled;
    step.image = addImage(makeup.image);
}

void appendDifferences(WordWriter& words, std::uint32_t index, ComponentTypeId type,
                       std::span<const std::uint32_t> differences) {
    std::vector<std::uint32_t> masks((differences.size() + maskBits - 1) / maskBits, 0);
    bool isEmpty = true;
    for (std::size_t i = 0; i < differences.size(); ++i) {
        if (differences[i] == 0) continue;
        masks[i / maskBits] |= 1U << (i % maskBits);
        isEmpty = false;
    }
    if (isEmpty) return;
    std::ranges::copy_if(differences, words.add(index, type, masks),
                         [](std::uint32_t difference) { return difference != 0; });
}

}  // namespace revenant
