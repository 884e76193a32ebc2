// The terms of a View: what each asks for, and the types that follow from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "views/detail/view_table.hpp"
#include "views/requirements.hpp"
#include "world/component_type_id.hpp"

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

// Terms that have columns, in the order of the arguments.
template <class... Terms>
struct TermList {
    static constexpr std::size_t size = sizeof...(Terms);
    static_assert(size <= 64, "an entity has at most 64 components");

    // Bit i is set where column i is open for writing.
    static constexpr std::uint64_t written = [] {
        std::uint64_t bits = 0;
        [[maybe_unused]] std::size_t i = 0;
        ((bits |= std::uint64_t{!TermTraits<Terms>::readOnly} << i++), ...);
        return bits;
    }();
    // The first must-have column, or 0: its pointers lead to the others in step.
    static constexpr std::size_t guide = [] {
        const bool mustHave[] = {(TermTraits<Terms>::presence == Presence::MustHave)..., true};
        std::size_t index = 0;
        while (!mustHave[index]) ++index;
        return index < size ? index : 0;
    }();
    // The column of a type, `size` where there is none.
    template <class T>
    static constexpr std::size_t indexOf = [] {
        const bool same[] = {
            std::is_same_v<std::remove_const_t<T>,
                           std::remove_const_t<typename TermTraits<Terms>::Type>>...,
            true};
        std::size_t index = 0;
        while (!same[index]) ++index;
        return index;
    }();
};

// Leaves out the terms that have no column.
template <class Kept, class... Terms>
struct WithColumns {
    using Type = Kept;
};
template <class... Kept, class First, class... Rest>
struct WithColumns<TermList<Kept...>, First, Rest...>
    : WithColumns<std::conditional_t<TermTraits<First>::presence == Presence::Without,
                                     TermList<Kept...>, TermList<Kept..., First>>,
                  Rest...> {};

template <class... Terms>
std::array<ViewTerm, sizeof...(Terms)> viewTerms() {
    return {{{cppTypeIndex<std::remove_const_t<typename TermTraits<Terms>::Type>>(),
              TermTraits<Terms>::presence, TermTraits<Terms>::readOnly}...}};
}

}  // namespace detail
}  // namespace revenant
