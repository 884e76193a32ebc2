// RowArray: a growing array of plain values on 64-byte boundaries; the columns of a view are made of it.
// Unlike std::vector it leaves new elements undefined: a pass over a view writes them all. When it grows,
// the old memory stays readable until it grows again: a finalizer of a Lua script may run a reconcile
// between reading a column's address and reading from it.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace revenant::detail {

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
        ::operator delete(data_, alignment);
        ::operator delete(outgrown_, alignment);
    }

    void swap(RowArray& other) noexcept {
        std::swap(data_, other.data_);
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
    static constexpr std::align_val_t alignment{64};

    void grow(std::size_t capacity) {
        auto* data = static_cast<T*>(::operator new(capacity * sizeof(T), alignment));
        if (size_ > 0) std::memcpy(data, data_, size_ * sizeof(T));
        ::operator delete(outgrown_, alignment);
        outgrown_ = data_;
        data_ = data;
        capacity_ = capacity;
    }

    T* data_ = nullptr;
    T* outgrown_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace revenant::detail
