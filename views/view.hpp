// View: a ComponentsView with its C++ types.
// Over 300 lines: a template, whose loops must be seen where they are called.
//
//     auto view = world.view<Transform, const Velocity, Optional<const Sprite>, Without<Frozen>>();
//     view.each([dt](Transform& t, const Velocity& v, const Sprite& s) { ... });
//     view.each([](Entity e, Transform& t, ...) { ... });
//     for (auto [entity, t, v, s] : view) ...
//
// `T` is read-write, `const T` read-only. An Optional<const T> that is absent is EMPTY and reads
// as zeros without a branch (ask isEmpty); an Optional<T> comes as a pointer, null where
// absent. Iteration follows world order; where rows are contiguous in memory the loop runs over
// plain arrays, so that the compiler can vectorise it. Read-write iteration marks the pages of
// the components as changed now (World::getClock).
// Adding and removing entities and components inside is safe: it takes effect at the reconcile.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "views/components_view.hpp"
#include "views/detail/row_iterator.hpp"
#include "views/detail/view_cursor.hpp"
#include "views/detail/view_table.hpp"
#include "views/detail/view_terms.hpp"
#include "world/compiler.hpp"
#include "world/count_scope.hpp"

namespace revenant {

template <class... Terms>
class View {
    template <class... Used>
    using List = detail::TermList<Used...>;
    using Kept = typename detail::WithColumns<List<>, Terms...>::Type;

    template <class T>
    static constexpr std::size_t requireIndex() noexcept {
        static_assert(Kept::template indexOf<T> < Kept::size,
                      "the view has no column of this type");
        return Kept::template indexOf<T>;
    }

public:
    explicit View(World& world) {
        const auto terms = detail::viewTerms<Terms...>();
        view_ = detail::bindView(world, terms.data(), terms.size(), columns_.data());
    }

    std::size_t count() const { return view_->count(); }
    Entity getEntity(std::size_t row) const { return view_->getEntity(row); }
    std::ptrdiff_t rowOf(Entity entity) const { return view_->rowOf(entity); }
    bool contains(Entity entity) const { return rowOf(entity) >= 0; }
    bool isDirty() const { return view_->isDirty(); }
    const std::shared_ptr<ComponentsView>& untyped() const noexcept { return view_; }

    // The component of an entity that has a row in the view, in the form in which `each` passes it; a
    // read-write one is marked changed. `get<const T>` reads a read-write column without marking it.
    // Throws Error{MissingComponent} for an entity that has no row.
    template <class T>
    decltype(auto) get(Entity entity) const {
        constexpr std::size_t index = requireIndex<T>();
        constexpr bool isRead = std::is_const_v<T> || (Kept::written >> index & 1) == 0;
        return getAt<T, index>(detail::requirePlace(*view_, entity, *columns_[index], isRead),
                               Kept{});
    }

    // Calls fn(components...) or fn(Entity, components...) for each row.
    template <class Fn>
    void each(Fn fn) const {
        const detail::ViewTable table = detail::openTable(*view_, columns());
        const CountScope scope(*table.tickDepth);  // nothing moves under the loop
        for (std::size_t i = 0; i < table.segments.size(); ++i) {
            const detail::Segment& segment = table.segments[i];
            if (i + 1 < table.segments.size()) fetchAhead(table.segments[i + 1]);
            if (segment.layout == detail::RowLayout::Contiguous)
                visit<detail::RowLayout::Contiguous>(table, segment.first, segment.count, fn,
                                                     Kept{});
            else if (segment.layout == detail::RowLayout::InStep)
                visit<detail::RowLayout::InStep>(table, segment.first, segment.count, fn, Kept{});
            else
                visit<detail::RowLayout::Scattered>(table, segment.first, segment.count, fn,
                                                    Kept{});
        }
    }

    // As `each`, on several threads: the rows are split into chunks, each of which calls a copy of fn, in order. How they are
    // split depends on the number of rows alone (`rowsPerChunk` 0: chosen for small work). fn writes through its
    // arguments only; what it asks of the world (addEntity, emit, ...) waits for the end of the loop or of the system's
    // stage, and takes effect in the order of the rows (docs/threads.md).
    template <class Fn>
    void parallelEach(Fn fn, std::size_t rowsPerChunk = 0) const {
        const detail::ViewTable table = detail::openTable(*view_, columns());
        const auto visitChunk = [&](std::size_t first, std::size_t end) {
            Fn own = fn;
            eachIn(table, first, end, own);
        };
        using VisitChunk = decltype(visitChunk);
        detail::forChunks(
            *view_, columns(), rowsPerChunk,
            [](const void* visit, std::size_t first, std::size_t end) {
                (*static_cast<const VisitChunk*>(visit))(first, end);
            },
            &visitChunk);
    }

    // What a system that loops over the view touches, for SystemOptions.
    SystemAccess access() const { return ComponentsView::access(view_); }

    // A range of tuples, the entity and then what `each` passes:
    //
    //     for (auto [entity, transform, velocity] : view) transform.x += velocity.x * dt;
    //
    // With g++ it is as fast as `each`, or an eighth slower after long churn; up to two fifths slower where the body adds
    // to a local variable of the caller. With clang it is as fast as `each` while the rows lie in one page of each column, which
    // holds some 20 000 components of 8 bytes; beyond that it takes twice as long where clang vectorises `each`.
    // Until the loop ends, the world holds still: reconcile is refused.
    [[gnu::always_inline]] detail::RowIterator<Kept> begin() const {
        return {detail::openTable(*view_, columns()), columns_};
    }
    detail::RowsEnd end() const noexcept { return {}; }

    // As `each`, for the rows that came into the view at `since`, by World::getClock, or later.
    template <class Fn>
    void eachAddedSince(Clock since, Fn fn) const {
        eachWhere([&](std::size_t place) { return detail::nextAdded(*view_, place, since); }, fn);
    }

    // As `each`, for rows of which a component of type T may have been written at `since` or later.
    // As coarse as the marks: a page after read-write iteration, else a block of 32 slots.
    template <class T, class Fn>
    void eachChangedSince(Clock since, Fn fn) const {
        const detail::ViewColumn& column = *columns_[requireIndex<T>()];
        eachWhere(
            [&](std::size_t place) { return detail::nextChanged(*view_, column, place, since); },
            fn);
    }

    // When, by World::getClock, a row came into the view, and when its component of type T may last have
    // been written.
    Clock addedAt(std::size_t row) const { return view_->getAddedAt(row); }
    template <class T>
    Clock changedAt(std::size_t row) const {
        return detail::changedAt(*view_, *columns_[requireIndex<T>()], row);
    }

    // Rows that lie next to each other in every column, as a range for loops of one's own, in
    // world order; good until the next reconcile:
    //
    //     for (const auto& [count, transforms, velocities] : view.runs()) ...
    //
    // An element is a tuple of the count and a pointer per column; an Optional that is absent
    // over the whole run is null.
    class RunIterator {
    public:
        RunIterator(const View& view, std::size_t first) : view_(&view), first_(first) { find(); }
        auto operator*() const { return view_->runAt(first_, count_, Kept{}); }
        RunIterator& operator++() {
            first_ += count_;
            find();
            return *this;
        }
        bool operator==(const RunIterator& other) const noexcept { return first_ == other.first_; }

    private:
        // Behind the last run, moves on to the end.
        void find() { count_ = detail::runLength(*view_->view_, view_->columns(), first_); }

        const View* view_;
        std::size_t first_;
        std::size_t count_ = 0;
    };
    struct Runs {
        RunIterator first;
        RunIterator last;
        RunIterator begin() const { return first; }
        RunIterator end() const { return last; }
    };
    Runs runs() const& {
        const detail::ViewTable table = detail::openTable(*view_, columns());
        return {RunIterator(*this, 0), RunIterator(*this, table.places)};
    }
    Runs runs() const&& = delete;  // the view would be gone before the first run

    // The same by a call per run, fn(count, pointers...), with the world held still meanwhile.
    template <class Fn>
    void eachRun(Fn fn) const {
        const CountScope scope(*detail::readTable(*view_).tickDepth);
        for (const auto& run : runs()) std::apply(fn, run);
    }

private:
    detail::ViewColumns columns() const noexcept {
        return {columns_.data(), Kept::size, Kept::written};
    }

    // Prefetches the beginning of a long array: until the processor has noticed that it is
    // one, each line comes from afar, which cost a million rows in some fifty pages 10 %.
    void fetchAhead(const detail::Segment& segment) const noexcept {
        constexpr std::size_t longRun = 4096;
        constexpr std::size_t bytesAhead = 2048;
        if (segment.layout != detail::RowLayout::Contiguous || segment.count < longRun) return;
        for (const detail::ViewColumn* column : columns_)
            for (std::size_t offset = 0; offset < bytesAhead && !column->optional; offset += 64)
                detail::prefetchLineForLater(column->pointers[segment.first] + offset);
    }

    // The rows from `first` to before `end`.
    template <class Fn>
    void eachIn(const detail::ViewTable& table, std::size_t first, std::size_t end, Fn& fn) const {
        std::size_t place = detail::placeOf(*view_, first);
        const detail::Segment* segment = detail::segmentAt(table, place);
        for (std::size_t left = end - first; left > 0; ++segment) {
            if (place < segment->first) place = segment->first;
            const std::size_t inSegment = std::size_t{segment->first} + segment->count - place;
            const std::size_t count = left < inSegment ? left : inSegment;
            if (segment->layout == detail::RowLayout::Contiguous)
                visit<detail::RowLayout::Contiguous>(table, place, count, fn, Kept{});
            else if (segment->layout == detail::RowLayout::InStep)
                visit<detail::RowLayout::InStep>(table, place, count, fn, Kept{});
            else
                visit<detail::RowLayout::Scattered>(table, place, count, fn, Kept{});
            place += count;
            left -= count;
        }
    }

    template <detail::RowLayout layout, class Fn, class... Used>
    void visit(const detail::ViewTable& table, std::size_t first, std::size_t count, Fn& fn,
               List<Used...> list) const {
        visitWith<layout>(table, first, count, fn, list, std::index_sequence_for<Used...>());
    }

    // A function of its own: measured, two loops in one keep the compiler from holding the
    // functor's constants in registers, and each row pays for a load more.
    template <detail::RowLayout layout, class Fn, class... Used, std::size_t... indices>
    [[gnu::noinline]] void visitWith(const detail::ViewTable& table, std::size_t first,
                                     std::size_t count, Fn& fn, List<Used...>,
                                     std::index_sequence<indices...>) const {
        auto loop = [&](auto visitRow, auto... cursors) {
            std::size_t i = 0;
            if constexpr (layout != detail::RowLayout::Contiguous) {
                // Measured, 100 000 rows after churn: to prefetch the line of one row in as many
                // as share it at best saves an eighth; those of all rows cost what they save.
                constexpr std::size_t rowsAhead = 64;
                constexpr std::size_t stride = detail::rowsPerLine<Used...>;
                for (; stride > 1 && i + rowsAhead < count; i += stride) {
                    (cursors.fetch(i + rowsAhead), ...);
                    for (std::size_t k = 0; k < stride; ++k) visitRow(i + k, cursors...);
                }
            }
            for (; i < count; ++i) visitRow(i, cursors...);
        };
        auto visitRow = [&] {
            if constexpr (std::is_invocable_v<Fn&, Entity,
                                              typename detail::TermTraits<Used>::Argument...>)
                return [&fn, &world = *table.world, &generations = *table.generations,
                        heads = table.heads + first](std::size_t i, const auto&... cursors) {
                    const std::uint32_t index = heads[i].index;
                    fn(Entity(world, EntityId{index, generations[index]}), cursors[i]...);
                };
            else
                return [&fn](std::size_t i, const auto&... cursors) { fn(cursors[i]...); };
        }();
        loop(visitRow,
             detail::Cursor<Used, layout>(*columns_[indices], *columns_[Kept::guide], first)...);
    }

    // `next(place)`: that of the first row to visit at or after `place`, or ViewTable::places.
    template <class Next, class Fn>
    void eachWhere(Next next, Fn& fn) const {
        const detail::ViewTable table = detail::readTable(*view_);
        const CountScope scope(*table.tickDepth);
        for (std::size_t place = next(0); place < table.places; place = next(place + 1)) {
            detail::markRow(*view_, columns(), place);
            visit<detail::RowLayout::Scattered>(table, place, 1, fn, Kept{});
        }
    }

    template <class T, std::size_t index, class... Used>
    decltype(auto) getAt(std::size_t place, List<Used...>) const {
        using Term = std::tuple_element_t<index, std::tuple<Used...>>;
        using Traits = detail::TermTraits<Term>;
        const detail::Cursor<Term, detail::RowLayout::Scattered> cursor(*columns_[index],
                                                                        *columns_[index], place);
        if constexpr (Traits::readOnly) {
            return cursor[0];
        } else if constexpr (std::is_const_v<T>) {
            using Read = std::conditional_t<std::is_pointer_v<typename Traits::Argument>, T*, T&>;
            return static_cast<Read>(cursor[0]);
        } else {
            detail::markRow(*view_, {&columns_[index], 1, 1}, place);
            return cursor[0];
        }
    }

    template <class... Used>
    auto runAt(std::size_t first, std::size_t count, List<Used...>) const {
        std::size_t i = 0;
        [[maybe_unused]] auto pointer = [&]<class Term>(Term*) {
            std::byte* component = columns_[i++]->pointers[first];
            using T = typename detail::TermTraits<Term>::Type;
            return isEmpty(static_cast<const void*>(component)) ? nullptr
                                                                : reinterpret_cast<T*>(component);
        };
        return std::tuple<std::size_t, typename detail::TermTraits<Used>::Type*...>{
            count, pointer(static_cast<Used*>(nullptr))...};
    }

    std::shared_ptr<ComponentsView> view_;
    std::array<const detail::ViewColumn*, Kept::size> columns_{};
};

template <class... Terms>
View<Terms...> World::view() {
    return View<Terms...>(*this);
}

template <class... Terms>
View<Terms...> System::view() {
    View<Terms...> held(getWorld());
    declareAccess(held.access());
    return held;
}

template <class... Terms>
View<Terms...> World::view() const {
    static_assert((detail::TermTraits<Terms>::readOnly && ...),
                  "a view of a const world reads only: write `const T`");
    return View<Terms...>(const_cast<World&>(*this));  // views are caches of the world
}

}  // namespace revenant
