// StateBytes: the bytes of one state, which never change once they are made. Copies share them: the state after one frame,
// the state before the next change and the one that is compared with are the same bytes. So a frame in which a
// thousand states change allocates a thousand times, not three thousand.
//
// Shared between the game's thread and the one that packs; the count of holders is atomic.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace revenant {

class StateBytes {
public:
    StateBytes() noexcept = default;
    StateBytes(std::span<const std::byte> bytes) : block_(make(bytes)) {}
    StateBytes(const std::vector<std::byte>& bytes) : StateBytes(std::span(bytes)) {}
    StateBytes(const StateBytes& other) noexcept : block_(other.block_) {
        if (block_) block_->holders.fetch_add(1, std::memory_order_relaxed);
    }
    StateBytes(StateBytes&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
    StateBytes& operator=(StateBytes other) noexcept {
        std::swap(block_, other.block_);
        return *this;
    }
    ~StateBytes() {
        if (block_ && block_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1)
            ::operator delete(block_);
    }

    const std::byte* data() const noexcept {
        return block_ ? reinterpret_cast<const std::byte*>(block_ + 1) : nullptr;
    }
    std::size_t size() const noexcept { return block_ ? block_->size : 0; }
    bool empty() const noexcept { return size() == 0; }
    const std::byte* begin() const noexcept { return data(); }
    const std::byte* end() const noexcept { return data() + size(); }
    // Their size in memory, counted for one holder.
    std::size_t heapBytes() const noexcept { return block_ ? sizeof(Block) + block_->size : 0; }

    friend bool operator==(const StateBytes& a, const StateBytes& b) noexcept {
        return a.block_ == b.block_ || std::ranges::equal(a, b);
    }

private:
    struct Block {
        std::size_t size;
        std::atomic<std::size_t> holders;
    };

    static Block* make(std::span<const std::byte> bytes) {
        if (bytes.empty()) return nullptr;
        void* memory = ::operator new(sizeof(Block) + bytes.size());
        auto* block = ::new (memory) Block{bytes.size(), 1};
        std::memcpy(static_cast<void*>(block + 1), bytes.data(), bytes.size());
        return block;
    }

    Block* block_ = nullptr;
};

// A state, or none. Not std::optional, which g++ 12 takes for uninitialised where it is moved.
//
// It may be out: that of a component whose entity is out of the world. Such a state counts for no hash.
class State {
public:
    State() noexcept = default;
    State(StateBytes bytes, bool isOut = false) noexcept
        : bytes_(std::move(bytes)), hasValue_(true), isOut_(isOut) {}
    State(const std::vector<std::byte>& bytes) : State(StateBytes(bytes)) {}

    bool has_value() const noexcept { return hasValue_; }
    explicit operator bool() const noexcept { return hasValue_; }
    bool isOut() const noexcept { return isOut_; }
    bool isIn() const noexcept { return hasValue_ && !isOut_; }
    const StateBytes& operator*() const noexcept { return bytes_; }
    const StateBytes* operator->() const noexcept { return &bytes_; }

    friend bool operator==(const State&, const State&) noexcept = default;

private:
    StateBytes bytes_;
    bool hasValue_ = false;
    bool isOut_ = false;
};

}  // namespace revenant
