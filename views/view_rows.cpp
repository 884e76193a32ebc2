#include "views/view_rows.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "views/empty.hpp"
#include "world/world.hpp"

namespace revenant {

namespace {

// Shorter contiguous stretches cost more to set up than they save.
constexpr std::uint32_t shortestRun = 32;
// How far a search by label goes step by step, in strides of so many rows.
constexpr std::size_t strideRows = 16;
constexpr int nearStrides = 16;
// So many lookups by entity are searches, before an index of all rows is made.
constexpr std::uint32_t fewLookups = 16;

std::byte* emptyPointer() noexcept {
    // Columns are arrays of one pointer type; whoever reads an optional one gets const.
    return const_cast<std::byte*>(emptyComponent.bytes);
}

}  // namespace

ViewRows::ViewRows(World& world, ViewSignature signature)
    : world_(world), signature_(std::move(signature)) {
    for (const ComponentTypeId type : signature_.mustHave)
        columns_.push_back({&world.components().at(type), false, {}});
    for (const ComponentTypeId type : signature_.optional)
        columns_.push_back({&world.components().at(type), true, {}});
    pageLists_.resize(columns_.size());
    fill();
}

const ViewColumn* ViewRows::findColumn(ComponentTypeId type) const noexcept {
    for (const ViewColumn& column : columns_)
        if (column.type->id == type) return &column;
    return nullptr;
}

void ViewRows::fill() {
    const Forest& forest = world_.forest();
    for (const OrderNode& node : forest.order.nodes()) {
        const EntityRecord& record = forest.recordOf(node);
        if (node.closes || !record.visibleShape || !signature_.matches(*record.visibleShape))
            continue;
        const std::size_t row = count();
        heads_.resize(row + 1);
        for (ViewColumn& column : columns_) column.pointers.resize(row + 1);
        writeRow(row, record);
        addedAt_.resize(forest.pool.count());
        addedAt_[record.id.index] = world_.getTick();
    }
    showRetired();
}

// Views show what was removed until the next reconcile. Of several removals of one component the
// first took away what the world was told of: it is looked at last.
void ViewRows::showRetired() {
    const std::vector<ComponentStore::Retired>& all = world_.components().retired();
    for (std::size_t i = all.size(); i-- > 0;) {
        const ComponentStore::Retired& retired = all[i];
        const EntityRecord& record = world_.forest().pool.at(retired.owner);
        if (!record.visibleShape || !record.visibleShape->has(retired.type)) continue;
        const std::size_t row = lowerBound(record.opening.label);
        if (row == count() || heads_[row].index != retired.owner) continue;
        for (ViewColumn& column : columns_)
            if (column.type->id == retired.type) column.pointers[row] = retired.slot;
    }
}

std::byte* ViewRows::pointerFor(const ViewColumn& column, const EntityRecord& record,
                                const Shape& visible) noexcept {
    if (column.optional && !visible.has(column.type->id)) return emptyPointer();
    return record.slotOf(column.type->id);
}

bool ViewRows::pointsElsewhere(std::size_t row, const EntityRecord& record,
                               const Shape& visible) const noexcept {
    return std::ranges::any_of(columns_, [&](const ViewColumn& column) {
        return column.pointers[row] != pointerFor(column, record, visible);
    });
}

void ViewRows::writeRow(std::size_t row, const EntityRecord& record) {
    heads_[row] = {record.opening.label, record.id.index};
    for (ViewColumn& column : columns_)
        column.pointers[row] = pointerFor(column, record, *record.visibleShape);
}

std::size_t ViewRows::lowerBound(std::uint64_t label, std::size_t from) const noexcept {
    // Searches come in ascending order, so what is sought is near. Strides of equal length, and
    // counting in the last of them, are guessed right by the processor; measured, galloping and
    // halving from the start took twice as long.
    const RowHead* heads = heads_.data();
    for (int stride = 0; stride < nearStrides && from + strideRows <= count(); ++stride) {
        if (heads[from + strideRows - 1].label < label) {
            from += strideRows;
            continue;
        }
        std::size_t below = 0;
        for (std::size_t i = 0; i < strideRows; ++i) below += heads[from + i].label < label ? 1 : 0;
        return from + below;
    }
    // What is not near gets nearer in ever longer steps.
    std::size_t step = strideRows;
    std::size_t end = from;
    while (end < count() && heads[end].label < label) {
        from = end + 1;
        end += step;
        step *= 2;
    }
    const RowHead* found = std::ranges::lower_bound(heads + from, heads + std::min(end, count()),
                                                    label, {}, &RowHead::label);
    return static_cast<std::size_t>(found - heads);
}

void ViewRows::drop(const Change& change) {
    touched_ = true;
    drops_.push_back({change.labelBefore, change.id.index});
}

void ViewRows::add(const Change& change, bool isNew) {
    touched_ = true;
    additions_.push_back({change.record, isNew});
}

bool ViewRows::isRebound(const Change& change) noexcept {
    if (lastRebound_ >= count() || heads_[lastRebound_].label > change.labelBefore)
        lastRebound_ = 0;
    lastRebound_ = lowerBound(change.labelBefore, lastRebound_);
    return pointsElsewhere(lastRebound_, *change.record, *change.record->visibleShape);
}

void ViewRows::rebind(const Change& change) {
    touched_ = true;
    rebinds_.push_back(change.record);
}

void ViewRows::apply(const ChangeSet& changes) {
    const auto begin = std::chrono::steady_clock::now();
    findDropped();
    relabel(changes.relabelled);
    planMoves();
    moveRows();
    writeAdditions(changes.tick);
    std::size_t row = 0;
    for (const EntityRecord* record : rebinds_) {
        row = lowerBound(record->opening.label, row);
        writeRow(row, *record);
    }
    ++version_;
    ++stats_.passes;
    stats_.rowsDropped += drops_.size();
    stats_.rowsAdded += additions_.size();
    drops_.clear();
    droppedRows_.clear();
    additions_.clear();
    rebinds_.clear();
    touched_ = false;
    const auto elapsed = std::chrono::steady_clock::now() - begin;
    stats_.nanoseconds += static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
}

void ViewRows::findDropped() {
    droppedRows_.clear();
    if (!std::ranges::is_sorted(drops_, {}, &Drop::label))
        std::ranges::sort(drops_, {}, &Drop::label);
    std::size_t row = 0;
    for (const Drop& drop : drops_) {
        row = lowerBound(drop.label, row);
        droppedRows_.push_back(row);
    }
}

// Relabelling keeps the order and stays within its range, so the rows concerned are a stretch.
// A row about to be dropped takes its elder's label: its own is not part of the order any more.
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
            else
                label = pool.at(heads_[row].index).opening.label;
            heads_[row].label = label;
        }
    }
}

// Where each stretch of rows that stays together goes, and each addition.
void ViewRows::planMoves() {
    moves_.clear();
    addedRows_.clear();
    std::size_t from = 0;
    std::size_t to = 0;
    auto keepUntil = [&](std::size_t end) {
        if (end > from && from != to) moves_.push_back({from, to, end - from});
        to += end - from;
        from = end;
    };
    auto dropped = droppedRows_.begin();
    std::size_t place = 0;
    for (const Addition& addition : additions_) {
        const std::uint32_t label = addition.record->opening.label;
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
void ViewRows::moveRows() {
    const std::size_t after = count() - droppedRows_.size() + additions_.size();
    auto apply = [&](auto& array) {
        array.resize(std::max(array.size(), after));
        for (const Move& move : moves_)
            if (move.to < move.from) array.move(move.from, move.to, move.count);
        for (auto move = moves_.rbegin(); move != moves_.rend(); ++move)
            if (move->to > move->from) array.move(move->from, move->to, move->count);
        array.resize(after);
    };
    for (ViewColumn& column : columns_) apply(column.pointers);
    apply(heads_);
}

void ViewRows::writeAdditions(Tick tick) {
    if (additions_.empty()) return;
    if (addedAt_.size() < world_.forest().pool.count())
        addedAt_.resize(std::max<std::size_t>(world_.forest().pool.count(), addedAt_.size() * 2));
    for (std::size_t i = 0; i < additions_.size(); ++i) {
        const EntityRecord& record = *additions_[i].record;
        heads_[addedRows_[i]] = {record.opening.label, record.id.index};
        if (additions_[i].isNew) addedAt_[record.id.index] = tick;
    }
    for (ViewColumn& column : columns_) {
        // What is spawned together mostly has the same shape.
        const Shape* shape = nullptr;
        int position = Shape::absent;
        for (std::size_t i = 0; i < additions_.size(); ++i) {
            const EntityRecord& record = *additions_[i].record;
            if (record.shape != shape || column.optional) {
                shape = record.shape;
                const bool shown = record.visibleShape->has(column.type->id);
                position = shown ? shape->positionOf(column.type->id) : Shape::absent;
            }
            column.pointers[addedRows_[i]] =
                position == Shape::absent ? emptyPointer() : record.slots[position];
        }
    }
}

void ViewRows::clear() {
    heads_.resize(0);
    for (ViewColumn& column : columns_) column.pointers.resize(0);
    drops_.clear();
    additions_.clear();
    rebinds_.clear();
    touched_ = false;
    ++version_;
}

EntityId ViewRows::idOf(std::size_t row) const noexcept {
    return world_.forest().pool.idAt(heads_[row].index);
}

std::ptrdiff_t ViewRows::rowOf(EntityId id) const {
    const EntityRecord* record = world_.forest().pool.find(id);
    if (!record || !record->opening.linked) return -1;
    if (rowIndexAsOf_ != version_) {
        // A few lookups after a change are not worth an index: the rows are in order.
        if (lookupsAsOf_ != version_) lookups_ = 0;
        lookupsAsOf_ = version_;
        if (++lookups_ <= fewLookups) {
            const std::size_t row = lowerBound(record->opening.label);
            const bool isIn = row < count() && heads_[row].index == id.index;
            return isIn ? static_cast<std::ptrdiff_t>(row) : -1;
        }
        rowIndex_.resize(world_.forest().pool.count());
        for (std::size_t row = 0; row < count(); ++row)
            rowIndex_[heads_[row].index] = static_cast<std::uint32_t>(row);
        rowIndexAsOf_ = version_;
    }
    // Indices of entities that have no row are out of date: the head tells.
    if (id.index >= rowIndex_.size()) return -1;
    const std::uint32_t row = rowIndex_[id.index];
    return row < count() && heads_[row].index == id.index && idOf(row) == id
               ? static_cast<std::ptrdiff_t>(row)
               : -1;
}

void ViewRows::findSegments() const {
    segments_.clear();
    segmentsAsOf_ = version_;
    const std::size_t mustHave = signature_.mustHave.size();
    if (count() == 0 || mustHave == 0) return appendSegment(0, count(), RowLayout::Scattered);
    std::array<const std::byte* const*, maxComponentsPerEntity> pointers{};
    std::array<std::ptrdiff_t, maxComponentsPerEntity> sizes{};
    bool equalSizes = mustHave > 1;  // one column has nothing to be in step with
    for (std::size_t i = 0; i < mustHave; ++i) {
        pointers[i] = columns_[i].pointers.data();
        sizes[i] = columns_[i].type->schema.size;
        equalSizes = equalSizes && sizes[i] == sizes[0];
    }
    const RowLayout apart = equalSizes ? RowLayout::InStep : RowLayout::Scattered;
    std::size_t run = 0;      // first of the neighbours that lie side by side
    std::size_t stretch = 0;  // first of those in step, or of those to be read through pointers
    auto endRun = [&](std::size_t row) {
        if (row - run >= shortestRun) {
            appendSegment(stretch, run, apart);
            appendSegment(run, row, RowLayout::Contiguous);
        } else {
            appendSegment(stretch, row, apart);
        }
        stretch = row;
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
        // One rare branch per row: after churn nobody can predict where neighbours end.
        const bool ends = (equalSizes && !inStep) | (row - run >= shortestRun);
        if (ends & !follows) endRun(row);
        run = follows ? run : row;
    }
    endRun(count());
}

void ViewRows::appendSegment(std::size_t first, std::size_t end, RowLayout layout) const {
    if (first == end) return;
    const auto length = static_cast<std::uint32_t>(end - first);
    if (length < shortestRun) layout = RowLayout::Scattered;
    if (layout == RowLayout::Scattered && !segments_.empty() &&
        segments_.back().layout == RowLayout::Scattered)
        segments_.back().count += length;
    else
        segments_.push_back({static_cast<std::uint32_t>(first), length, layout});
}

void ViewRows::markOpen(const ViewColumn& column, Tick tick) const {
    PageList& list = pageLists_[static_cast<std::size_t>(&column - columns_.data())];
    if (list.asOf != version_) {
        list.asOf = version_;
        list.pages.clear();
        const ComponentPool& pool = column.type->pool;
        std::vector<bool> seen(pool.pages().size());
        const ComponentPool::Page* last = nullptr;
        for (const std::byte* pointer : column.pointers) {
            if (isEmpty(pointer)) continue;
            ComponentPool::Page& page = pool.pageOf(pointer);
            if (&page == last) continue;
            last = &page;
            if (!seen[page.number]) list.pages.push_back(&page);
            seen[page.number] = true;
        }
    }
    for (ComponentPool::Page* page : list.pages) page->openedAt = tick;
}

// What views will see of the record after the next reconcile; null: nothing.
const Shape* ViewRows::willShow(const EntityRecord& record) const {
    for (const EntityRecord* at = &record; at; at = at->parent)
        if (!at->wantsIn() || !at->enabled) return nullptr;
    return world_.components().enabledShape(record);
}

bool ViewRows::isConcernedBy(const EntityRecord& record, bool moves) const {
    const Shape* visible = willShow(record);
    const bool isIn = record.visibleShape && signature_.matches(*record.visibleShape);
    const bool willBeIn = visible && signature_.matches(*visible);
    if (isIn != willBeIn) return true;
    if (!isIn) return false;
    return moves ||
           (record.rebound && pointsElsewhere(lowerBound(record.opening.label), record, *visible));
}

bool ViewRows::isDirty() const {
    const Forest& forest = world_.forest();
    const std::pair asOf(forest.requests, world_.getTick());
    if (dirtyAsOf_ == asOf) return dirty_;
    dirtyAsOf_ = asOf;
    dirty_ = std::ranges::any_of(forest.pending, [this](const EntityRecord& pending) {
        if (!Forest::hasChangeWaiting(pending)) return false;
        if (!pending.toggled && !pending.moved) return isConcernedBy(pending, false);
        auto* top = const_cast<EntityRecord*>(&pending);
        for (EntityRecord* at = top; at; at = nextInSubtree(at, top))
            if (isConcernedBy(*at, pending.moved)) return true;
        return false;
    });
    return dirty_;
}

ViewStats ViewRows::stats() const {
    ViewStats stats = stats_;
    stats.rows = count();
    stats.segments = segments().size();
    for (const Segment& segment : segments())
        stats.contiguousRows += segment.layout == RowLayout::Contiguous ? segment.count : 0;
    stats.bytes = heads_.bytes() + addedAt_.capacity() * sizeof(Tick) +
                  rowIndex_.capacity() * sizeof(std::uint32_t);
    for (const ViewColumn& column : columns_) stats.bytes += column.pointers.bytes();
    return stats;
}

void ViewRows::validate(std::vector<std::string>& problems) const {
    const Forest& forest = world_.forest();
    std::size_t row = 0;
    for (const OrderNode& node : forest.order.nodes()) {
        const EntityRecord& record = forest.recordOf(node);
        if (node.closes || !record.visibleShape || !signature_.matches(*record.visibleShape))
            continue;
        bool right = row < count() && heads_[row].index == record.id.index;
        // Until the next reconcile a view may show what was unbound or bound since.
        if (right && !record.pending) right = !pointsElsewhere(row, record, *record.visibleShape);
        if (!right) {
            problems.push_back(sentence("row ", row, " of a view is not that of ",
                                        describe(Entity(world_, record.id))));
            return;
        }
        ++row;
    }
    if (row != count())
        problems.push_back(sentence("a view has ", count(), " rows where ", row, " match"));
}

}  // namespace revenant
