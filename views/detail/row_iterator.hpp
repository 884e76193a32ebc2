// RowIterator: the rows of a view for a range-for. While one lives, the world holds still, as in View::each.
//
// It walks block by block (RowWalk in view_table.hpp), and operator++ goes on to the next block behind the last row of
// one. Whether there is a vectorised inner loop in that is up to the compiler. g++ 12 finds it and makes it as fast as the one of
// `each`, on four conditions, each found by trying:
// - All that the inner loop carries is set anew for each block, contents of memory included: newInnerLoop. A variable that
//   the body adds to is not, and keeps both loops one.
// - The comparison with the end asks for one value that changes between blocks only, the count.
// - The members are in registers before g++ looks for loops: everything is inlined at once, and there is no std::tuple.
// - The way to walk never changes, and all of it fits into 50 of g++'s instructions, so that the tests move out of the loop.
// clang 14 merges both ways back to the head of the loop before it looks for loops: it vectorises the rows of a single array,
// and walks several blocks row by row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "views/detail/view_cursor.hpp"
#include "views/detail/view_table.hpp"
#include "views/detail/view_terms.hpp"
#include "world/compiler.hpp"
#include "world/count_scope.hpp"
#include "world/entity.hpp"

namespace revenant::detail {

struct RowsEnd {};

// One column, in the current block.
template <class Term>
struct RowCursor {
    using Traits = TermTraits<Term>;
    using T = typename Traits::Type;
    static constexpr bool isMustHave = Traits::presence == Presence::MustHave;

    std::byte* const* pointers;  // of the whole column
    std::byte* const* guide;  // pointers of the must-have column that leads to the others in step
    T* array = nullptr;       // of the block's first row
    std::uintptr_t distance = 0;  // in step: from the component of the guide

    [[gnu::always_inline]] void begin(std::size_t first) noexcept {
        array = reinterpret_cast<T*>(pointers[first]);
        distance = addressOf(pointers[first]) - addressOf(guide[first]);
    }
    static std::uintptr_t addressOf(const std::byte* component) noexcept {
        return reinterpret_cast<std::uintptr_t>(component);
    }
    [[gnu::always_inline]] typename Traits::Argument inArray(std::size_t first,
                                                             std::size_t i) const noexcept {
        if constexpr (isMustHave)
            return array[i];
        else
            return byPointer(first + i);
    }
    [[gnu::always_inline]] typename Traits::Argument inStep(std::size_t row) const noexcept {
        if constexpr (isMustHave)
            return *reinterpret_cast<T*>(addressOf(guide[row]) + distance);
        else
            return byPointer(row);
    }
    [[gnu::always_inline]] typename Traits::Argument byPointer(std::size_t row) const noexcept {
        std::byte* component = pointers[row];
        if constexpr (std::is_pointer_v<typename Traits::Argument>)
            return isEmpty(static_cast<const void*>(component)) ? nullptr
                                                                : reinterpret_cast<T*>(component);
        else
            return *reinterpret_cast<T*>(component);
    }
};

// The columns. Not a std::tuple, which g++ inlines too late for the iterator to be in registers by then.
template <std::size_t index, class Term>
struct RowCursorAt : RowCursor<Term> {};
template <class Indices, class... Terms>
struct RowCursors;
template <std::size_t... indices, class... Terms>
struct RowCursors<std::index_sequence<indices...>, Terms...> : RowCursorAt<indices, Terms>... {
    [[gnu::always_inline]] void begin([[maybe_unused]] std::size_t first) noexcept {
        (RowCursorAt<indices, Terms>::begin(first), ...);
    }
    template <class Row>
    [[gnu::always_inline]] Row inArray(const Entity& entity, [[maybe_unused]] std::size_t first,
                                       [[maybe_unused]] std::size_t i) const noexcept {
        return Row(entity, RowCursorAt<indices, Terms>::inArray(first, i)...);
    }
    template <class Row>
    [[gnu::always_inline]] Row inStep(const Entity& entity,
                                      [[maybe_unused]] std::size_t row) const noexcept {
        return Row(entity, RowCursorAt<indices, Terms>::inStep(row)...);
    }
    template <class Row>
    [[gnu::always_inline]] Row byPointer(const Entity& entity,
                                         [[maybe_unused]] std::size_t row) const noexcept {
        return Row(entity, RowCursorAt<indices, Terms>::byPointer(row)...);
    }
};

template <class List>
class RowIterator;

template <class... Terms>
class RowIterator<TermList<Terms...>> {
    using List = TermList<Terms...>;

public:
    using value_type = std::tuple<Entity, typename TermTraits<Terms>::Argument...>;

    [[gnu::always_inline]] RowIterator(
        const ViewTable& table, const std::array<const ViewColumn*, sizeof...(Terms)>& columns)
        : RowIterator(table, columns, chooseWalk(table), std::index_sequence_for<Terms...>()) {}

    [[gnu::always_inline]] value_type operator*() const noexcept {
        if (isInArrays_) return cursors_.template inArray<value_type>(entity(), first_, i_);
        if (isInStep_) return cursors_.template inStep<value_type>(entity(), first_ + i_);
        return cursors_.template byPointer<value_type>(entity(), first_ + i_);
    }
    [[gnu::always_inline]] RowIterator& operator++() noexcept {
        if (++i_ == count_) [[unlikely]]
            nextBlock();
        return *this;
    }
    [[gnu::always_inline]] friend bool operator==(const RowIterator& it, RowsEnd) noexcept {
        return it.count_ == 0;
    }

private:
    template <std::size_t... indices>
    [[gnu::always_inline]] RowIterator(
        const ViewTable& table, const std::array<const ViewColumn*, sizeof...(Terms)>& columns,
        RowWalk walk, std::index_sequence<indices...>)
        : scope_(*table.tickDepth),
          world_(table.world),
          heads_(table.heads),
          generations_(table.generations),
          segment_(table.segments.data()),
          end_(table.places),
          blockLayout_(walk == RowWalk::SpreadPointers ? RowLayout::Scattered
                       : walk == RowWalk::InStep       ? RowLayout::InStep
                                                       : RowLayout::Contiguous),
          isInArrays_(walk == RowWalk::Array || walk == RowWalk::Arrays),
          isInStep_(walk == RowWalk::InStep),
          isInBlocks_(walk != RowWalk::Array && walk != RowWalk::Pointers),
          cursors_{
              {{columns[indices]->pointers.data(), columns[List::guide]->pointers.data()}}...} {
        if (table.places != 0) cursors_.begin(0);
        if (isInBlocks_)
            beginBlock();
        else
            count_ = end_;
    }
    [[gnu::always_inline]] Entity entity() const noexcept {
        const std::uint32_t index = heads_[first_ + i_].index;
        return {*world_, EntityId{index, (*generations_)[index]}};
    }
    [[gnu::always_inline]] void nextBlock() noexcept {
        newInnerLoop();
        first_ += count_;
        i_ = 0;
        count_ = 0;
        if (isInBlocks_ && first_ != end_) beginBlock();
    }
    [[gnu::always_inline]] void beginBlock() noexcept {
        count_ = 1;
        if (first_ == segmentEnd_) {
            if (segment_->layout <= blockLayout_) count_ = segment_->count;
            first_ = segment_->first;
            segmentEnd_ = first_ + segment_->count;
            ++segment_;
        }
        cursors_.begin(first_);
    }

    CountScope scope_;
    World* world_;
    const RowHead* heads_;
    const std::uint32_t* const* generations_;
    const Segment* segment_;      // the next one
    std::size_t segmentEnd_ = 0;  // the place behind the current one
    const std::size_t end_;
    const RowLayout blockLayout_;  // of segments that are blocks, and those before it
    const bool isInArrays_;
    const bool isInStep_;
    const bool isInBlocks_;
    std::size_t first_ = 0;  // place of the current block
    std::size_t count_ = 0;  // of its rows; 0 at the end
    std::size_t i_ = 0;      // the current row, in its block
    RowCursors<std::index_sequence_for<Terms...>, Terms...> cursors_;
};

}  // namespace revenant::detail
