#include "views/detail/row_array.hpp"

#include "world/storage/growing_memory.hpp"

namespace revenant::detail {

namespace {

GrowingMemory toGrowing(const RowMemory& memory) noexcept {
    return {static_cast<std::byte*>(memory.data), memory.bytes, memory.reserved};
}

RowMemory toRows(const GrowingMemory& memory) noexcept {
    return {memory.data, memory.bytes, memory.reserved};
}

}  // namespace

RowMemory growRows(RowMemory& memory, std::size_t used, std::size_t bytes) {
    GrowingMemory growing = toGrowing(memory);
    const GrowingMemory former = grow(growing, used, bytes);
    memory = toRows(growing);
    return toRows(former);
}

void freeRows(RowMemory& memory) noexcept {
    GrowingMemory growing = toGrowing(memory);
    release(growing);
    memory = {};
}

}  // namespace revenant::detail
