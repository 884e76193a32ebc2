// ComponentTypeId: the number of a component type in its world, in the order of definition.
#pragma once

#include <cstddef>
#include <cstdint>

namespace revenant {

using ComponentTypeId = std::uint16_t;

// A number per C++ type, the same in all worlds of the process.
std::size_t nextCppTypeIndex() noexcept;
template <class T>
std::size_t cppTypeIndex() noexcept {
    static const std::size_t index = nextCppTypeIndex();
    return index;
}

}  // namespace revenant
