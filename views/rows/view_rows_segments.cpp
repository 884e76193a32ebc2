// Where rows lie in memory, so that the right kind of loop can be chosen for them.
#include <algorithm>
#include <array>

#include "views/rows/view_rows.hpp"

namespace revenant {

namespace {

// Shorter contiguous runs cost more to set up than they save.
constexpr std::uint32_t shortestRun = 32;
// A run that has just become long enough ends less than so many rows from the change.
constexpr std::size_t margin = shortestRun;

// Goes through rows that are in one piece, from the one at `begin`, and puts their segments together.
class SegmentScan {
public:
    SegmentScan(std::span<const ViewColumn> mustHave, std::size_t begin,
                std::vector<Segment>& segments)
        : mustHave_(mustHave),
          segments_(segments),
          hasEqualSizes_(mustHave.size() > 1),
          firstSegment_(segments.size()),
          start_(begin),
          next_(begin),
          run_(begin),
          begin_(begin) {
        for (std::size_t i = 0; i < mustHave.size(); ++i) {
            pointers_[i] = mustHave[i].pointers.data();
            sizes_[i] = mustHave[i].type->schema.size;
            // One column has nothing to be in step with.
            hasEqualSizes_ = hasEqualSizes_ && sizes_[i] == sizes_[0];
        }
        apart_ = hasEqualSizes_ ? RowLayout::InStep : RowLayout::Scattered;
    }

    // The next rows, of which nothing is known.
    void scan(std::size_t end) {
        if (next_ == start_ && end > start_) ++next_;
        rowsLookedAt_ += end - next_;
        for (; next_ < end; ++next_) look(next_);
    }
    // The next rows, which lie in one segment as they did.
    void keep(std::size_t end, RowLayout layout) {
        if (next_ > start_) look(next_);
        const std::size_t last = end - 1;
        if (layout == RowLayout::Scattered && hasEqualSizes_ && last > next_) {
            endRun(next_);
            append(next_, last, layout);
            begin_ = last;
        }
        if (layout != RowLayout::Contiguous) run_ = last;
        next_ = end;
    }
    void finish() { endRun(next_); }
    std::size_t contiguousRows() const noexcept { return contiguousRows_; }
    std::size_t rowsLookedAt() const noexcept { return rowsLookedAt_; }

private:
    void look(std::size_t row) {
        const std::ptrdiff_t step = pointers_[0][row] - pointers_[0][row - 1];
        bool follows = step == sizes_[0];
        bool isInStep = true;
        for (std::size_t i = 1; i < mustHave_.size(); ++i) {
            const std::ptrdiff_t other = pointers_[i][row] - pointers_[i][row - 1];
            follows &= other == sizes_[i];
            isInStep &= other == step;
        }
        // One rare branch per row: after churn it cannot be predicted where neighbours end.
        const bool ends = (hasEqualSizes_ && !isInStep) | (row - run_ >= shortestRun);
        if (ends & !follows) endRun(row);
        run_ = follows ? run_ : row;
    }
    void endRun(std::size_t row) {
        if (row - run_ >= shortestRun) {
            append(begin_, run_, apart_);
            append(run_, row, RowLayout::Contiguous);
        } else {
            append(begin_, row, apart_);
        }
        begin_ = row;
    }
    void append(std::size_t first, std::size_t end, RowLayout layout) {
        if (first == end) return;
        const auto length = static_cast<std::uint32_t>(end - first);
        if (length < shortestRun) layout = RowLayout::Scattered;
        if (layout == RowLayout::Contiguous) contiguousRows_ += length;
        if (layout == RowLayout::Scattered && segments_.size() > firstSegment_ &&
            segments_.back().layout == RowLayout::Scattered)
            segments_.back().count += length;
        else
            segments_.push_back({static_cast<std::uint32_t>(first), length, layout});
    }

    std::span<const ViewColumn> mustHave_;
    std::vector<Segment>& segments_;
    std::array<const std::byte* const*, maxComponentsPerEntity> pointers_{};
    std::array<std::ptrdiff_t, maxComponentsPerEntity> sizes_{};
    bool hasEqualSizes_;
    RowLayout apart_ = RowLayout::Scattered;
    std::size_t contiguousRows_ = 0;
    std::size_t rowsLookedAt_ = 0;
    std::size_t firstSegment_;
    std::size_t start_;
    std::size_t next_;
    std::size_t run_;    // first of the neighbours that lie side by side
    std::size_t begin_;  // first of those in step, or of those to be read through pointers
};

using Segments = std::vector<Segment>;

// The next rows, `count` from place `to` on, which were in one piece from `from` on. Those near its ends are looked at, but not at
// an end that is not `open`: rows have come to lie beside it no more than before. `before`: the segments as they were, from any
// before these rows on.
void scanKept(SegmentScan& scan, std::size_t from, std::size_t to, std::size_t count,
              bool isBeginOpen, bool isEndOpen, Segments::const_iterator& before) {
    const std::size_t end = from + count;
    std::size_t at = isBeginOpen ? from + margin : from;
    const std::size_t last = isEndOpen ? end - std::min(end, margin) : end;
    if (at < last) {
        scan.scan(to + (at - from));
        while (before->first + before->count <= at) ++before;
        for (; at < last; ++before) {
            const std::size_t segmentEnd =
                std::min<std::size_t>(before->first + before->count, last);
            scan.keep(to + (segmentEnd - from), before->layout);
            at = segmentEnd;
            if (at == last) break;
        }
    }
    scan.scan(to + count);
}

}  // namespace

void ViewRows::findSegments() const {
    segments_.clear();
    contiguousRows_ = 0;
    segmentsAsOf_ = 0;  // until all are found
    const auto mustHave = columns().first(signature_.mustHave.size());
    for (std::size_t begin = nextPlace(0); begin < places();) {
        const std::size_t end = endOfPiece(begin);
        if (mustHave.empty()) {
            segments_.push_back({static_cast<std::uint32_t>(begin),
                                 static_cast<std::uint32_t>(end - begin), RowLayout::Scattered});
        } else {
            SegmentScan scan(mustHave, begin, segments_);
            scan.scan(end);
            scan.finish();
            contiguousRows_ += scan.contiguousRows();
            stats_.rowsLookedAt += scan.rowsLookedAt();
        }
        begin = nextPlace(end);
    }
    segmentsAsOf_ = version_;
}

// Rows that stay together lie as they did: only those near a change are looked at. REQUIRES: they are not spread.
void ViewRows::patchSegments(std::size_t placesBefore) {
    // With more changes, all are looked at when segments are next asked for.
    constexpr std::size_t fewestRowsPerChange = 8 * margin;
    const std::size_t changes = kept_.size() + reboundRows_.size();
    const bool isKnown = segmentsAsOf_ == version_;
    segmentsAsOf_ = 0;  // until all are found
    if (!isKnown || signature_.mustHave.empty() || changes * fewestRowsPerChange > count()) return;
    splitAtRebound();
    segmentsBefore_.swap(segments_);
    segments_.clear();
    SegmentScan scan(columns().first(signature_.mustHave.size()), 0, segments_);
    auto before = segmentsBefore_.cbegin();
    for (const Move& kept : kept_) {
        const std::size_t end = kept.from + kept.count;
        const bool isFirst = kept.from == 0 && kept.to == 0;
        const bool isLast = end == placesBefore && kept.to + kept.count == count();
        scanKept(scan, kept.from, kept.to, kept.count, !isFirst, !isLast, before);
    }
    scan.scan(count());
    scan.finish();
    contiguousRows_ = scan.contiguousRows();
    stats_.rowsLookedAt += scan.rowsLookedAt();
    segmentsAsOf_ = version_;
}

// The same for blocks whose rows changed, or lie in others now: of those in `kept_` it is known how they lay.
void ViewRows::patchBlocks(std::size_t firstBlock, std::size_t endBlock) {
    if (segmentsAsOf_ != version_) return;
    segmentsAsOf_ = 0;  // until all are found
    const auto isBefore = [](const Segment& segment, std::size_t place) {
        return segment.first < place;
    };
    const auto first =
        std::lower_bound(segments_.begin(), segments_.end(), blocks_.beginOf(firstBlock), isBefore);
    const auto end =
        endBlock == blocks_.size()
            ? segments_.end()
            : std::lower_bound(first, segments_.end(), blocks_.beginOf(endBlock), isBefore);
    segmentsBefore_.assign(first, end);
    for (const Segment& segment : segmentsBefore_)
        if (segment.layout == RowLayout::Contiguous) contiguousRows_ -= segment.count;
    segmentsAfter_.clear();
    const auto mustHave = columns().first(signature_.mustHave.size());
    auto before = segmentsBefore_.cbegin();
    auto kept = kept_.begin();
    for (std::size_t block = firstBlock; block < endBlock; ++block) {
        const std::size_t blockBegin = blocks_.beginOf(block);
        const std::size_t blockEnd = blocks_.endOf(block);
        if (blockBegin == blockEnd) continue;
        if (mustHave.empty()) {
            segmentsAfter_.push_back({static_cast<std::uint32_t>(blockBegin),
                                      static_cast<std::uint32_t>(blockEnd - blockBegin),
                                      RowLayout::Scattered});
            continue;
        }
        SegmentScan scan(mustHave, blockBegin, segmentsAfter_);
        for (; kept != kept_.end() && kept->to < blockEnd; ++kept) {
            const bool isFirst = kept->from == kept->to && kept->to == blockBegin;
            scanKept(scan, kept->from, kept->to, kept->count, !isFirst, true, before);
        }
        scan.scan(blockEnd);
        scan.finish();
        contiguousRows_ += scan.contiguousRows();
        stats_.rowsLookedAt += scan.rowsLookedAt();
    }
    const auto place = segments_.erase(first, end);
    segments_.insert(place, segmentsAfter_.begin(), segmentsAfter_.end());
    segmentsAsOf_ = version_;
}

// Takes the rows that were rebound out of those that are kept.
void ViewRows::splitAtRebound() {
    if (reboundRows_.empty()) return;
    std::vector<Move> parts;
    auto rebound = reboundRows_.begin();
    for (Move kept : kept_) {
        for (; rebound != reboundRows_.end() && *rebound < kept.to + kept.count; ++rebound) {
            if (*rebound < kept.to) continue;
            const std::size_t length = *rebound - kept.to;
            if (length > 0) parts.push_back({kept.from, kept.to, length});
            kept = {kept.from + length + 1, kept.to + length + 1, kept.count - length - 1};
        }
        if (kept.count > 0) parts.push_back(kept);
    }
    kept_.swap(parts);
}

void ViewRows::validateSegments(std::vector<std::string>& problems) const {
    if (!isReady()) return;
    const std::span<const ViewColumn> mustHave = columns().first(signature_.mustHave.size());
    std::size_t next = nextPlace(0);
    std::size_t rows = 0;
    std::size_t contiguous = 0;
    for (const Segment& segment : segments_) {
        const std::size_t end = std::size_t{segment.first} + segment.count;
        if (segment.first != next || segment.count == 0 || end > endOfPiece(segment.first)) break;
        if (segment.layout == RowLayout::Contiguous) contiguous += segment.count;
        for (std::size_t place = segment.first + 1; place < end; ++place) {
            const std::ptrdiff_t step =
                mustHave.empty() ? 0
                                 : mustHave[0].pointers[place] - mustHave[0].pointers[place - 1];
            for (const ViewColumn& column : mustHave) {
                const std::ptrdiff_t own = column.pointers[place] - column.pointers[place - 1];
                const bool isRight =
                    segment.layout == RowLayout::Scattered ||
                    own == (segment.layout == RowLayout::InStep ? step : column.type->schema.size);
                if (isRight) continue;
                problems.push_back(
                    sentence("row ", rowAt(place), " of a view does not lie as its segment says"));
                return;
            }
        }
        rows += segment.count;
        next = nextPlace(end);
    }
    if (rows != count() || contiguous != contiguousRows_)
        problems.push_back(sentence("the segments of a view have ", rows, " rows of ", count()));
}

}  // namespace revenant
