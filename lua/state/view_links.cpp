#include "lua/state/view_links.hpp"

#include <algorithm>
#include <utility>

#include "views/rows/view_tables.hpp"
#include "world/error.hpp"

namespace revenant {

std::uint32_t ViewLinks::add(std::shared_ptr<ComponentsView> view) {
    for (std::size_t i = 0; i < views_.size(); ++i)
        if (views_[i].view == view) {
            ++views_[i].uses;
            return static_cast<std::uint32_t>(i);
        }
    ViewLink added;
    added.cells.resize(view->getColumns().size() + 1);
    added.view = std::move(view);
    added.uses = 1;
    auto free = std::ranges::find_if(views_, [](const ViewLink& each) { return !each.view; });
    if (free == views_.end()) free = views_.insert(views_.end(), ViewLink{});
    *free = std::move(added);
    return static_cast<std::uint32_t>(free - views_.begin());
}

ViewLink& ViewLinks::at(std::uint32_t number) {
    if (number >= views_.size() || !views_[number].view)
        fail(ErrorCode::ReleasedView, "this view was released; ask for it again");
    return views_[number];
}

void ViewLinks::release(std::uint32_t number) {
    for (ColumnCells*& cells : at(number).cells) {
        if (!cells) continue;
        std::erase(open_, cells);
        cells->count = 0;
        cells->released = 1;
        cells = nullptr;
    }
    drop(number);
}

void ViewLinks::drop(std::uint32_t number) {
    ViewLink& dropped = at(number);
    if (--dropped.uses == 0) dropped = ViewLink{};
}

void ViewLinks::openColumn(ColumnCells& cells, std::uint32_t number, std::int32_t place,
                           std::uint32_t tick) {
    const ViewLink& link = at(number);
    const ComponentsView& view = *link.view;
    const ViewRows& rows = ViewRows::of(view);
    if (place < 0) {
        cells.rows = rows.headsByRow();
    } else {
        const Column& column = view.getColumns()[static_cast<std::size_t>(place)];
        cells.rows = rows.pointersByRow(ViewRows::of(column));
        if (!column.isReadOnly()) rows.markOpen(ViewRows::of(column), tick);
    }
    if (cells.count == 0 && rows.count() > 0) open_.push_back(&cells);
    cells.count = static_cast<std::int32_t>(rows.count());
}

namespace {

// A column as Lua reads it: by row.
struct ColumnRows {
    const ViewColumn* column;
    std::byte* const* pointers;
};
using ViewColumns = std::vector<ColumnRows>;

// How many rows from `first` on lie side by side in all columns. `segment`: the one that `first` is in. Rows of a contiguous
// one are not looked at.
std::size_t lengthOfRun(const ViewColumns& columns, std::size_t first, std::size_t count,
                        std::span<const Segment>::iterator segment) {
    std::size_t length = count - first;
    for (const auto& [column, rows] : columns) {
        std::byte* const* pointers = rows + first;
        const std::size_t stride =
            isEmpty(static_cast<const void*>(pointers[0])) ? 0 : column->type->schema.size;
        auto at = segment;
        std::size_t run = 1;
        while (run < length) {
            const std::size_t end = std::size_t{at->first} + at->count - first;
            if (run >= end) {
                if (pointers[run] != pointers[0] + run * stride) break;
                ++at;
                ++run;
            } else if (!column->optional && at->layout == RowLayout::Contiguous) {
                run = std::min(end, length);
            } else {
                if (pointers[run] != pointers[0] + run * stride) break;
                ++run;
            }
        }
        length = run;
    }
    return length;
}

// How many rows from `first` on have the same of the components.
std::size_t lengthOfLikes(const ViewColumns& optional, std::size_t first, std::size_t count) {
    std::size_t length = count - first;
    for (const auto& [column, rows] : optional) {
        std::byte* const* pointers = rows + first;
        const bool isAbsent = isEmpty(static_cast<const void*>(pointers[0]));
        std::size_t run = 1;
        while (run < length && isEmpty(static_cast<const void*>(pointers[run])) == isAbsent) ++run;
        length = run;
    }
    return length;
}

}  // namespace

ViewLink::Runs& ViewLinks::findRuns(ViewLink& link, std::uint64_t columns, bool mayScatter) {
    // Per run, on average, for which runs are worth it. Measured: to begin a run takes as long as the pointers of so many rows.
    constexpr std::size_t fewestRows = 64;
    constexpr std::size_t runsToTell = 64;
    const ViewRows& rows = ViewRows::of(*link.view);
    auto known = std::ranges::find_if(link.runs, [&](const ViewLink::Runs& each) {
        return each.columns == columns && each.mayScatter == mayScatter;
    });
    if (known == link.runs.end())
        known = link.runs.insert(known, {columns, mayScatter, false, 0, {}, {}, 0, 1, 0});
    if (known->asOf == rows.version()) return *known;
    known->asOf = 0;
    ViewColumns asked;
    ViewColumns optional;
    const auto all = link.view->getColumns();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if ((columns >> i & 1) == 0) continue;
        const ViewColumn& column = ViewRows::of(all[i]);
        asked.push_back({&column, rows.pointersByRow(column)});
        if (all[i].isOptional()) optional.push_back(asked.back());
    }
    // False: they are too short.
    auto find = [&](auto lengthAt, bool mayStop) {
        known->runs.clear();
        for (std::size_t first = 0; first < rows.count();) {
            const std::size_t length = lengthAt(first);
            known->runs.push_back(
                {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(length)});
            first += length;
            if (mayStop && known->runs.size() >= runsToTell &&
                first < fewestRows * known->runs.size())
                return false;
        }
        return !mayStop || known->runs.size() <= 1 ||
               rows.count() >= fewestRows * known->runs.size();
    };
    // Where runs were too short, they probably still are: a few will tell.
    const Segment unknown{0, static_cast<std::uint32_t>(rows.count()), RowLayout::Scattered};
    // Segments of rows that are spread are not by row.
    const bool isWorthSegments = !rows.isSpread() && (!known->isScattered || rows.isReady());
    auto segment = (isWorthSegments ? rows.segments() : std::span(&unknown, 1)).begin();
    auto lengthAt = [&](std::size_t first) {
        while (std::size_t{segment->first} + segment->count <= first) ++segment;
        return lengthOfRun(asked, first, rows.count(), segment);
    };
    const bool isLong = find(lengthAt, mayScatter);
    known->longSince = isLong ? known->longSince + 1 : 0;
    if (known->isScattered && known->longSince >= known->patience) {
        known->isScattered = false;
        known->patience *= 2;
    }
    known->isScattered = known->isScattered || !isLong;
    if (known->isScattered)
        find([&](std::size_t first) { return lengthOfLikes(optional, first, rows.count()); },
             false);
    known->asOf = rows.version();
    return *known;
}

// Where all rows are one run, a loop over it is the same as the last one if it starts where that did.
void ViewLinks::noteStarts(const ViewLink& link, ViewLink::Runs& runs) {
    const auto all = link.view->getColumns();
    runs.starts.resize(all.size(), &runs);
    bool isOther = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if ((runs.columns >> i & 1) == 0) continue;
        std::byte* const* pointers = ViewRows::of(*link.view).pointersByRow(ViewRows::of(all[i]));
        const void* start = pointers[0];
        if (isEmpty(start))
            start = nullptr;
        else if (runs.isScattered)
            start = pointers;
        isOther = std::exchange(runs.starts[i], start) != start || isOther;
    }
    if (isOther) ++runs.startChanges;
}

const ViewLink::Runs& ViewLinks::openRuns(ColumnCells& cells, std::uint32_t number,
                                          std::uint64_t columns, bool mayScatter,
                                          std::uint32_t tick) {
    ViewLink& link = at(number);
    if (std::ranges::find(link.cells, &cells) == link.cells.end()) link.cells.push_back(&cells);
    const std::size_t columnCount = link.view->getColumns().size();
    for (std::size_t i = 0; i < columnCount; ++i) {
        ColumnCells* column = link.cells[i + 1];
        if ((columns >> i & 1) != 0 && column && column->count == 0)
            openColumn(*column, number, static_cast<std::int32_t>(i), tick);
    }
    ViewLink::Runs& runs = findRuns(link, columns, mayScatter);
    if (runs.runs.size() == 1) noteStarts(link, runs);
    if (cells.count == 0 && !runs.runs.empty()) open_.push_back(&cells);
    cells.count = static_cast<std::int32_t>(runs.runs.size());
    return runs;
}

void ViewLinks::closeColumns() noexcept {
    for (ColumnCells* cells : open_) cells->count = 0;
    open_.clear();
}

void ViewLinks::releaseAll() noexcept {
    closeColumns();
    for (ViewLink& view : views_)
        for (ColumnCells* cells : view.cells)
            if (cells) cells->released = 1;
    views_.clear();
}

}  // namespace revenant
