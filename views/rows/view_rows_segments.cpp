// Where rows lie in memory, so that the right kind of loop can be chosen for them.
#include <array>

#include "views/rows/view_rows.hpp"

namespace revenant {

namespace {

// Shorter contiguous runs cost more to set up than they save.
constexpr std::uint32_t shortestRun = 32;

}  // namespace

void ViewRows::findSegments() const {
    segments_.clear();
    contiguousRows_ = 0;
    segmentsAsOf_ = 0;  // until all are found
    const std::size_t mustHave = signature_.mustHave.size();
    if (count() == 0 || mustHave == 0) {
        appendSegment(0, count(), RowLayout::Scattered);
        segmentsAsOf_ = version_;
        return;
    }
    std::array<const std::byte* const*, maxComponentsPerEntity> pointers{};
    std::array<std::ptrdiff_t, maxComponentsPerEntity> sizes{};
    bool equalSizes = mustHave > 1;  // one column has nothing to be in step with
    for (std::size_t i = 0; i < mustHave; ++i) {
        pointers[i] = columns_[i].pointers.data();
        sizes[i] = columns_[i].type->schema.size;
        equalSizes = equalSizes && sizes[i] == sizes[0];
    }
    const RowLayout apart = equalSizes ? RowLayout::InStep : RowLayout::Scattered;
    std::size_t run = 0;    // first of the neighbours that lie side by side
    std::size_t begin = 0;  // first of those in step, or of those to be read through pointers
    auto endRun = [&](std::size_t row) {
        if (row - run >= shortestRun) {
            appendSegment(begin, run, apart);
            appendSegment(run, row, RowLayout::Contiguous);
        } else {
            appendSegment(begin, row, apart);
        }
        begin = row;
    };
    for (std::size_t row = 1; row < count(); ++row) {
        const std::ptrdiff_t step = pointers[0][row] - pointers[0][row - 1];
        bool follows = step == sizes[0];
        bool inStep = true;
        for (std::size_t i = 1; i < mustHave; ++i) {
            const std::ptrdiff_t other = pointers[i][row] - pointers[i][row - 1];
            follows &= other == sizes[i];
            inStep &= other == step;
        }
        // One rare branch per row: after churn it cannot be predicted where neighbours end.
        const bool ends = (equalSizes && !inStep) | (row - run >= shortestRun);
        if (ends & !follows) endRun(row);
        run = follows ? run : row;
    }
    endRun(count());
    segmentsAsOf_ = version_;
}

void ViewRows::appendSegment(std::size_t first, std::size_t end, RowLayout layout) const {
    if (first == end) return;
    const auto length = static_cast<std::uint32_t>(end - first);
    if (length < shortestRun) layout = RowLayout::Scattered;
    if (layout == RowLayout::Contiguous) contiguousRows_ += length;
    if (layout == RowLayout::Scattered && !segments_.empty() &&
        segments_.back().layout == RowLayout::Scattered)
        segments_.back().count += length;
    else
        segments_.push_back({static_cast<std::uint32_t>(first), length, layout});
}

}  // namespace revenant
