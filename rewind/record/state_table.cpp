#include "rewind/record/state_table.hpp"

#include <algorithm>

namespace revenant {

StateTable::Entry* StateTable::find(const StateKey& key) noexcept {
    if (next_ < entries_.size() && entries_[next_].key == key) return &entries_[next_++];
    const auto found = places_.find(key);
    if (found == places_.end()) return nullptr;
    next_ = found->second + std::size_t{1};
    return &entries_[found->second];
}

StateTable::Entry& StateTable::put(const StateKey& key) {
    if (Entry* known = find(key)) return *known;
    entries_.push_back({key, 0, {}, false});
    try {
        places_.emplace(key, static_cast<std::uint32_t>(entries_.size() - 1));
    } catch (...) {
        entries_.pop_back();
        throw;
    }
    return entries_.back();
}

void StateTable::erase(const StateKey& key) noexcept {
    const auto found = places_.find(key);
    if (found == places_.end()) return;
    const std::uint32_t place = found->second;
    places_.erase(found);
    if (place + std::size_t{1} < entries_.size()) {
        entries_[place] = std::move(entries_.back());
        places_.find(entries_[place].key)->second = place;
    }
    entries_.pop_back();
}

void StateTable::clear() noexcept {
    entries_.clear();
    places_.clear();
    next_ = 0;
}

std::vector<const StateTable::Entry*> StateTable::sorted() const {
    std::vector<const Entry*> result;
    result.reserve(entries_.size());
    for (const Entry& entry : entries_) result.push_back(&entry);
    std::ranges::sort(result, {}, [](const Entry* entry) { return entry->key; });
    return result;
}

std::size_t StateTable::bytes() const noexcept {
    constexpr std::size_t bytesPerNode = 40;  // of the map
    return entries_.capacity() * sizeof(Entry) + entries_.size() * bytesPerNode;
}

}  // namespace revenant
