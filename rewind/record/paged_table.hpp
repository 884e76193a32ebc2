// PagedTable: entries by index that never move. Growing adds a page instead of copying all entries.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace revenant {

template <class Entry>
class PagedTable {
public:
    static constexpr std::size_t pageEntries = 64;

    std::size_t size() const noexcept { return pages_.size() * pageEntries; }
    std::size_t bytes() const noexcept {
        return size() * sizeof(Entry) + pages_.capacity() * sizeof(pages_[0]);
    }
    // Makes room for `size` entries; new ones are empty.
    void growTo(std::size_t count) {
        while (size() < count) pages_.push_back(std::make_unique<Entry[]>(pageEntries));
    }
    void clear() noexcept { pages_.clear(); }

    // REQUIRE: index < size().
    Entry& operator[](std::size_t index) noexcept {
        return pages_[index / pageEntries][index % pageEntries];
    }
    const Entry& operator[](std::size_t index) const noexcept {
        return pages_[index / pageEntries][index % pageEntries];
    }

private:
    std::vector<std::unique_ptr<Entry[]>> pages_;
};

}  // namespace revenant
