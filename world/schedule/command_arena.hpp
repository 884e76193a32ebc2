// CommandArena: memory for the commands of one task: taken in sequence, given back all at once. One thread at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace revenant {

class CommandArena {
public:
    static constexpr std::size_t alignment = 64;  // at most

    std::byte* take(std::size_t bytes, std::size_t align) {
        used_ = (used_ + align - 1) & ~(align - 1);
        if (blocks_.empty() || used_ + bytes > blocks_[at_].bytes) [[unlikely]]
            nextBlock(bytes);
        std::byte* taken = blocks_[at_].memory.get() + used_;
        used_ += bytes;
        return taken;
    }
    // What was taken is gone. Keeps as much memory as the last round used.
    void reset() noexcept {
        if (blocks_.size() > at_ + 1) blocks_.resize(at_ + 1);
        at_ = used_ = 0;
    }

private:
    static constexpr std::size_t blockBytes = 16 * 1024;

    struct Free {
        void operator()(std::byte* memory) const noexcept {
            ::operator delete (memory, std::align_val_t{alignment});
        }
    };
    struct Block {
        std::unique_ptr<std::byte, Free> memory;
        std::size_t bytes = 0;
    };

    void nextBlock(std::size_t bytes) {
        const std::size_t next = blocks_.empty() ? 0 : at_ + 1;
        const std::size_t wanted = bytes > blockBytes ? bytes : blockBytes;
        if (next == blocks_.size() || blocks_[next].bytes < wanted) {
            Block block;
            block.memory.reset(
                static_cast<std::byte*>(::operator new (wanted, std::align_val_t{alignment})));
            block.bytes = wanted;
            blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(next), std::move(block));
        }
        at_ = next;
        used_ = 0;
    }

    std::vector<Block> blocks_;
    std::size_t at_ = 0;
    std::size_t used_ = 0;
};

}  // namespace revenant
