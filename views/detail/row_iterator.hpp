// RowIterator: the rows of a view for a range-for. While one lives, the world holds still, as in View::each.
//
// It walks in blocks: a contiguous segment is one block, any other row a block of its own. Written so that
// compilers see an inner loop over plain arrays, which they can vectorise: the block changes in a branch
// of ++ that is marked unlikely, and nothing takes the iterator's address.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "views/detail/view_cursor.hpp"
#include "views/detail/view_table.hpp"
#include "views/detail/view_terms.hpp"
#include "world/count_scope.hpp"
#include "world/entity.hpp"

namespace revenant::detail {

struct RowsEnd {};

// One column of the block that is walked.
template <class Term>
struct BlockCursor {
    using Traits = TermTraits<Term>;
    using T = typename Traits::Type;
    static constexpr bool isMustHave = Traits::presence == Presence::MustHave;
    using Base = std::conditional_t<isMustHave, T*, std::byte* const*>;

    const ViewColumn* column;
    T* base = nullptr;
    std::byte* const* pointers = nullptr;

    void begin(std::size_t row) noexcept {
        base = reinterpret_cast<T*>(column->pointers[row]);
        pointers = column->pointers.data() + row;
    }
    typename Traits::Argument at(std::size_t i, bool isArray) const noexcept {
        if constexpr (isMustHave) {
            if (isArray) return base[i];
            return *reinterpret_cast<T*>(pointers[i]);
        } else if constexpr (std::is_pointer_v<typename Traits::Argument>)
            return isEmpty(static_cast<const void*>(pointers[i]))
                       ? nullptr
                       : reinterpret_cast<T*>(pointers[i]);
        else
            return *reinterpret_cast<T*>(pointers[i]);
    }
};

template <class List>
class RowIterator;

template <class... Terms>
class RowIterator<TermList<Terms...>> {
public:
    using value_type = std::tuple<Entity, typename TermTraits<Terms>::Argument...>;

    RowIterator(const ViewTable& table,
                const std::array<const ViewColumn*, sizeof...(Terms)>& columns)
        : RowIterator(table, columns, std::index_sequence_for<Terms...>()) {}

    value_type operator*() const {
        return std::apply(
            [this](const auto&... cursors) {
                return value_type(entity(), cursors.at(at_, isArray_)...);
            },
            cursors_);
    }
    RowIterator& operator++() {
        if (++at_ == count_) [[unlikely]]
            nextBlock();
        return *this;
    }
    friend bool operator==(const RowIterator& it, RowsEnd) noexcept { return it.at_ == it.count_; }

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
          segmentsEnd_(segment_ + table.segments.size()),
          cursors_(BlockCursor<Terms>{columns[indices]}...) {
        if (segment_ != segmentsEnd_) beginBlock();
    }
    Entity entity() const noexcept {
        const std::uint32_t index = heads_[first_ + at_].index;
        return {*world_, EntityId{index, (*generations_)[index]}};
    }
    void nextBlock() noexcept {
        first_ += count_;
        at_ = 0;
        count_ = 0;
        if (++segment_ == segmentsEnd_) return;
        beginBlock();
    }
    void beginBlock() noexcept {
        count_ = segment_->count;
        isArray_ = segment_->layout == RowLayout::Contiguous;
        std::apply([this](auto&... cursors) { (cursors.begin(first_), ...); }, cursors_);
    }

    CountScope scope_;
    World* world_;
    const RowHead* heads_;
    const std::vector<std::uint32_t>* generations_;
    const Segment* segment_;
    const Segment* segmentsEnd_;
    std::size_t first_ = 0;  // row of the block
    std::size_t at_ = 0;     // in the block
    bool isArray_ = false;
    std::size_t count_ = 0;  // of its rows; 0: behind the last one
    std::tuple<BlockCursor<Terms>...> cursors_;
};

}  // namespace revenant::detail
