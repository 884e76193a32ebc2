#include "rewind/history/word_groups.hpp"

#include <algorithm>

namespace revenant {

bool areGroups(const Words& words) noexcept {
    std::size_t at = 0;
    while (at < words.size()) {
        if (words.size() - at < 3) return false;
        const bool isRun = (words[at + 1] & runFlag) != 0;
        const std::size_t masks = (words[at + 1] & ~runFlag) >> 16;
        const std::size_t count = isRun ? words[at + 2] : words[at];
        const std::size_t mask = at + (isRun ? 3 : 2);
        if (words.size() - mask < masks) return false;
        std::size_t each = isRun ? 0 : 1;
        for (std::size_t i = 0; i < masks; ++i) each += countBits(words[mask + i]);
        at = mask + masks;
        // An empty group would lead nowhere; consecutive indices do not wrap around.
        if (count == 0 || each == 0 || count > (words.size() - at) / each) return false;
        if (isRun && count - 1 > UINT32_MAX - words[mask - 3]) return false;
        at += count * each;
    }
    return at == words.size();
}

void WordWriter::add(const WordCursor& component) {
    const auto words = component.words();
    std::ranges::copy(words, add(component.index(), component.type(), component.masks()));
}

}  // namespace revenant
