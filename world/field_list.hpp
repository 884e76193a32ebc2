// fieldsOf: the fields of a plain aggregate without writing them out one by one.
//
//     struct Body { float x = 0, y = 0; double mass = 1; };
//     world.defineComponent<Body>("BodyCMP", fieldsOf<Body>("x", "y", "mass"));
//
// Types and places come from the struct; names have to be given, in the order of the members, and their number
// is checked when it is compiled. Without names they are "field1", "field2", ... Structs of up to 16 members,
// each of a field type or a std::array of one; for C arrays and blending use `field`.
// Road not taken: names taken from what the compiler prints of a template argument. Not every compiler that we
// support can, and a component must not have other field names, and so other files, with another compiler.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "world/component_schema.hpp"

namespace revenant {

namespace detail {

// Stands for a member of any type when counting how many a struct has.
struct AnyMember {
    template <class T>
    operator T() const noexcept;
};

template <class T, std::size_t... indices>
constexpr bool canHold(std::index_sequence<indices...>) {
    return requires {
        T{(static_cast<void>(indices), AnyMember{})...};
    };
}

inline constexpr std::size_t mostMembers = 16;

template <class T, std::size_t count = mostMembers + 1>
constexpr std::size_t memberCount() {
    if constexpr (count == 0)
        return 0;
    else if constexpr (canHold<T>(std::make_index_sequence<count>()))
        return count;
    else
        return memberCount<T, count - 1>();
}

// Calls visit(member) for each member of a struct, in order.
template <class T, class Visit>
void forEachMember(const T& object, Visit visit) {
    constexpr std::size_t count = memberCount<T>();
    auto all = [&visit](const auto&... members) { (visit(members), ...); };
    // An error here, on the number of names: the struct has a C array. List its fields with `field`.
    if constexpr (count == 1) {
        const auto& [a] = object;
        all(a);
    } else if constexpr (count == 2) {
        const auto& [a, b] = object;
        all(a, b);
    } else if constexpr (count == 3) {
        const auto& [a, b, c] = object;
        all(a, b, c);
    } else if constexpr (count == 4) {
        const auto& [a, b, c, d] = object;
        all(a, b, c, d);
    } else if constexpr (count == 5) {
        const auto& [a, b, c, d, e] = object;
        all(a, b, c, d, e);
    } else if constexpr (count == 6) {
        const auto& [a, b, c, d, e, f] = object;
        all(a, b, c, d, e, f);
    } else if constexpr (count == 7) {
        const auto& [a, b, c, d, e, f, g] = object;
        all(a, b, c, d, e, f, g);
    } else if constexpr (count == 8) {
        const auto& [a, b, c, d, e, f, g, h] = object;
        all(a, b, c, d, e, f, g, h);
    } else if constexpr (count == 9) {
        const auto& [a, b, c, d, e, f, g, h, i] = object;
        all(a, b, c, d, e, f, g, h, i);
    } else if constexpr (count == 10) {
        const auto& [a, b, c, d, e, f, g, h, i, j] = object;
        all(a, b, c, d, e, f, g, h, i, j);
    } else if constexpr (count == 11) {
        const auto& [a, b, c, d, e, f, g, h, i, j, k] = object;
        all(a, b, c, d, e, f, g, h, i, j, k);
    } else if constexpr (count == 12) {
        const auto& [a, b, c, d, e, f, g, h, i, j, k, l] = object;
        all(a, b, c, d, e, f, g, h, i, j, k, l);
    } else if constexpr (count == 13) {
        const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = object;
        all(a, b, c, d, e, f, g, h, i, j, k, l, m);
    } else if constexpr (count == 14) {
        const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = object;
        all(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
    } else if constexpr (count == 15) {
        const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = object;
        all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
    } else if constexpr (count == 16) {
        const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = object;
        all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
    }
}

}  // namespace detail

template <class Component, class... Names>
std::vector<Field> fieldsOf(const Names&... names) {
    static_assert(
        std::is_aggregate_v<Component>,
        "fieldsOf needs a struct without constructors, bases with data or private members; "
        "list its fields with `field`");
    constexpr std::size_t count = detail::memberCount<Component>();
    static_assert(count <= detail::mostMembers,
                  "fieldsOf takes structs of up to 16 members; list the fields with `field`");
    static_assert(sizeof...(Names) == 0 || sizeof...(Names) == count,
                  "fieldsOf needs one name per member of the struct, or none at all");
    static const Component probe{};
    const std::string given[] = {std::string(names)..., std::string()};
    std::vector<Field> fields;
    detail::forEachMember(probe, [&]<class Member>(const Member& member) {
        std::string name = sizeof...(Names) > 0 ? given[fields.size()]
                                                : "field" + std::to_string(fields.size() + 1);
        fields.push_back(fieldAt<Component, Member>(std::move(name), probe, member));
    });
    return fields;
}

}  // namespace revenant
