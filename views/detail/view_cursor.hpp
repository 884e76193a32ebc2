// Cursor: how a loop reaches the components of one term, row by row: must-have columns as the segment
// lies in memory, optional ones through their pointers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "views/detail/view_table.hpp"
#include "views/detail/view_terms.hpp"
#include "views/empty.hpp"
#include "world/compiler.hpp"

namespace revenant::detail {

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
    // Prefetches the component of a row, unless the rows are an array.
    void fetch(std::size_t i) const noexcept {
        if constexpr (!isArray)
            prefetchLine(reinterpret_cast<const void*>(addressOf(base[i]) + distance));
    }
};

// How many scattered rows share a cache line at best.
template <class... Terms>
inline constexpr std::size_t rowsPerLine = [] {
    std::size_t largest = 1;
    ((largest = sizeof(typename TermTraits<Terms>::Type) > largest
                    ? sizeof(typename TermTraits<Terms>::Type)
                    : largest),
     ...);
    const std::size_t rows = 64 / largest;
    return rows < 1 ? std::size_t{1} : rows > 8 ? std::size_t{8} : rows;
}();

}  // namespace revenant::detail
