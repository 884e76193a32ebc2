// RowIterator: the rows of a view for a range-for. While one lives, the world holds still, as in View::each.
//
// One loop has to serve every layout, so the iterator picks one of four ways to walk when it is made:
// a single array (all rows contiguous), blocks (mostly contiguous: each contiguous segment is a block, any other
// row a block of its own), one pointer per row (all rows in step) or a pointer per component (mostly scattered).
// The choice never changes while the iterator lives, so that compilers move the test out of the loop: in this order,
// as g++ gives up behind the third. The loop over a single array is then plain enough to be vectorised.
// Roads not taken, for blocks: two nested loops, as in View::each, cannot be written as an iterator. Measured, with the
// end of a block tested in operator++, in operator* or in the comparison with the end, and with an index per block or one
// for all: both branches meet before the loop goes back, neither g++ 12 nor clang 14 recovers the inner loop, and
// blocks are walked one row at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "views/detail/view_cursor.hpp"
#include "views/detail/view_table.hpp"
#include "views/detail/view_terms.hpp"
#include "world/count_scope.hpp"
#include "world/entity.hpp"

namespace revenant::detail {

struct RowsEnd {};

// One column. The four ways to reach the component of a row are those of the iterator.
template <class Term>
struct RowCursor {
    using Traits = TermTraits<Term>;
    using T = typename Traits::Type;
    static constexpr bool isMustHave = Traits::presence == Presence::MustHave;

    std::byte* const* pointers;
    T* array;                  // of row 0
    std::byte* const* guide;   // pointers of the must-have column that leads to the others in step
    std::uintptr_t distance;   // in step: from the component of the guide
    std::uintptr_t block = 0;  // where row 0 would be if the block reached back to it

    void begin(std::size_t row) noexcept {
        block = reinterpret_cast<std::uintptr_t>(pointers[row]) - row * sizeof(T);
    }
    typename Traits::Argument inArray(std::size_t row) const noexcept {
        if constexpr (isMustHave)
            return array[row];
        else
            return byPointer(row);
    }
    typename Traits::Argument inStep(std::size_t row) const noexcept {
        if constexpr (isMustHave)
            return *reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(guide[row]) + distance);
        else
            return byPointer(row);
    }
    typename Traits::Argument inBlock(std::size_t row) const noexcept {
        if constexpr (isMustHave)
            return *reinterpret_cast<T*>(block + row * sizeof(T));
        else
            return byPointer(row);
    }
    typename Traits::Argument byPointer(std::size_t row) const noexcept {
        std::byte* component = pointers[row];
        if constexpr (std::is_pointer_v<typename Traits::Argument>)
            return isEmpty(static_cast<const void*>(component)) ? nullptr
                                                                : reinterpret_cast<T*>(component);
        else
            return *reinterpret_cast<T*>(component);
    }
};

template <class List>
class RowIterator;

template <class... Terms>
class RowIterator<TermList<Terms...>> {
    using List = TermList<Terms...>;

public:
    using value_type = std::tuple<Entity, typename TermTraits<Terms>::Argument...>;

    RowIterator(const ViewTable& table,
                const std::array<const ViewColumn*, sizeof...(Terms)>& columns)
        : RowIterator(table, columns, std::index_sequence_for<Terms...>()) {}

    [[gnu::always_inline]] value_type operator*() {
        return row(std::index_sequence_for<Terms...>());
    }
    [[gnu::always_inline]] RowIterator& operator++() noexcept {
        ++row_;
        return *this;
    }
    friend bool operator==(const RowIterator& it, RowsEnd) noexcept { return it.row_ == it.count_; }

private:
    template <std::size_t... indices>
    RowIterator(const ViewTable& table,
                const std::array<const ViewColumn*, sizeof...(Terms)>& columns,
                std::index_sequence<indices...>)
        : scope_(*table.tickDepth),
          world_(table.world),
          heads_(table.heads),
          generations_(table.generations),
          segment_(table.segments.data()),
          count_(table.count),
          isArray_(table.contiguous == table.count && table.segments.size() == 1),
          isInStep_(table.segments.size() == 1 && table.segments[0].layout == RowLayout::InStep),
          isInBlocks_(table.contiguous > table.count - table.count / 4),
          cursors_(RowCursor<Terms>{
              columns[indices]->pointers.data(), firstOf<Terms>(*columns[indices], table.count),
              columns[List::guide]->pointers.data(),
              table.count == 0
                  ? 0
                  : addressOf(*columns[indices]) - addressOf(*columns[List::guide])}...) {}
    static std::uintptr_t addressOf(const ViewColumn& column) noexcept {
        return reinterpret_cast<std::uintptr_t>(column.pointers[0]);
    }
    // Not by std::apply: clang does not inline it here, which made a row cost ten times as much.
    template <std::size_t... indices>
    [[gnu::always_inline]] value_type row(std::index_sequence<indices...>) {
        if (isArray_) return value_type(entity(), std::get<indices>(cursors_).inArray(row_)...);
        if (isInBlocks_) {
            if (row_ == blockEnd_) [[unlikely]] {
                nextBlock();
                (std::get<indices>(cursors_).begin(row_), ...);
            }
            return value_type(entity(), std::get<indices>(cursors_).inBlock(row_)...);
        }
        if (isInStep_) return value_type(entity(), std::get<indices>(cursors_).inStep(row_)...);
        return value_type(entity(), std::get<indices>(cursors_).byPointer(row_)...);
    }
    template <class Term>
    static auto* firstOf(const ViewColumn& column, std::size_t count) noexcept {
        using T = typename TermTraits<Term>::Type;
        return count > 0 ? reinterpret_cast<T*>(column.pointers[0]) : nullptr;
    }
    [[gnu::always_inline]] Entity entity() const noexcept {
        const std::uint32_t index = heads_[row_].index;
        return {*world_, EntityId{index, (*generations_)[index]}};
    }
    [[gnu::always_inline]] void nextBlock() noexcept {
        blockEnd_ = row_ + 1;
        if (row_ == segmentEnd_) {
            segmentEnd_ += segment_->count;
            if (segment_->layout == RowLayout::Contiguous) blockEnd_ = segmentEnd_;
            ++segment_;
        }
    }

    CountScope scope_;
    World* world_;
    const RowHead* heads_;
    const std::uint32_t* const* generations_;
    const Segment* segment_;      // the next one
    std::size_t segmentEnd_ = 0;  // row behind the current one
    std::size_t blockEnd_ = 0;    // row behind the current block
    std::size_t row_ = 0;
    const std::size_t count_;
    const bool isArray_;
    const bool isInStep_;
    const bool isInBlocks_;
    std::tuple<RowCursor<Terms>...> cursors_;
};

}  // namespace revenant::detail
