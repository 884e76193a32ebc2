// makeRoom: lets a vector grow before the first step of something that cannot be undone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace revenant {

// So that `count` elements more fit without an allocation. Grows as push_back would.
template <class T>
void makeRoom(std::vector<T>& vector, std::size_t count = 1) {
    if (vector.capacity() - vector.size() >= count) [[likely]]
        return;
    vector.reserve(std::max(vector.size() + count, vector.capacity() * 2));
}

}  // namespace revenant
