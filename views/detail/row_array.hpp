// RowArray: a growing array of plain values on 64-byte boundaries; the columns of a view are made of it.
// Unlike std::vector it leaves new elements undefined: a pass over a view writes them all. A large one grows where it is;
// when a small one grows, the old memory stays readable until it grows again: a finalizer of a Lua script may run a
// reconcile between reading a column's address and reading from it.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

namespace revenant::detail {

// Memory of an array: see world/storage/growing_memory.hpp.
struct RowMemory {
    void* data = nullptr;
    std::size_t bytes = 0;
    std::size_t reserved = 0;
};
// Makes `bytes` usable and keeps the first `used`. Returns the former memory, if it moved.
RowMemory growRows(RowMemory& memory, std::size_t used, std::size_t bytes);
void freeRows(RowMemory& memory) noexcept;

template <class T>
class RowArray {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    RowArray() = default;
    RowArray(RowArray&& other) noexcept { swap(other); }
    RowArray& operator=(RowArray&& other) noexcept {
        swap(other);
        return *this;
    }
    ~RowArray() {
        freeRows(memory_);
        freeRows(outgrown_);
    }

    void swap(RowArray& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(memory_, other.memory_);
        std::swap(outgrown_, other.outgrown_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }
    // Elements beyond the old size are undefined.
    void resize(std::size_t size) {
        if (size > capacity_) grow(size > capacity_ * 2 ? size : capacity_ * 2);
        size_ = size;
    }
    // Moves `count` elements within the array; the ranges may overlap.
    void move(std::size_t from, std::size_t to, std::size_t count) noexcept {
        if (count > 0) std::memmove(data_ + to, data_ + from, count * sizeof(T));
    }

    std::size_t size() const noexcept { return size_; }
    std::size_t bytes() const noexcept { return capacity_ * sizeof(T); }
    T* data() noexcept { return data_; }
    const T* data() const noexcept { return data_; }
    T& operator[](std::size_t i) noexcept { return data_[i]; }
    const T& operator[](std::size_t i) const noexcept { return data_[i]; }
    const T* begin() const noexcept { return data_; }
    const T* end() const noexcept { return data_ + size_; }

private:
    void grow(std::size_t capacity) {
        RowMemory former = growRows(memory_, size_ * sizeof(T), capacity * sizeof(T));
        data_ = static_cast<T*>(memory_.data);
        capacity_ = memory_.bytes / sizeof(T);
        if (!former.data) return;
        freeRows(outgrown_);
        outgrown_ = former;
    }

    T* data_ = nullptr;
    RowMemory memory_;
    RowMemory outgrown_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace revenant::detail
