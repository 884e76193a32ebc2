// Where rows lie in memory, so that the right kind of loop can be chosen for them.
#include <algorithm>
#include <array>

#include "views/rows/view_rows.hpp"

namespace revenant {

namespace {

// Shorter contiguous runs cost more to set up than they save.
constexpr std::uint32_t shortestRun = 32;

// Goes through rows from the first to the last, and puts their segments together.
class SegmentScan {
public:
    SegmentScan(std::span<const ViewColumn> mustHave, std::vector<Segment>& segments)
        : mustHave_(mustHave), segments_(segments), hasEqualSizes_(mustHave.size() > 1) {
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
        if (next_ == 0 && end > 0) ++next_;
        rowsLookedAt_ += end - next_;
        for (; next_ < end; ++next_) look(next_);
    }
    // The next rows, which lie in one segment as they did.
    void keep(std::size_t end, RowLayout layout) {
        if (next_ > 0) look(next_);
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
        if (layout == RowLayout::Scattered && !segments_.empty() &&
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
    std::size_t next_ = 0;
    std::size_t run_ = 0;    // first of the neighbours that lie side by side
    std::size_t begin_ = 0;  // first of those in step, or of those to be read through pointers
};

}  // namespace

void ViewRows::findSegments() const {
    segments_.clear();
    contiguousRows_ = 0;
    segmentsAsOf_ = 0;  // until all are found
    const std::size_t mustHave = signature_.mustHave.size();
    if (count() > 0 && mustHave == 0) {
        segments_.push_back({0, static_cast<std::uint32_t>(count()), RowLayout::Scattered});
    } else {
        SegmentScan scan(columns().first(mustHave), segments_);
        scan.scan(count());
        scan.finish();
        contiguousRows_ = scan.contiguousRows();
        stats_.rowsLookedAt += scan.rowsLookedAt();
    }
    segmentsAsOf_ = version_;
}

// Rows that stay together lie as they did: only those near a change are looked at.
void ViewRows::patchSegments(std::size_t countBefore) {
    // A run that has just become long enough ends less than so many rows from the change.
    constexpr std::size_t margin = shortestRun;
    // With more changes, all are looked at when segments are next asked for.
    constexpr std::size_t fewestRowsPerChange = 8 * margin;
    const std::size_t changes = kept_.size() + reboundRows_.size();
    if (segmentsAsOf_ != version_ || signature_.mustHave.empty() ||
        changes * fewestRowsPerChange > count())
        return;
    segmentsAsOf_ = 0;  // until all are found
    splitAtRebound();
    segmentsBefore_.swap(segments_);
    segments_.clear();
    SegmentScan scan(columns().first(signature_.mustHave.size()), segments_);
    auto before = segmentsBefore_.begin();
    for (const Move& kept : kept_) {
        const std::size_t end = kept.from + kept.count;
        const bool isFirst = kept.from == 0 && kept.to == 0;
        const bool isLast = end == countBefore && kept.to + kept.count == count();
        std::size_t at = isFirst ? 0 : kept.from + margin;
        const std::size_t last = isLast ? end : end - std::min(end, margin);
        if (at < last) {
            scan.scan(kept.to + (at - kept.from));
            while (before->first + before->count <= at) ++before;
            for (; at < last; ++before) {
                const std::size_t segmentEnd =
                    std::min<std::size_t>(before->first + before->count, last);
                scan.keep(kept.to + (segmentEnd - kept.from), before->layout);
                at = segmentEnd;
                if (at == last) break;
            }
        }
        scan.scan(kept.to + kept.count);
    }
    scan.scan(count());
    scan.finish();
    contiguousRows_ = scan.contiguousRows();
    stats_.rowsLookedAt += scan.rowsLookedAt();
    segmentsAsOf_ = version_ + 1;  // the pass raises it
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
    std::size_t next = 0;
    std::size_t contiguous = 0;
    for (const Segment& segment : segments_) {
        if (segment.first != next || segment.count == 0) break;
        next += segment.count;
        if (segment.layout == RowLayout::Contiguous) contiguous += segment.count;
        for (std::size_t row = segment.first + 1; row < next; ++row) {
            const std::ptrdiff_t step =
                mustHave.empty() ? 0 : mustHave[0].pointers[row] - mustHave[0].pointers[row - 1];
            for (const ViewColumn& column : mustHave) {
                const std::ptrdiff_t own = column.pointers[row] - column.pointers[row - 1];
                const bool isRight =
                    segment.layout == RowLayout::Scattered ||
                    own == (segment.layout == RowLayout::InStep ? step : column.type->schema.size);
                if (isRight) continue;
                problems.push_back(
                    sentence("row ", row, " of a view does not lie as its segment says"));
                return;
            }
        }
    }
    if (next != count() || contiguous != contiguousRows_)
        problems.push_back(sentence("the segments of a view have ", next, " rows of ", count()));
}

}  // namespace revenant
