#include "world/storage/string_table.hpp"

#include <algorithm>
#include <utility>

#include "world/error.hpp"

namespace revenant {

StringTable::StringTable() {
    entries_.emplace_back().isKept = true;
    ids_.emplace(entries_.back().text, 0U);
}

std::size_t StringTable::recentSlot(std::string_view text) noexcept {
    const auto first = static_cast<unsigned char>(text.front());
    const auto last = static_cast<unsigned char>(text.back());
    return (text.size() * 7 + first * 3U + last) % 64;
}

StringId StringTable::internField(std::string_view text) {
    const StringId id = find(text);
    Entry& entry = entries_[id.value];
    newFields_ += entry.isField ? 0 : 1;
    entry.isField = true;
    entry.unneededSince = needed;
    return id;
}

// A free id, still in the list of them.
std::uint32_t StringTable::takeId() {
    if (free_ != 0) return free_;
    if (entries_.size() >= UINT32_MAX)
        fail(ErrorCode::LimitReached, "too many different strings in one world");
    entries_.emplace_back();
    return free_ = static_cast<std::uint32_t>(entries_.size() - 1);
}

// Gives a free id a text. If memory runs out it stays free.
void StringTable::place(std::uint32_t id, std::string_view text) {
    Entry& entry = entries_[id];
    entry.text = text;
    try {
        ids_.emplace(entry.text, id);
    } catch (...) {
        entry.text.clear();
        throw;
    }
}

std::optional<StringId> StringTable::lookUp(std::string_view text) const noexcept {
    if (text.empty()) return StringId{};
    const auto found = ids_.find(text);
    return found == ids_.end() ? std::nullopt : std::optional(StringId{found->second});
}

StringId StringTable::findSlowly(std::string_view text) {
    auto found = ids_.find(text);
    std::uint32_t id = 0;
    if (found != ids_.end()) {
        id = found->second;
    } else {
        id = takeId();
        place(id, text);
        free_ = std::exchange(entries_[id].next, 0);
    }
    recent_[recentSlot(text)] = id;
    return {id};
}

void StringTable::free(std::uint32_t id) noexcept {
    Entry& entry = entries_[id];
    ids_.erase(entry.text);
    entry = {};
    entry.next = std::exchange(free_, id);
    ++reuses_;
}

void StringTable::setIdle(std::uint32_t id) noexcept {
    Entry& entry = entries_[id];
    if (entry.isIdle) return;
    entry.isIdle = true;
    entry.next = std::exchange(idle_, id);
}

void StringTable::freeIdle() noexcept {
    for (std::uint32_t id = std::exchange(idle_, 0); id != 0;) {
        Entry& entry = entries_[id];
        const std::uint32_t next = std::exchange(entry.next, 0);
        entry.isIdle = false;
        // It may be in use again by now.
        if (entry.names == 0 && !entry.isKept && !entry.isField) free(id);
        id = next;
    }
}

void StringTable::startSweep() noexcept {
    for (Entry& entry : entries_) entry.isMarked = false;
}

void StringTable::endSweep(std::int64_t frame, std::int64_t oldest, std::size_t lookedAt) noexcept {
    for (std::uint32_t id = 1; id < entries_.size(); ++id) {
        Entry& entry = entries_[id];
        if (!entry.isField) continue;
        if (entry.isMarked) {
            entry.unneededSince = needed;
        } else if (entry.unneededSince == needed) {
            entry.unneededSince = frame;
        } else if (entry.unneededSince <= oldest) {
            entry.isField = false;
            if (entry.names == 0 && !entry.isKept && !entry.isIdle) free(id);
        }
    }
    newFields_ = 0;
    enough_ = std::max({fewest, entries_.size() / 4, lookedAt / 8});
}

void StringTable::forgetSweepsAfter(std::int64_t frame) noexcept {
    for (Entry& entry : entries_)
        if (entry.unneededSince > frame) entry.unneededSince = needed;
}

std::uint32_t StringTable::findClash(std::span<const std::string> texts) const noexcept {
    for (std::uint32_t id = 1; id < texts.size(); ++id) {
        if (texts[id].empty()) continue;
        auto found = ids_.find(texts[id]);
        const bool isThere = found != ids_.end() && found->second == id;
        if (!isThere && (found != ids_.end() || isUsed({id}))) return id;
    }
    return 0;
}

void StringTable::open(std::span<const std::string> texts) {
    while (entries_.size() < texts.size()) entries_.emplace_back();
    // The list of free ids is made anew, at the end: whatever is thrown, none is lost.
    struct Relist {
        StringTable& table;
        ~Relist() {
            table.free_ = 0;
            for (auto id = table.idLimit(); id-- > 1;)
                if (Entry& entry = table.entries_[id]; entry.text.empty())
                    entry.next = std::exchange(table.free_, id);
        }
    } const relist{*this};
    for (std::uint32_t id = 1; id < texts.size(); ++id) {
        if (texts[id].empty()) continue;
        if (!isUsed({id})) place(id, texts[id]);
        newFields_ += entries_[id].isField ? 0 : 1;
        entries_[id].isField = true;
        entries_[id].unneededSince = needed;
    }
}

}  // namespace revenant
