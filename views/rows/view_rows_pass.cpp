// How rows are brought up to date: changes of a reconcile are collected, then one ordered pass applies them.
#include <algorithm>
#include <chrono>
#include <utility>

#include "views/rows/view_rows.hpp"
#include "world/core/world_core.hpp"
#include "world/storage/bucket_sort.hpp"

namespace revenant {

void ViewRows::drop(const Change& change) {
    touched_ = true;
    drops_.push_back(change.labelBefore);
}

void ViewRows::add(const Change& change, bool isNew) {
    touched_ = true;
    additions_.push_back({change.record, {change.label, change.id.index}, isNew});
}

bool ViewRows::isRebound(const Change& change) noexcept {
    // A component that stays keeps its address, so most changes concern other components.
    auto comesOrGoes = [&](ComponentTypeId type) {
        return change.visibleBefore->has(type) != change.visible->has(type);
    };
    if (!change.replaced && std::ranges::none_of(signature_.optional, comesOrGoes)) return false;
    // A spare place may have the label of the row before it.
    if (lastRebound_ >= places() || heads_[lastRebound_].label > change.labelBefore ||
        heads_[lastRebound_].index == RowHead::noEntity)
        lastRebound_ = 0;
    lastRebound_ = findRow(change.labelBefore, lastRebound_);
    return pointsElsewhere(lastRebound_, *change.record, *change.record->visibleShape);
}

void ViewRows::rebind(const Change& change) {
    touched_ = true;
    rebinds_.push_back(change.record);
}

// Rows of a view are together, unless that was dear: when several passes in a row moved many rows for few changes, they are
// spread; when there are many changes, they are brought together again, which costs as much as a pass over all.
void ViewRows::apply(const ChangeSet& changes) {
    const auto begin = std::chrono::steady_clock::now();
    if (!std::ranges::is_sorted(drops_)) bucketSort(drops_, dropScratch_);
    const std::size_t changed = drops_.size() + additions_.size() + rebinds_.size();
    const std::uint64_t movedBefore = stats_.rowsMoved;
    if (isSpread() && !maySpreadStay(changed)) bringTogether();
    const bool wasSpread = isSpread();
    if (wasSpread)
        applySpread(changes);
    else
        applyTogether(changes);
    const bool areSegmentsKnown = segmentsAsOf_ == version_;
    for (PageList& list : pageLists_) list.asOf += list.asOf == version_ ? 1 : 0;
    ++version_;
    if (areSegmentsKnown) segmentsAsOf_ = version_;
    ++stats_.passes;
    stats_.rowsDropped += drops_.size();
    stats_.rowsAdded += additions_.size();
    needed_ = std::max({drops_.size(), additions_.size(), rebinds_.size()});
    drops_.clear();
    droppedRows_.clear();
    additions_.clear();
    rebinds_.clear();
    touched_ = false;
    if (!wasSpread && wouldRatherSpread(changed, stats_.rowsMoved - movedBefore)) spread();
    const auto elapsed = std::chrono::steady_clock::now() - begin;
    stats_.nanoseconds += static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
}

void ViewRows::applyTogether(const ChangeSet& changes) {
    const std::size_t countBefore = count();
    findDropped();
    for (const std::size_t dropped : droppedRows_) discountRow(dropped);
    relabel(changes.relabelled);
    planMoves();
    moveRows(countBefore - droppedRows_.size() + additions_.size());
    writeAdditions(changes.clock);
    for (const std::size_t added : addedRows_) countRow(added);
    std::size_t row = 0;
    reboundRows_.clear();
    for (const EntityRecord* record : rebinds_) {
        row = lowerBound(record->opening.label, row);
        discountRow(row);
        writeRow(row, *record);
        countRow(row);
        reboundRows_.push_back(row);
    }
    patchSegments(countBefore);
}

void ViewRows::settlePeak() noexcept {
    if (!peaks_.note(std::exchange(needed_, 0))) return;
    addedRows_.clear();
    moves_.clear();
    kept_.clear();
    reboundRows_.clear();
    segmentsBefore_.clear();
    dropScratch_.clear();
    world_.reconciler().givenBack().take(drops_, dropScratch_, additions_, rebinds_, droppedRows_,
                                         addedRows_, moves_, kept_, reboundRows_, segmentsBefore_);
}

void ViewRows::findDropped() {
    droppedRows_.clear();
    std::size_t row = 0;
    for (const std::uint32_t label : drops_) {
        row = lowerBound(label, row);
        droppedRows_.push_back(row++);
    }
}

// Relabelling keeps the order and stays within its range, so the rows concerned are consecutive.
// A row that is about to be dropped, and a spare place, take the label of the row before: they have none in the order.
void ViewRows::relabel(std::span<const LabelRange> ranges) {
    const EntityPool& pool = world_.forest().pool;
    for (const LabelRange& range : ranges) {
        const std::size_t first = lowerBound(range.begin);
        const std::size_t end = lowerBound(range.end, first);
        auto dropped = std::ranges::lower_bound(droppedRows_, first);
        auto label = static_cast<std::uint32_t>(range.begin);
        for (std::size_t row = first; row < end; ++row) {
            if (dropped != droppedRows_.end() && *dropped == row)
                ++dropped;
            else if (heads_[row].index != RowHead::noEntity)
                label = pool.at(heads_[row].index).opening.label;
            heads_[row].label = label;
        }
    }
}

// Where each run of rows that stays together goes, and each addition.
void ViewRows::planMoves() {
    moves_.clear();
    kept_.clear();
    addedRows_.clear();
    std::size_t from = 0;
    std::size_t to = 0;
    auto keepUntil = [&](std::size_t end) {
        if (end > from) kept_.push_back({from, to, end - from});
        if (end > from && from != to) moves_.push_back({from, to, end - from});
        to += end - from;
        from = end;
    };
    auto dropped = droppedRows_.begin();
    std::size_t place = 0;
    for (const Addition& addition : additions_) {
        const std::uint32_t label = addition.head.label;
        const bool atEnd = place == count() || heads_[count() - 1].label < label;
        place = atEnd ? count() : lowerBound(label, place);
        for (; dropped != droppedRows_.end() && *dropped < place; ++dropped) {
            keepUntil(*dropped);
            ++from;
        }
        keepUntil(place);
        addedRows_.push_back(to++);
    }
    for (; dropped != droppedRows_.end(); ++dropped) {
        keepUntil(*dropped);
        ++from;
    }
    keepUntil(count());
    for (const Move& move : moves_) stats_.rowsMoved += move.count;
}

// Each row is moved at most once, in place: first those that go to the front, from the front;
// then those that go to the back, from the back. Neither kind overwrites what the other has yet
// to move, as the rows keep their order.
void ViewRows::moveRows(std::size_t placesAfter) {
    auto apply = [&](auto& array) {
        array.resize(std::max(array.size(), placesAfter));
        for (const Move& move : moves_)
            if (move.to < move.from) array.move(move.from, move.to, move.count);
        for (auto move = moves_.rbegin(); move != moves_.rend(); ++move)
            if (move->to > move->from) array.move(move->from, move->to, move->count);
        array.resize(placesAfter);
    };
    for (ViewColumn& column : columns_) apply(column.pointers);
    apply(heads_);
}

}  // namespace revenant
