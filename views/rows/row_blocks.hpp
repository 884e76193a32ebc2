// RowBlocks: which places of a view's arrays hold its rows.
//
// Rows are together or spread. Together, row i is at place i, and there are no blocks. Spread, they are in blocks of
// equally many places, each of which begins with rows and ends with spare places: a row that comes or goes moves those of
// its block, not all rows behind it. The last block ends with its last row.
// Owned by ViewRows.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace revenant {

// When rows are spread, and when they are brought together again: see ViewRows::apply. Others only in tests.
struct SpreadRule {
    std::size_t blockPlaces = 1024;    // a power of two
    std::size_t fewestMoved = 16384;   // a pass that moves fewer rows is cheap enough
    std::size_t rowsPerChange = 4096;  // a change in a block costs what moving so many rows does
    std::uint32_t patience = 4;        // so many passes in a row would have been cheaper in blocks
};

class RowBlocks {
public:
    // REQUIRES: `places`, those of a block, is a power of two.
    explicit RowBlocks(std::size_t places)
        : shift_(static_cast<unsigned>(std::countr_zero(places))) {}

    bool empty() const noexcept { return counts_.empty(); }  // rows are together
    std::size_t size() const noexcept { return counts_.size(); }
    std::size_t blockPlaces() const noexcept { return std::size_t{1} << shift_; }
    // How many rows there are. REQUIRES, here and below: not empty.
    std::size_t rows() const noexcept { return std::size_t{firsts_.back()} + counts_.back(); }
    std::size_t places() const noexcept { return endOf(size() - 1); }
    std::size_t rowsIn(std::size_t block) const noexcept { return counts_[block]; }
    bool isFull(std::size_t block) const noexcept { return counts_[block] == blockPlaces(); }
    std::size_t beginOf(std::size_t block) const noexcept { return block << shift_; }
    // The place behind its last row.
    std::size_t endOf(std::size_t block) const noexcept {
        return (block << shift_) + counts_[block];
    }
    // The block of a place; of the place behind the last row, the last block.
    std::size_t blockOf(std::size_t place) const noexcept {
        return std::min(place >> shift_, size() - 1);
    }
    // REQUIRES: row < rows().
    std::size_t placeOf(std::size_t row) const noexcept {
        const auto behind = std::ranges::upper_bound(firsts_, row);
        const auto block = static_cast<std::size_t>(behind - firsts_.begin()) - 1;
        return beginOf(block) + (row - firsts_[block]);
    }
    // REQUIRES: the place holds a row.
    std::size_t rowAt(std::size_t place) const noexcept {
        const std::size_t block = blockOf(place);
        return firsts_[block] + (place - beginOf(block));
    }

    void clear() noexcept {
        counts_.clear();
        firsts_.clear();
    }
    // Blocks from `first` to before `end` become others, with so many rows. REQUIRES: as many blocks, or end is size().
    void replace(std::size_t first, std::size_t end, const std::vector<std::uint32_t>& counts) {
        const auto at = [this](std::size_t block) {
            return counts_.begin() + static_cast<std::ptrdiff_t>(block);
        };
        firsts_.resize(size() - (end - first) + counts.size());
        counts_.erase(at(first), at(end));
        counts_.insert(at(first), counts.begin(), counts.end());
        for (std::size_t i = first; i < size(); ++i)
            firsts_[i] = i == 0 ? 0 : firsts_[i - 1] + counts_[i - 1];
    }
    void addRow(std::size_t block) noexcept { change(block, 1); }
    void dropRow(std::size_t block) noexcept { change(block, UINT32_MAX); }
    void addBlock() { replace(size(), size(), {0}); }
    // Empty ones at the end, but not the first.
    void dropEmptyBlocks() noexcept {
        while (size() > 1 && counts_.back() == 0) {
            counts_.pop_back();
            firsts_.pop_back();
        }
    }

private:
    void change(std::size_t block, std::uint32_t by) noexcept {
        counts_[block] += by;
        for (std::size_t i = block + 1; i < firsts_.size(); ++i) firsts_[i] += by;
    }

    unsigned shift_;
    std::vector<std::uint32_t> counts_;  // rows in each block
    std::vector<std::uint32_t> firsts_;  // the first row of each
};

}  // namespace revenant
