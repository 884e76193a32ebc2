// ViewRows: the rows of a view: one per matching active entity, in world order. Shared by all
// views with the same signature, which own them; ViewTables brings them up to date at reconcile.
//
// A row is a head and one pointer per column, to the component itself or to EMPTY. Pointers, not
// copies: a component is in many views, and its address is stable. Where the components of
// neighbouring rows lie next to each other, `segments` says so, and loops run over plain arrays.
// Road not taken: archetype tables that hold the components themselves; rows of one view would be
// spread over several of them, and world order could not be kept.
//
// Rows of a large view in which little changes at a time are spread over blocks with spare places (row_blocks.hpp). Here a `row` is
// the number of a row in world order, as programs know it, and a `place` where it is in the arrays: the same while rows are
// together. In a spare place is a head without an entity, and EMPTY.
//
// Invariant: heads are ascending by label, and labels are those of the entities' opening nodes; of a spare place one from that of the
// row before to that of the row behind.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "views/components_view.hpp"
#include "views/detail/view_table.hpp"
#include "views/rows/row_blocks.hpp"
#include "views/rows/view_signature.hpp"
#include "views/view_stats.hpp"
#include "world/core/world_core.hpp"
#include "world/storage/change_set.hpp"
#include "world/storage/entity_record.hpp"
#include "world/storage/peak_watch.hpp"

namespace revenant {

using detail::RowArray;
using detail::RowHead;
using detail::RowLayout;
using detail::Segment;
using detail::ViewColumn;

class ViewRows {
public:
    ViewRows(WorldCore& world, ViewSignature signature, const SpreadRule& rule);

    // The library's way into a view and its columns. Throws Error{ReleasedView} for a released one.
    static ViewRows& of(const ComponentsView& view) { return view.rows(); }
    static const ViewColumn& of(const Column& column) { return column.data(); }

    const ViewSignature& signature() const noexcept { return signature_; }
    std::size_t count() const noexcept { return blocks_.empty() ? heads_.size() : blocks_.rows(); }
    const RowArray<RowHead>& heads() const noexcept { return heads_; }  // by place
    // Places up to the last row.
    std::size_t places() const noexcept { return heads_.size(); }
    bool isSpread() const noexcept { return !blocks_.empty(); }
    // REQUIRES: there is such a row, and one at the place.
    std::size_t placeOf(std::size_t row) const noexcept {
        return blocks_.empty() ? row : blocks_.placeOf(row);
    }
    std::size_t rowAt(std::size_t place) const noexcept {
        return blocks_.empty() ? place : blocks_.rowAt(place);
    }
    // The place of the first row at or behind a place, or places().
    std::size_t nextPlace(std::size_t place) const noexcept {
        return blocks_.empty() ? place : nextSpreadPlace(place);
    }
    // The place behind the last row that is in one piece with that at `place`.
    std::size_t endOfPiece(std::size_t place) const noexcept {
        return blocks_.empty() ? places() : blocks_.endOf(blocks_.blockOf(place));
    }
    // For Lua: heads, and pointers of a column, by row. Of rows that are spread they are a copy, good until the next
    // reconcile, which brings them together; then they stay so.
    const RowHead* headsByRow() const;
    std::byte* const* pointersByRow(const ViewColumn& column) const;
    std::span<const ViewColumn> columns() const noexcept { return columns_; }
    // The column of a type, or nullptr.
    const ViewColumn* findColumn(ComponentTypeId type) const noexcept;
    std::uint64_t version() const noexcept { return version_; }  // grows when rows change
    WorldCore& world() const noexcept { return world_; }
    // When the row came into the view.
    Clock addedAt(std::size_t row) const noexcept { return addedAtPlace(placeOf(row)); }
    Clock addedAtPlace(std::size_t place) const noexcept { return addedAt_[heads_[place].index]; }
    EntityId idOf(std::size_t row) const noexcept;

    // The row of an entity, or -1. O(1); after a change the first lookups are searches by order, and
    // when there are more, an index is built.
    std::ptrdiff_t rowOf(EntityId id) const {
        const std::ptrdiff_t place = findPlace(id);
        return place < 0 ? -1 : static_cast<std::ptrdiff_t>(rowAt(static_cast<std::size_t>(place)));
    }
    std::ptrdiff_t findPlace(EntityId id) const;
    std::span<const Segment> segments() const {
        if (segmentsAsOf_ != version_) findSegments();
        return segments_;
    }
    // How many rows are in contiguous segments.
    std::size_t contiguousRows() const {
        if (segmentsAsOf_ != version_) findSegments();
        return contiguousRows_;
    }
    // Finds the segments now, not when first asked for: in a section several threads read the rows, and nothing may change.
    void prepare() const {
        if (!isReady()) findSegments();
    }
    bool isReady() const noexcept { return segmentsAsOf_ == version_; }
    // Marks every page that the column's rows lie in as open for writing now.
    void markOpen(const ViewColumn& column, Clock now) const;

    bool isDirty() const;
    ViewStats stats() const;
    void validate(std::vector<std::string>& problems) const;

    // ---- for ViewTables, during reconcile
    bool isTouched() const noexcept { return touched_; }
    void drop(const Change& change);
    void add(const Change& change, bool isNew);  // not new: the row only moved
    // Whether the row of an entity that stays where it is has to point elsewhere.
    bool isRebound(const Change& change) noexcept;
    void rebind(const Change& change);
    // Brings the rows up to date in one ordered pass.
    void apply(const ChangeSet& changes);
    // Reads the labels of the rows in `ranges` anew.
    void relabel(std::span<const LabelRange> ranges);
    void clear();
    // Whether a pass left much memory behind that it worked with.
    bool holdsPeak() const noexcept {
        return std::max(needed_, peaks_.peak()) >= PeakWatch::worthwhile;
    }
    // For each reconcile while it does: gives it back when it was not needed for a while.
    void settlePeak() noexcept;

private:
    struct Addition {
        const EntityRecord* record;
        RowHead head;
        bool isNew;
    };
    struct Move {
        std::size_t from, to, count;
    };

    std::size_t nextSpreadPlace(std::size_t place) const noexcept;
    void fill();
    void showRetired();
    void findDropped();
    void planMoves();
    void moveRows(std::size_t placesAfter);
    void applyTogether(const ChangeSet& changes);
    void writeAdditions(Clock now);
    void writeColumn(ViewColumn& column, std::size_t first, std::size_t end);
    void writeRow(std::size_t row, const EntityRecord& record);
    // Where the row of a record points to in a column, when views see `visible` of it.
    static std::byte* pointerFor(const ViewColumn& column, const EntityRecord& record,
                                 const Shape& visible) noexcept;
    bool pointsElsewhere(std::size_t row, const EntityRecord& record,
                         const Shape& visible) const noexcept;
    // The first place at or behind `from` whose label is not below. REQUIRES: it is not before.
    std::size_t lowerBound(std::uint64_t label, std::size_t from = 0) const noexcept;
    // The same, past spare places: of a row.
    std::size_t findRow(std::uint32_t label, std::size_t from = 0) const noexcept {
        return nextPlace(lowerBound(label, from));
    }
    void findSegments() const;
    void patchSegments(std::size_t placesBefore);
    void splitAtRebound();

    // ---- rows that are spread (view_rows_blocks.cpp)
    struct Stretch {
        std::size_t first, count;  // of places
    };
    bool wouldRatherSpread(std::size_t changes, std::uint64_t moved) noexcept;
    bool maySpreadStay(std::size_t changes) const noexcept;
    void spread();
    void bringTogether();
    void refill(const std::vector<Stretch>& before, const std::vector<Stretch>& after,
                std::size_t placesAfter);
    std::vector<Stretch> stretchesOf(std::size_t firstBlock, std::size_t endBlock) const;
    void clearSpare(std::size_t firstBlock, std::size_t endBlock);
    void clearPlace(std::size_t place) noexcept;
    void applySpread(const ChangeSet& changes);
    void dropAt(std::size_t place);
    std::size_t addAt(const EntityRecord& record, std::size_t from);
    void makeRoom(std::size_t block);
    void patchBlocks(std::size_t firstBlock, std::size_t endBlock);
    void resizeAll(std::size_t places);
    void moveAll(std::size_t from, std::size_t to, std::size_t count) noexcept;
    void validateBlocks(std::vector<std::string>& problems) const;
    void validateSegments(std::vector<std::string>& problems) const;
    void validatePages(std::vector<std::string>& problems) const;
    const Shape* willShow(const EntityRecord& record) const;
    bool isConcernedBy(const EntityRecord& record, bool moves) const;

    WorldCore& world_;
    ViewSignature signature_;
    SpreadRule rule_;
    RowBlocks blocks_;
    RowArray<RowHead> heads_;
    std::vector<ViewColumn> columns_;
    RowArray<Clock>
        addedAt_;  // by entity index, so that no pass has to move it; of others it is undefined
    std::uint64_t version_ = 1;

    // -- what the pass under way has to do
    bool touched_ = false;
    std::vector<std::uint32_t> drops_;  // their labels, before
    std::vector<Addition> additions_;   // ascending
    std::vector<const EntityRecord*> rebinds_;
    std::vector<std::uint32_t> dropScratch_;
    std::vector<std::size_t> droppedRows_;  // ascending
    std::vector<std::size_t> addedRows_;    // where the additions go
    std::vector<Move> moves_;
    std::vector<Move> kept_;  // rows that stay together, be they moved or not
    std::vector<std::size_t>
        reboundRows_;  // whose must-have components are elsewhere now; ascending
    std::vector<Segment> segmentsBefore_;
    std::vector<Segment> segmentsAfter_;
    std::uint32_t passesToSpare_ = 0;  // in a row, that would have been cheaper in blocks
    std::uint32_t patience_;           // for how many; doubled whenever rows are brought together
    PeakWatch peaks_;
    std::size_t needed_ = 0;       // by the last pass, until it is noted
    std::size_t lastRebound_ = 0;  // the row that was looked at last: the next is near

    // -- found when first asked for, and from then on kept by each pass; when a pass changes much, found anew
    struct PageList {
        std::uint64_t asOf = 0;
        std::vector<ComponentPool::Page*> pages;
        std::vector<std::uint32_t> rows;  // in each page, by its number

        void count(const ComponentPool& pool, const std::byte* component);
        void discount(const ComponentPool& pool, const std::byte* component) noexcept;
    };
    // Counts a row's components, or no longer, in columns whose pages are known.
    void countRow(std::size_t row);
    void discountRow(std::size_t row) noexcept;
    void findPages(const ViewColumn& column, PageList& list) const;

    mutable std::vector<Segment> segments_;
    mutable std::size_t contiguousRows_ = 0;
    mutable std::uint64_t segmentsAsOf_ = 0;
    mutable std::vector<PageList> pageLists_;
    mutable std::vector<std::uint32_t> rowIndex_;  // places, by entity index
    mutable std::uint64_t rowIndexAsOf_ = 0;
    mutable std::uint64_t lookupsAsOf_ = 0;
    mutable std::uint32_t lookups_ = 0;
    mutable std::pair<std::uint64_t, Clock> dirtyAsOf_{};
    mutable bool dirty_ = false;
    // By row, of rows that are spread: see pointersByRow.
    struct Copies {
        std::uint64_t asOf = 0;
        RowArray<RowHead> heads;
        std::vector<RowArray<std::byte*>> columns;
    };
    mutable Copies copies_;
    mutable bool isReadByRow_ = false;
    mutable ViewStats stats_;
};

}  // namespace revenant
