// What a typed view asks of its rows (views/detail/view_table.hpp).
#include "views/detail/view_table.hpp"

#include <algorithm>
#include <iterator>

#include "views/components_view.hpp"
#include "views/rows/view_rows.hpp"
#include "world/core/world_core.hpp"

namespace revenant::detail {

namespace {

bool isEmptyAt(const ViewColumn& column, std::size_t place) noexcept {
    return isEmpty(static_cast<const void*>(column.pointers[place]));
}

ViewTable tableOf(const ViewRows& rows) {
    WorldCore& world = rows.world();
    if (world.isInSection() && !rows.isReady())
        fail(ErrorCode::WrongState, "system '", world.task() ? world.task()->name() : "?",
             "' loops over a view that it does not hold; ask for it by System::view in the "
             "constructor, or pass "
             "View::access to SystemOptions");
    return {&world.world(),        &world.tickDepth(),
            rows.heads().data(),   world.forest().pool.generationsPlace(),
            rows.segments(),       rows.count(),
            rows.contiguousRows(), rows.places()};
}

void check(const Task& task, const ViewColumn& column, bool isRead) {
    if (isRead)
        task.checkRead(*column.type);
    else
        task.checkWrite(*column.type);
}

}  // namespace

std::shared_ptr<ComponentsView> bindView(World& world, const ViewTerm* terms, std::size_t count,
                                         const ViewColumn** columns) {
    ComponentStore& components = WorldCore::of(world).components();
    Requirements requirements;
    for (const ViewTerm& term : std::span(terms, count)) {
        const ComponentType* type = components.findTied(term.cppType);
        if (!type)
            fail(ErrorCode::UnknownComponent,
                 "view: one of its C++ types is not a component of this world; define it with "
                 "defineComponent");
        const ComponentRequirementDesc desc(term.presence,
                                            term.readOnly ? Access::ReadOnly : Access::ReadWrite);
        requirements.push_back({type->schema.name, desc});
    }
    std::shared_ptr<ComponentsView> view = world.getComponentsView(requirements);
    for (const ViewTerm& term : std::span(terms, count))
        if (term.presence != Presence::Without)
            *columns++ = ViewRows::of(*view).findColumn(components.findTied(term.cppType)->id);
    return view;
}

ViewTable openTable(const ComponentsView& view, const ViewColumns& columns) {
    const ViewRows& rows = ViewRows::of(view);
    if (const Task* task = rows.world().task())
        for (std::size_t i = 0; i < columns.count; ++i)
            check(*task, *columns.columns[i], (columns.written >> i & 1) == 0);
    const Clock now = rows.world().getClock();
    for (std::size_t i = 0; i < columns.count; ++i)
        if ((columns.written >> i & 1) != 0) rows.markOpen(*columns.columns[i], now);
    return tableOf(rows);
}

ViewTable readTable(const ComponentsView& view) {
    return tableOf(ViewRows::of(view));
}

void markRow(const ComponentsView& view, const ViewColumns& columns, std::size_t place) {
    const WorldCore& world = ViewRows::of(view).world();
    const Clock now = world.getClock();
    if (const Task* task = world.task())
        for (std::size_t i = 0; i < columns.count; ++i)
            check(*task, *columns.columns[i], (columns.written >> i & 1) == 0);
    for (std::size_t i = 0; i < columns.count; ++i)
        if (const ViewColumn& column = *columns.columns[i];
            (columns.written >> i & 1) != 0 && !isEmptyAt(column, place))
            column.type->pool.markChanged(column.pointers[place], now);
}

std::size_t nextAdded(const ComponentsView& view, std::size_t place, Clock since) {
    const ViewRows& rows = ViewRows::of(view);
    const auto isOlder = [&] {
        return rows.heads()[place].index == RowHead::noEntity || rows.addedAtPlace(place) < since;
    };
    while (place < rows.places() && isOlder()) ++place;
    return place;
}

std::size_t nextChanged(const ComponentsView& view, const ViewColumn& column, std::size_t place,
                        Clock since) {
    const std::size_t end = ViewRows::of(view).places();
    while (place < end && (isEmptyAt(column, place) ||
                           column.type->pool.changedAt(column.pointers[place]) < since))
        ++place;
    return place;
}

Clock changedAt(const ComponentsView& view, const ViewColumn& column, std::size_t row) {
    return view.getColumn(column.type->schema.name).getChangedAt(row);
}

std::size_t runLength(const ComponentsView& view, const ViewColumns& columns, std::size_t& first) {
    const ViewRows& rows = ViewRows::of(view);
    first = rows.nextPlace(first);
    if (first >= rows.places()) return 0;
    std::size_t length = rows.endOfPiece(first) - first;
    for (std::size_t i = 0; i < columns.count; ++i) {
        const ViewColumn& column = *columns.columns[i];
        const std::size_t stride = isEmptyAt(column, first) ? 0 : column.type->schema.size;
        std::size_t run = 1;
        while (run < length &&
               column.pointers[first + run] == column.pointers[first] + run * stride)
            ++run;
        length = run;
    }
    return length;
}

std::size_t requirePlace(const ComponentsView& view, const Entity& entity, const ViewColumn& column,
                         bool isRead) {
    const ViewRows& rows = ViewRows::of(view);
    const bool isOfWorld = entity.getWorld() == &rows.world().world();
    const std::ptrdiff_t place = isOfWorld ? rows.findPlace(entity.getId()) : -1;
    if (const Task* task = rows.world().task()) check(*task, column, isRead);
    if (place < 0)
        fail(ErrorCode::MissingComponent, "view: ", describe(entity),
             " has no row in it; ask contains(entity) first");
    return static_cast<std::size_t>(place);
}

std::size_t placeOf(const ComponentsView& view, std::size_t row) noexcept {
    return ViewRows::of(view).placeOf(row);
}

RowWalk chooseWalk(const ViewTable& table) noexcept {
    const bool isSpread = table.places != table.count;
    if (table.segments.size() == 1 && table.contiguous == table.count && !isSpread)
        return RowWalk::Array;
    const std::size_t most = table.count - table.count / 4;
    if (table.contiguous > most) return RowWalk::Arrays;
    std::size_t inStep = 0;
    for (const Segment& segment : table.segments)
        if (segment.layout == RowLayout::InStep) inStep += segment.count;
    if (inStep > 0 && inStep + table.contiguous > most) return RowWalk::InStep;
    return isSpread ? RowWalk::SpreadPointers : RowWalk::Pointers;
}

const Segment* segmentAt(const ViewTable& table, std::size_t place) noexcept {
    const auto behind = std::ranges::upper_bound(table.segments, place, {},
                                                 [](const Segment& s) { return s.first; });
    return &*std::prev(behind);
}

void forChunks(const ComponentsView& view, const ViewColumns& columns, std::size_t rowsPerChunk,
               void (*visit)(const void* context, std::size_t first, std::size_t end),
               const void* context) {
    const ViewRows& rows = ViewRows::of(view);
    std::vector<ComponentTypeId> writes;
    for (std::size_t i = 0; i < columns.count; ++i)
        if ((columns.written >> i & 1) != 0) writes.push_back(columns.columns[i]->type->id);
    rows.prepare();
    rows.world().concurrency().forChunks(
        rows.count(), rowsPerChunk, std::move(writes),
        [visit, context](std::size_t first, std::size_t end) { visit(context, first, end); });
}

}  // namespace revenant::detail
