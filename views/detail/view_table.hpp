// ViewTable: the rows of a view as a loop reads them: plain arrays. The templates of View need them
// inline; everything else of a view's rows is internal (views/rows/). Not for programs to use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "views/detail/row_array.hpp"
#include "views/requirements.hpp"
#include "world/clock.hpp"

namespace revenant {

class ComponentsView;
class Entity;
class World;
struct ComponentType;

namespace detail {

// Eight bytes: a pass moves every row behind the first change, and the bytes moved are what keeping
// order costs (measured).
struct RowHead {
    static constexpr std::uint32_t noEntity = UINT32_MAX;

    std::uint32_t label = 0;  // the entity's place in the world's order
    std::uint32_t index = 0;  // of the entity; noEntity in a spare place
};

// One pointer per place: to the component of a row itself, or to EMPTY. Rows of a large view are now and then spread, with spare
// places between them; a segment has none.
struct ViewColumn {
    ComponentType* type = nullptr;
    bool optional = false;
    RowArray<std::byte*> pointers;
};

// How the rows of a segment lie in memory. Contiguous: in every must-have column they lie next to each
// other. In step: wherever they lie, the must-have components of a row are equally far from each other
// in all rows, so that one pointer leads to all of them: components of one size that come and go together
// lie like that within a page. Runs too short to be worth a loop of their own
// are merged into scattered segments, which are read through all pointers. Where some rows are in step, all
// components are of one size, so that contiguous ones are in step, too.
enum class RowLayout : std::uint8_t { Contiguous, InStep, Scattered };

struct Segment {
    std::uint32_t first = 0;  // place
    std::uint32_t count = 0;
    RowLayout layout = RowLayout::Scattered;
};

// Good until the next reconcile.
struct ViewTable {
    World* world;
    int* tickDepth;  // while it is raised, reconcile is refused and the arrays stay
    const RowHead* heads;
    const std::uint32_t* const* generations;  // by entity index; may move when entities are made
    std::span<const Segment> segments;
    std::size_t count;
    std::size_t contiguous;  // rows in contiguous segments
    std::size_t places;      // up to the last row; more than the count where rows are spread
};

// How a range-for walks the rows: by a single array; by arrays, where most rows are in contiguous segments; in step, where
// most are in segments of that kind or contiguous; or by pointers, one per component. By arrays and in step, each such segment
// is a block, and any other row is a block of its own. By pointers where rows are spread: each segment is a block.
enum class RowWalk : std::uint8_t { Array, Arrays, InStep, Pointers, SpreadPointers };
RowWalk chooseWalk(const ViewTable& table) noexcept;

// What a view asks for, by C++ type.
struct ViewTerm {
    std::size_t cppType;
    Presence presence;
    bool readOnly;
};

// Gets the view for the terms, and the column of each term that has one, in their order. Not a span: making
// one from an array takes a program's compiler as long as all else that a View needs.
std::shared_ptr<ComponentsView> bindView(World& world, const ViewTerm* terms, std::size_t count,
                                         const ViewColumn** columns);

// The columns of a typed view. Bit i of `written` is set where column i is open for writing.
struct ViewColumns {
    const ViewColumn* const* columns;
    std::size_t count;
    std::uint64_t written;
};

// For a loop over all rows: marks the written columns as changed now.
ViewTable openTable(const ComponentsView& view, const ViewColumns& columns);
// For a loop over some rows: marks nothing; markRow does for the row at a place.
ViewTable readTable(const ComponentsView& view);
void markRow(const ComponentsView& view, const ViewColumns& columns, std::size_t place);
// The place of the first row at or after `place` that was added at `since` or later, or ViewTable::places.
std::size_t nextAdded(const ComponentsView& view, std::size_t place, Clock since);
// The same for rows whose component in `column` may have been written at `since` or later.
std::size_t nextChanged(const ComponentsView& view, const ViewColumn& column, std::size_t place,
                        Clock since);
// When the component of a row may last have been written; 0 for EMPTY. Throws for a row that is not there.
Clock changedAt(const ComponentsView& view, const ViewColumn& column, std::size_t row);
// How many rows from that at `first` on lie next to each other in every column; 0 behind the last row. A `first` between
// rows moves on to the next one, or to ViewTable::places.
std::size_t runLength(const ComponentsView& view, const ViewColumns& columns, std::size_t& first);
// The place of an entity's row, for View::get of `column`. Throws an Error where the view does not have it.
std::size_t requirePlace(const ComponentsView& view, const Entity& entity, const ViewColumn& column,
                         bool isRead);
// REQUIRES: the row is there.
std::size_t placeOf(const ComponentsView& view, std::size_t row) noexcept;
// The segment that a place is in. REQUIRES: there is a row.
const Segment* segmentAt(const ViewTable& table, std::size_t place) noexcept;
// For View::parallelEach: calls visit(context, first row, end) for chunks of the rows at the same time.
void forChunks(const ComponentsView& view, const ViewColumns& columns, std::size_t rowsPerChunk,
               void (*visit)(const void* context, std::size_t first, std::size_t end),
               const void* context);

}  // namespace detail
}  // namespace revenant
