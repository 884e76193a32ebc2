#include "views/rows/view_rows.hpp"

#include <algorithm>

#include "views/empty.hpp"
#include "world/compiler.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

// A search by label goes step by step first, in strides of so many rows.
constexpr std::size_t strideRows = 16;
constexpr int nearStrides = 16;
// After a change, so many lookups by entity are searches, and one more per so many rows; then an index of all rows is made.
constexpr std::uint32_t fewLookups = 16;
constexpr std::size_t rowsPerLookup = 128;
constexpr std::size_t prefetchAhead = 8;

std::byte* emptyPointer() noexcept {
    // Columns are arrays of one pointer type; readers of an optional one get const.
    return const_cast<std::byte*>(emptyComponent.bytes);
}

}  // namespace

ViewRows::ViewRows(WorldCore& world, ViewSignature signature, const SpreadRule& rule)
    : world_(world),
      signature_(std::move(signature)),
      rule_(rule),
      blocks_(rule.blockPlaces),
      patience_(rule.patience) {
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
        addedAt_[record.id.index] = world_.getClock();
    }
    showRetired();
}

// Views show removed components until the next reconcile. Where one was removed several times, the
// first removal took what the last reconcile saw: it is handled last, so that it wins.
void ViewRows::showRetired() {
    const std::vector<ComponentStore::Retired>& all = world_.components().retired();
    for (std::size_t i = all.size(); i-- > 0;) {
        const ComponentStore::Retired& retired = all[i];
        const EntityRecord& record = world_.forest().pool.at(retired.owner);
        if (!record.visibleShape || !record.visibleShape->has(retired.type)) continue;
        const std::size_t row = lowerBound(record.opening.label);
        if (row == places() || heads_[row].index != retired.owner) continue;
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
    // Rows that go together, as trees do, are mostly neighbours.
    if (from < places() && heads[from].label >= label) return from;
    for (int stride = 0; stride < nearStrides && from + strideRows <= places(); ++stride) {
        if (heads[from + strideRows - 1].label < label) {
            from += strideRows;
            continue;
        }
        std::size_t below = 0;
        for (std::size_t i = 0; i < strideRows; ++i) below += heads[from + i].label < label ? 1 : 0;
        return from + below;
    }
    // Farther rows are searched in ever longer steps.
    std::size_t step = strideRows;
    std::size_t end = from;
    while (end < places() && heads[end].label < label) {
        from = end + 1;
        end += step;
        step *= 2;
    }
    const RowHead* found = std::ranges::lower_bound(heads + from, heads + std::min(end, places()),
                                                    label, {}, &RowHead::label);
    return static_cast<std::size_t>(found - heads);
}

void ViewRows::writeAdditions(Clock now) {
    if (additions_.empty()) return;
    if (addedAt_.size() < world_.forest().pool.count())
        addedAt_.resize(world_.forest().pool.count());
    for (std::size_t i = 0; i < additions_.size(); ++i) {
        heads_[addedRows_[i]] = additions_[i].head;
        if (additions_[i].isNew) addedAt_[additions_[i].head.index] = now;
    }
    // Column by column, as what is spawned together mostly has the same shape; in parts, so that
    // the records are fetched once.
    constexpr std::size_t partRows = 128;
    for (std::size_t first = 0; first < additions_.size(); first += partRows)
        for (ViewColumn& column : columns_)
            writeColumn(column, first, std::min(first + partRows, additions_.size()));
}

void ViewRows::writeColumn(ViewColumn& column, std::size_t first, std::size_t end) {
    const Shape* shape = nullptr;
    int position = Shape::absent;
    for (std::size_t i = first; i < end; ++i) {
        if (i + prefetchAhead < additions_.size())
            detail::prefetchLine(&additions_[i + prefetchAhead].record->shape);
        const EntityRecord& record = *additions_[i].record;
        if (record.shape != shape || column.optional) {
            shape = record.shape;
            const bool shown = record.visibleShape->has(column.type->id);
            position = shown ? shape->positionOf(column.type->id) : Shape::absent;
        }
        column.pointers[addedRows_[i]] =
            position == Shape::absent
                ? emptyPointer()
                : column.type->pool.at(column.type->pool.findPlace(record.id.index));
    }
}

void ViewRows::clear() {
    blocks_.clear();
    resizeAll(0);
    drops_.clear();
    additions_.clear();
    rebinds_.clear();
    touched_ = false;
    ++version_;
}

EntityId ViewRows::idOf(std::size_t row) const noexcept {
    return world_.forest().pool.idAt(heads_[placeOf(row)].index);
}

std::ptrdiff_t ViewRows::findPlace(EntityId id) const {
    const EntityRecord* record = world_.forest().pool.find(id);
    if (!record || !record->opening.linked) return -1;
    const auto holds = [&](std::size_t place) {
        return place < places() && heads_[place].index == id.index;
    };
    if (rowIndexAsOf_ != version_) {
        // A few lookups after a change are not worth an index: the rows are in order.
        const bool isShared = world_.isInSection();  // nothing may be written
        if (!isShared && lookupsAsOf_ != version_) lookups_ = 0;
        if (!isShared) lookupsAsOf_ = version_;
        if (isShared || ++lookups_ <= fewLookups + count() / rowsPerLookup) {
            const std::size_t place = findRow(record->opening.label);
            return holds(place) ? static_cast<std::ptrdiff_t>(place) : -1;
        }
        rowIndex_.resize(world_.forest().pool.count());
        for (std::size_t place = 0; place < places(); ++place)
            if (const std::uint32_t index = heads_[place].index; index != RowHead::noEntity)
                rowIndex_[index] = static_cast<std::uint32_t>(place);
        rowIndexAsOf_ = version_;
    }
    // Indices of entities that have no row are out of date: compare with the head.
    if (id.index >= rowIndex_.size()) return -1;
    const std::uint32_t place = rowIndex_[id.index];
    return holds(place) && world_.forest().pool.idAt(id.index) == id
               ? static_cast<std::ptrdiff_t>(place)
               : -1;
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
           (record.rebound && pointsElsewhere(findRow(record.opening.label), record, *visible));
}

bool ViewRows::isDirty() const {
    world_.refuseInSection("isDirty of a view");
    const Forest& forest = world_.forest();
    const std::pair asOf(forest.requests, world_.getClock());
    if (dirtyAsOf_ == asOf) return dirty_;
    dirty_ = forest.pending.anyOf([this](const EntityRecord& pending) {
        if (!Forest::hasChangeWaiting(pending)) return false;
        if (!pending.toggled && !pending.moved) return isConcernedBy(pending, false);
        auto* top = const_cast<EntityRecord*>(&pending);
        for (EntityRecord* at = top; at; at = nextInSubtree(at, top))
            if (isConcernedBy(*at, pending.moved)) return true;
        return false;
    });
    dirtyAsOf_ = asOf;
    return dirty_;
}

ViewStats ViewRows::stats() const {
    const std::size_t found = segments().size();
    ViewStats stats = stats_;
    stats.rows = count();
    stats.segments = found;
    stats.contiguousRows = contiguousRows();
    stats.bytes = heads_.bytes() + addedAt_.bytes() + rowIndex_.capacity() * sizeof(std::uint32_t);
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
        const std::size_t place = row < count() ? placeOf(row) : 0;
        bool right = row < count() && heads_[place].index == record.id.index;
        // Until the next reconcile a view may show what was unbound or bound since.
        if (right && !record.isPending())
            right = !pointsElsewhere(place, record, *record.visibleShape);
        if (!right) {
            problems.push_back(sentence("row ", row, " of a view is not that of ",
                                        describe(world_.entity(record.id))));
            return;
        }
        ++row;
    }
    if (row != count())
        problems.push_back(sentence("a view has ", count(), " rows where ", row, " match"));
    validateBlocks(problems);
    validateSegments(problems);
    validatePages(problems);
}

}  // namespace revenant
