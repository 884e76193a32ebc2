#include "world/string_table.hpp"

#include "world/error.hpp"

namespace revenant {

StringTable::StringTable() {
    texts_.emplace_back();
    ids_.emplace(texts_.back(), 0U);
}

std::size_t StringTable::recentSlot(std::string_view text) noexcept {
    const auto first = static_cast<unsigned char>(text.front());
    const auto last = static_cast<unsigned char>(text.back());
    return (text.size() * 7 + first * 3U + last) % 64;
}

StringId StringTable::intern(std::string_view text) {
    if (text.empty()) return {};
    const std::uint32_t candidate = recent_[recentSlot(text)];
    if (candidate != 0 && texts_[candidate] == text) return {candidate};
    return internSlowly(text);
}

StringId StringTable::internSlowly(std::string_view text) {
    auto found = ids_.find(text);
    if (found == ids_.end()) {
        if (texts_.size() >= UINT32_MAX)
            fail(ErrorCode::LimitReached, "too many different strings in one world");
        const auto id = static_cast<std::uint32_t>(texts_.size());
        texts_.emplace_back(text);
        found = ids_.emplace(texts_.back(), id).first;
    }
    recent_[recentSlot(text)] = found->second;
    return {found->second};
}

}  // namespace revenant
