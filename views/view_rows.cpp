#include "views/view_rows.hpp"

#include <algorithm>
#include <chrono>

#include "views/empty.hpp"
#include "world/world.hpp"

namespace revenant {

namespace {

// Shorter contiguous stretches cost more to set up than they save.
constexpr std::uint32_t shortestRun = 8;

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
        writeRow(row, record, world_.getTick());
    }
    labelsAsOf_ = forest.order.relabelled();
}

std::byte* ViewRows::pointerFor(const ViewColumn& column,
                                const EntityRecord& record) const noexcept {
    if (column.optional && !record.visibleShape->has(column.type->id)) return emptyPointer();
    return record.slotOf(column.type->id);
}

void ViewRows::writeRow(std::size_t row, const EntityRecord& record, Tick addedAt) {
    heads_[row] = {record.opening.label, record.id, addedAt};
    for (ViewColumn& column : columns_) column.pointers[row] = pointerFor(column, record);
}

std::size_t ViewRows::lowerBound(std::uint64_t label, std::size_t end) const noexcept {
    const auto* found = std::ranges::lower_bound(heads_.data(), heads_.data() + end, label, {},
                                                 &RowHead::label);
    return static_cast<std::size_t>(found - heads_.data());
}

void ViewRows::drop(const Change& change) {
    touched_ = true;
    drops_.emplace_back(change.labelBefore, change.id);
}

void ViewRows::add(const Change& change) {
    touched_ = true;
    additions_.push_back({change.record, change.moved});
}

void ViewRows::rebind(const Change& change) {
    touched_ = true;
    rebinds_.push_back(change.record);
}

void ViewRows::apply(Tick tick, std::uint64_t relabelledBefore) {
    const auto begin = std::chrono::steady_clock::now();
    const std::uint64_t relabelled = world_.forest().order.relabelled();
    droppedRows_.clear();
    movedRows_.clear();
    if (labelsAsOf_ == relabelledBefore && relabelled == relabelledBefore)
        findDroppedByLabel();
    else
        findDroppedByScan();
    labelsAsOf_ = relabelled;
    closeGaps();
    insertAdditions(tick);
    for (const EntityRecord* record : rebinds_) {
        const std::size_t row = lowerBound(record->opening.label, count());
        writeRow(row, *record, heads_[row].addedAt);
    }
    ++version_;
    ++stats_.passes;
    stats_.rowsDropped += drops_.size();
    stats_.rowsAdded += additions_.size();
    drops_.clear();
    additions_.clear();
    rebinds_.clear();
    touched_ = false;
    const auto elapsed = std::chrono::steady_clock::now() - begin;
    stats_.nanoseconds += static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
}

void ViewRows::findDroppedByLabel() {
    for (const auto& [label, id] : drops_)
        droppedRows_.push_back(static_cast<std::uint32_t>(lowerBound(label, count())));
    if (!std::ranges::is_sorted(droppedRows_)) std::ranges::sort(droppedRows_);
}

// The labels of the rows are out of date: find the rows by who is in them, and read the labels of
// those that stay anew.
void ViewRows::findDroppedByScan() {
    const Forest& forest = world_.forest();
    std::vector<bool> dropped(forest.pool.count());
    for (const auto& [label, id] : drops_) dropped[id.index] = true;
    for (std::size_t row = 0; row < count(); ++row) {
        if (dropped[heads_[row].id.index])
            droppedRows_.push_back(static_cast<std::uint32_t>(row));
        else
            heads_[row].label = forest.pool.at(heads_[row].id.index).opening.label;
    }
}

void ViewRows::closeGaps() {
    if (droppedRows_.empty()) return;
    const bool anyMoved = std::ranges::any_of(additions_, &Addition::moved);
    if (anyMoved)  // their rows are not new: they keep the tick at which they came
        for (const std::uint32_t row : droppedRows_)
            movedRows_.emplace_back(heads_[row].id, heads_[row].addedAt);
    auto close = [&](auto& array) {
        std::size_t to = droppedRows_.front();
        for (std::size_t i = 0; i < droppedRows_.size(); ++i) {
            const std::size_t from = std::size_t{droppedRows_[i]} + 1;
            const std::size_t end = i + 1 < droppedRows_.size() ? droppedRows_[i + 1] : array.size();
            array.move(from, to, end - from);
            to += end - from;
        }
        array.resize(to);
    };
    stats_.rowsMoved += count() - droppedRows_.front() - droppedRows_.size();
    for (ViewColumn& column : columns_) close(column.pointers);
    close(heads_);
}

// Opens the gaps from the back, so that every row is moved at most once.
void ViewRows::insertAdditions(Tick tick) {
    if (additions_.empty()) return;
    std::ranges::sort(movedRows_);
    const std::size_t before = count();
    const std::size_t after = before + additions_.size();
    heads_.resize(after);
    for (ViewColumn& column : columns_) column.pointers.resize(after);
    std::size_t end = before;
    for (std::size_t i = additions_.size(); i-- > 0;) {
        const EntityRecord& record = *additions_[i].record;
        const std::uint64_t label = record.opening.label;
        const std::size_t place =
            end == 0 || heads_[end - 1].label < label ? end : lowerBound(label, end);
        if (const std::size_t shifted = end - place; shifted > 0) {
            heads_.move(place, place + i + 1, shifted);
            for (ViewColumn& column : columns_)
                column.pointers.move(place, place + i + 1, shifted);
            stats_.rowsMoved += shifted;
        }
        end = place;
        Tick addedAt = tick;
        if (additions_[i].moved) {
            auto old = std::ranges::lower_bound(movedRows_, record.id, {},
                                                &std::pair<EntityId, Tick>::first);
            if (old != movedRows_.end() && old->first == record.id) addedAt = old->second;
        }
        writeRow(place + i, record, addedAt);
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

std::ptrdiff_t ViewRows::rowOf(EntityId id) const {
    if (rowIndexAsOf_ != version_) {
        rowIndex_.resize(world_.forest().pool.count());
        for (std::size_t row = 0; row < count(); ++row)
            rowIndex_[heads_[row].id.index] = static_cast<std::uint32_t>(row);
        rowIndexAsOf_ = version_;
    }
    // Indices of entities that have no row are out of date: the head tells.
    if (id.index >= rowIndex_.size()) return -1;
    const std::uint32_t row = rowIndex_[id.index];
    return row < count() && heads_[row].id == id ? static_cast<std::ptrdiff_t>(row) : -1;
}

void ViewRows::findSegments() const {
    segments_.clear();
    segmentsAsOf_ = version_;
    auto append = [&](std::size_t first, std::size_t count) {
        const bool contiguous = count >= shortestRun;
        if (!contiguous && !segments_.empty() && !segments_.back().contiguous)
            segments_.back().count += static_cast<std::uint32_t>(count);
        else
            segments_.push_back({static_cast<std::uint32_t>(first),
                                 static_cast<std::uint32_t>(count), contiguous});
    };
    const std::size_t rows = count();
    const std::size_t mustHave = signature_.mustHave.size();
    std::size_t first = 0;
    for (std::size_t row = 1; row < rows; ++row) {
        bool follows = true;
        for (std::size_t i = 0; i < mustHave; ++i) {
            const auto& pointers = columns_[i].pointers;
            follows &= pointers[row] == pointers[row - 1] + columns_[i].type->schema.size;
        }
        if (follows) continue;
        append(first, row - first);
        first = row;
    }
    if (rows > first) append(first, rows - first);
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

// Whether the record will be in the view after the next reconcile.
bool ViewRows::willMatch(const EntityRecord& record) const {
    for (const EntityRecord* at = &record; at; at = at->parent)
        if (!at->wantsIn() || !at->enabled) return false;
    return signature_.matches(*world_.components().enabledShape(record));
}

bool ViewRows::isConcernedBy(const EntityRecord& record) const {
    const bool isIn = record.visibleShape && signature_.matches(*record.visibleShape);
    const bool willBeIn = willMatch(record);
    return isIn != willBeIn || (isIn && (record.moved || record.rebound));
}

bool ViewRows::isDirty() const {
    const Forest& forest = world_.forest();
    const std::pair asOf(forest.requests, world_.getTick());
    if (dirtyAsOf_ == asOf) return dirty_;
    dirtyAsOf_ = asOf;
    dirty_ = std::ranges::any_of(forest.pending, [this](const EntityRecord& pending) {
        if (!Forest::hasChangeWaiting(pending)) return false;
        if (!pending.toggled && !pending.moved) return isConcernedBy(pending);
        auto* top = const_cast<EntityRecord*>(&pending);
        for (EntityRecord* at = top; at; at = nextInSubtree(at, top))
            if (isConcernedBy(*at) || (pending.moved && at->visibleShape && willMatch(*at)))
                return true;
        return false;
    });
    return dirty_;
}

ViewStats ViewRows::stats() const {
    ViewStats stats = stats_;
    stats.rows = count();
    stats.segments = segments().size();
    for (const Segment& segment : segments())
        stats.contiguousRows += segment.contiguous ? segment.count : 0;
    stats.bytes = heads_.bytes();
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
        bool right = row < count() && heads_[row].id == record.id;
        // Until the next reconcile a view may show what was unbound or bound since.
        if (right && !record.pending)
            for (const ViewColumn& column : columns_)
                right = right && column.pointers[row] == pointerFor(column, record);
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
