// GrowingMemory: memory that grows without a copy once it is large: addresses are reserved far ahead, and the system gives
// memory behind them bit by bit. So one more entity among a million costs what the first did. Where addresses cannot be
// reserved it is copied, as a vector would be. Plain data; its owner releases it.
#pragma once

#include <cstddef>

namespace revenant {

struct GrowingMemory {
    std::byte* data = nullptr;  // on a boundary of 64 bytes
    std::size_t bytes = 0;      // that can be used
    std::size_t reserved = 0;   // of addresses; 0: it comes from operator new
};

// Makes `bytes` usable; `used` bytes keep their contents, the rest is undefined. Returns the former memory if it moved, for
// the caller to release. Throws std::bad_alloc; then nothing changed.
GrowingMemory grow(GrowingMemory& memory, std::size_t used, std::size_t bytes);
void release(GrowingMemory& memory) noexcept;

}  // namespace revenant
