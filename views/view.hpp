// View: a ComponentsView with its C++ types.
//
//     auto view = world.view<Transform, const Velocity, Optional<const Sprite>, Without<Frozen>>();
//     view.each([dt](Transform& t, const Velocity& v, const Sprite& s) { ... });
//     view.each([](Entity e, Transform& t, ...) { ... });
//
// `T` is read-write, `const T` read-only. An Optional<const T> that is absent is EMPTY and reads
// as zeros without a branch (isEmpty tells); an Optional<T> comes as a pointer, null where
// absent. Iteration follows world order; where rows are contiguous in memory the loop runs over
// plain arrays, so that the compiler can vectorise it. Read-write iteration marks the pages of
// the components as changed at this tick.
// Adding and removing entities and components inside is safe: it takes effect at the reconcile.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "views/components_view.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

template <class T>
struct Optional {};
template <class T>
struct Without {};

namespace detail {

template <class Term>
struct TermTraits {
    using Type = Term;
    using Argument = Term&;
    static constexpr Presence presence = Presence::MustHave;
    static constexpr bool readOnly = std::is_const_v<Term>;
};
template <class T>
struct TermTraits<Optional<T>> {
    using Type = T;
    using Argument = std::conditional_t<std::is_const_v<T>, T&, T*>;
    static constexpr Presence presence = Presence::Optional;
    static constexpr bool readOnly = std::is_const_v<T>;
};
template <class T>
struct TermTraits<Without<T>> {
    using Type = T;
    using Argument = void;
    static constexpr Presence presence = Presence::Without;
    static constexpr bool readOnly = true;
};

// How the components of one term are reached, row by row: must-have columns as the segment lies
// in memory, optional ones through their pointers.
template <class Term, RowLayout layout>
struct Cursor {
    using Traits = TermTraits<Term>;
    using T = typename Traits::Type;
    static constexpr bool isMustHave = Traits::presence == Presence::MustHave;
    static constexpr bool isArray = layout == RowLayout::Contiguous && isMustHave;
    static constexpr bool isInStep = layout == RowLayout::InStep && isMustHave;
    using Base = std::conditional_t<isArray, T*, std::byte* const*>;

    Base base;
    std::uintptr_t distance = 0;  // in step: from the components of the guide

    // `guide`: the must-have column whose pointers lead to the others in step.
    Cursor(const ViewColumn& column, const ViewColumn& guide, std::size_t first) noexcept {
        if constexpr (isArray) {
            base = reinterpret_cast<T*>(column.pointers[first]);
        } else if constexpr (isInStep) {
            base = guide.pointers.data() + first;
            distance = addressOf(column.pointers[first]) - addressOf(guide.pointers[first]);
        } else {
            base = column.pointers.data() + first;
        }
    }
    static std::uintptr_t addressOf(const std::byte* component) noexcept {
        return reinterpret_cast<std::uintptr_t>(component);
    }
    typename Traits::Argument operator[](std::size_t i) const noexcept {
        if constexpr (isArray)
            return base[i];
        else if constexpr (isInStep)
            return *reinterpret_cast<T*>(addressOf(base[i]) + distance);
        else if constexpr (std::is_pointer_v<typename Traits::Argument>)
            return isEmpty(static_cast<const void*>(base[i])) ? nullptr
                                                              : reinterpret_cast<T*>(base[i]);
        else
            return *reinterpret_cast<T*>(base[i]);
    }
    // Has the processor fetch the component of a row that is not an array's.
    void fetch(std::size_t i) const noexcept {
        if constexpr (!isArray)
            __builtin_prefetch(reinterpret_cast<const void*>(addressOf(base[i]) + distance));
    }
};

// Of rows apart, how many share a cache line at best.
template <class... Terms>
constexpr std::size_t rowsPerLine = std::clamp<std::size_t>(
    64 / std::max({sizeof(typename TermTraits<Terms>::Type)..., std::size_t{1}}), 1, 8);

}  // namespace detail

template <class... Terms>
class View {
    template <class Term>
    static constexpr bool hasColumn = detail::TermTraits<Term>::presence != Presence::Without;
    template <class Term>
    using ColumnOf =
        std::conditional_t<hasColumn<Term>, std::tuple<const ViewColumn*>, std::tuple<>>;
    // The terms that have columns, in the order of the arguments.
    template <class... Kept>
    struct List {};
    template <class Kept, class...>
    struct Filter {
        using Type = Kept;
    };
    template <class... Kept, class First, class... Rest>
    struct Filter<List<Kept...>, First, Rest...>
        : Filter<std::conditional_t<hasColumn<First>, List<Kept..., First>, List<Kept...>>,
                 Rest...> {};
    using Kept = typename Filter<List<>, Terms...>::Type;

public:
    explicit View(World& world) : view_(world.getComponentsView(requirementsOf(world))) {
        ViewRows& rows = view_->rows();
        bindColumns(world, rows, Kept{});
    }

    std::size_t count() const { return view_->count(); }
    Entity getEntity(std::size_t row) const { return view_->getEntity(row); }
    std::ptrdiff_t rowOf(Entity entity) const { return view_->rowOf(entity); }
    bool isDirty() const { return view_->isDirty(); }
    const std::shared_ptr<ComponentsView>& untyped() const noexcept { return view_; }

    // Calls fn(components...) or fn(Entity, components...) for each row.
    template <class Fn>
    void each(Fn fn) const {
        ViewRows& rows = view_->rows();
        const TickScope scope(rows.world());  // nothing moves under the loop
        markWritten(rows, Kept{});
        const std::span<const Segment> segments = rows.segments();
        for (std::size_t i = 0; i < segments.size(); ++i) {
            const Segment& segment = segments[i];
            if (i + 1 < segments.size()) fetchAhead(segments[i + 1]);
            if (segment.layout == RowLayout::Contiguous)
                visit<RowLayout::Contiguous>(rows, segment.first, segment.count, fn, Kept{});
            else if (segment.layout == RowLayout::InStep)
                visit<RowLayout::InStep>(rows, segment.first, segment.count, fn, Kept{});
            else
                visit<RowLayout::Scattered>(rows, segment.first, segment.count, fn, Kept{});
        }
    }

    // The same for the rows that came into the view at `since`, by World::getClock, or later.
    template <class Fn>
    void eachAddedSince(Clock since, Fn fn) const {
        eachWhere(
            [since](const ViewRows& rows, std::size_t row) { return rows.addedAt(row) >= since; },
            fn);
    }

    // The same for rows of which a component of type T may have been written at `since` or later.
    // As coarse as the marks: a page after read-write iteration, else a block of 32 slots.
    template <class T, class Fn>
    void eachChangedSince(Clock since, Fn fn) const {
        constexpr std::size_t index = indexOf<T>(Kept{});
        static_assert(index < sizeOfList(Kept{}), "the view has no column of this type");
        const ViewColumn* column = columns_[index];
        eachWhere(
            [since, column](const ViewRows&, std::size_t row) {
                const std::byte* component = column->pointers[row];
                return !isEmpty(static_cast<const void*>(component)) &&
                       column->type->pool.changedAt(component) >= since;
            },
            fn);
    }

    // When, by World::getClock, a row came into the view, and when its component of type T may last have been written.
    Clock addedAt(std::size_t row) const { return view_->getAddedAt(row); }
    template <class T>
    Clock changedAt(std::size_t row) const {
        constexpr std::size_t index = indexOf<T>(Kept{});
        static_assert(index < sizeOfList(Kept{}), "the view has no column of this type");
        return view_->getColumn(columns_[index]->type->schema.name).getChangedAt(row);
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
        void find() {
            const ViewRows& rows = view_->view_->rows();
            count_ = first_ < rows.count() ? view_->runLength(rows, first_) : 0;
        }

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
        markWritten(view_->rows(), Kept{});
        return {RunIterator(*this, 0), RunIterator(*this, count())};
    }
    Runs runs() const&& = delete;  // the view would be gone before the first run

    // The same by a call per run, fn(count, pointers...), with the world held still meanwhile.
    template <class Fn>
    void eachRun(Fn fn) const {
        const TickScope scope(view_->rows().world());
        for (const auto& run : runs()) std::apply(fn, run);
    }

private:
    static Requirements requirementsOf(World& world) {
        Requirements requirements;
        (require<Terms>(world, requirements), ...);
        return requirements;
    }

    template <class Term>
    static void require(World& world, Requirements& requirements) {
        using Traits = detail::TermTraits<Term>;
        const ComponentType* type = WorldCore::of(world).components().findTied(
            cppTypeIndex<std::remove_const_t<typename Traits::Type>>());
        if (!type)
            fail(ErrorCode::UnknownComponent,
                 "view: one of its C++ types is not a component of this world; define it with "
                 "defineComponent");
        ComponentRequirementDesc desc;
        desc.presence = Traits::presence;
        desc.readOnly = Traits::readOnly;
        if (!requirements.emplace(type->schema.name, desc).second)
            fail(ErrorCode::BadArgument, "view: component '", type->schema.name,
                 "' is asked for twice");
    }

    template <class... Used>
    void bindColumns(World& world, const ViewRows& rows, List<Used...>) {
        std::size_t i = 0;
        ((columns_[i++] = rows.findColumn(
              WorldCore::of(world)
                  .components()
                  .findTied(
                      cppTypeIndex<std::remove_const_t<typename detail::TermTraits<Used>::Type>>())
                  ->id)),
         ...);
    }

    template <class... Used>
    void markWritten(const ViewRows& rows, List<Used...>) const {
        const Clock now = rows.world().getClock();
        std::size_t i = 0;
        [[maybe_unused]] auto mark = [&]<class Term>(Term*) {
            if constexpr (!detail::TermTraits<Term>::readOnly) rows.markOpen(*columns_[i], now);
            ++i;
        };
        (mark(static_cast<Used*>(nullptr)), ...);
    }

    // Asks for the beginning of a long array in time: until the processor has noticed that it is
    // one, each line comes from afar, which cost a million rows in some fifty pages 10 %.
    void fetchAhead(const Segment& segment) const noexcept {
        constexpr std::size_t longRun = 4096;
        constexpr std::size_t bytesAhead = 2048;
        if (segment.layout != RowLayout::Contiguous || segment.count < longRun) return;
        for (const ViewColumn* column : columns_)
            for (std::size_t offset = 0; offset < bytesAhead && !column->optional; offset += 64)
                __builtin_prefetch(column->pointers[segment.first] + offset, 0, 2);
    }

    template <RowLayout layout, class Fn, class... Used>
    void visit(const ViewRows& rows, std::size_t first, std::size_t count, Fn& fn,
               List<Used...> list) const {
        visitWith<layout>(rows, first, count, fn, list, std::index_sequence_for<Used...>());
    }

    // A function of its own: measured, two loops in one keep the compiler from holding the
    // functor's constants in registers, and each row pays for a load more.
    template <RowLayout layout, class Fn, class... Used, std::size_t... indices>
    [[gnu::noinline]] void visitWith(const ViewRows& rows, std::size_t first, std::size_t count,
                                     Fn& fn, List<Used...>, std::index_sequence<indices...>) const {
        auto loop = [&](auto visitRow, auto... cursors) {
            std::size_t i = 0;
            if constexpr (layout != RowLayout::Contiguous) {
                // Measured, 100 000 rows after churn: to ask for the line of one row in as many
                // as share it at best saves an eighth; for those of all costs what it saves.
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
                return
                    [&fn, &world = rows.world(), &pool = rows.world().forest().pool,
                     heads = rows.heads().data() + first](std::size_t i, const auto&... cursors) {
                        fn(world.entity(pool.idAt(heads[i].index)), cursors[i]...);
                    };
            else
                return [&fn](std::size_t i, const auto&... cursors) { fn(cursors[i]...); };
        }();
        loop(visitRow, detail::Cursor<Used, layout>(*columns_[indices],
                                                    *columns_[guideIndex(Kept{})], first)...);
    }

    template <class Accept, class Fn>
    void eachWhere(Accept accept, Fn& fn) const {
        ViewRows& rows = view_->rows();
        const TickScope scope(rows.world());
        for (std::size_t row = 0; row < rows.count(); ++row) {
            if (!accept(rows, row)) continue;
            markRow(rows, row, Kept{});
            visit<RowLayout::Scattered>(rows, row, 1, fn, Kept{});
        }
    }

    template <class... Used>
    void markRow(const ViewRows& rows, std::size_t row, List<Used...>) const {
        const Clock now = rows.world().getClock();
        std::size_t i = 0;
        [[maybe_unused]] auto mark = [&]<class Term>(Term*) {
            const ViewColumn& column = *columns_[i++];
            if constexpr (!detail::TermTraits<Term>::readOnly)
                if (!isEmpty(static_cast<const void*>(column.pointers[row])))
                    column.type->pool.markChanged(column.pointers[row], now);
        };
        (mark(static_cast<Used*>(nullptr)), ...);
    }

    std::size_t runLength(const ViewRows& rows, std::size_t first) const noexcept {
        std::size_t length = rows.count() - first;
        for (const ViewColumn* column : columns_) {
            const auto& pointers = column->pointers;
            const std::size_t stride =
                isEmpty(static_cast<const void*>(pointers[first])) ? 0 : column->type->schema.size;
            std::size_t run = 1;
            while (run < length && pointers[first + run] == pointers[first] + run * stride) ++run;
            length = run;
        }
        return length;
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

    template <class... Used>
    static constexpr std::size_t sizeOfList(List<Used...>) noexcept {
        return sizeof...(Used);
    }

    // The first must-have column, or 0.
    template <class... Used>
    static constexpr std::size_t guideIndex(List<Used...>) noexcept {
        const bool mustHave[] = {(detail::TermTraits<Used>::presence == Presence::MustHave)...,
                                 true};
        std::size_t index = 0;
        while (!mustHave[index]) ++index;
        return index < sizeof...(Used) ? index : 0;
    }

    template <class T, class... Used>
    static constexpr std::size_t indexOf(List<Used...>) noexcept {
        using Wanted = std::remove_const_t<T>;
        const bool same[] = {
            std::is_same_v<Wanted, std::remove_const_t<typename detail::TermTraits<Used>::Type>>...,
            true};
        std::size_t index = 0;
        while (!same[index]) ++index;
        return index;
    }

    std::shared_ptr<ComponentsView> view_;
    std::array<const ViewColumn*, sizeOfList(Kept{})> columns_{};
};

template <class... Terms>
View<Terms...> World::view() {
    return View<Terms...>(*this);
}

}  // namespace revenant
