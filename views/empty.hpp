// EMPTY: the one shared value that stands in an optional column where an entity lacks the
// component. In C++ it is one address whose bytes are zero, as long as the largest component, so
// that a loop may read any component there without a branch. Its memory is read-only.
#pragma once

#include <cstddef>
#include <type_traits>

#include "world/component_schema.hpp"

namespace revenant {

struct alignas(64) EmptyComponent {
    std::byte bytes[maxComponentBytes];
};

extern const EmptyComponent emptyComponent;

inline bool isEmpty(const void* component) noexcept {
    return component == &emptyComponent;
}
template <class T>
    requires(!std::is_pointer_v<T>)
bool isEmpty(const T& component) noexcept {
    return isEmpty(static_cast<const void*>(&component));
}

}  // namespace revenant
