// PeakWatch: says when memory that scratch vectors hold since a peak, such as a mass spawn, can be given back: when for a
// while they needed a fraction of it. Until then they keep it, so that what happens again and again does not allocate.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace revenant {

class PeakWatch {
public:
    // Below so many elements it does not pay to give memory back.
    static constexpr std::size_t worthwhile = 4096;

    std::size_t peak() const noexcept { return peak_; }
    // Notes how many elements were needed this time. True: the vectors have much more room than they need by now.
    bool note(std::size_t needed) noexcept {
        recent_ = std::max(recent_, needed);
        if (recent_ * fraction >= peak_ || peak_ < worthwhile) {
            peak_ = std::max(peak_, recent_);
            recent_ = 0;
            quiet_ = 0;
            return false;
        }
        if (++quiet_ < enoughQuiet) return false;
        peak_ = recent_;
        recent_ = 0;
        quiet_ = 0;
        return true;
    }

private:
    static constexpr std::size_t fraction = 4;
    static constexpr int enoughQuiet = 16;

    std::size_t peak_ = 0;    // what the vectors have room for
    std::size_t recent_ = 0;  // the most that was needed since that was last near the peak
    int quiet_ = 0;
};

// GivenBack: memory of such vectors, on its way to the system. Measured: what a reconcile of a million entities needed takes
// 8 ms to free, and asking glibc to return what it keeps (malloc_trim) takes tens where a program has freed much. So pages are
// returned some in each tick, and what is freed then is empty. Owned by Reconciler; used on the world's thread.
class GivenBack {
public:
    // Takes the memory of vectors in which there is nothing.
    template <class... Vectors>
    void take(Vectors&... vectors) noexcept {
        (takeOne(vectors), ...);
    }
    void freeSome() noexcept;
    bool isEmpty() const noexcept { return pieces_.empty(); }

private:
    struct Piece {
        std::byte* begin = nullptr;
        std::size_t bytes = 0;
        std::size_t emptied = 0;  // whole pages from the first, in bytes

        Piece() = default;
        Piece(const Piece&) = delete;
        Piece& operator=(const Piece&) = delete;
        virtual ~Piece() = default;
    };
    template <class Vector>
    struct VectorPiece final : Piece {
        Vector vector;
    };
    // Less is freed at once.
    static constexpr std::size_t leastInSlices = std::size_t{256} << 10;

    template <class Vector>
    void takeOne(Vector& vector) noexcept {
        if (!vector.empty()) return;
        const std::size_t bytes = vector.capacity() * sizeof(typename Vector::value_type);
        if (bytes < leastInSlices || !holds(vector, bytes)) Vector().swap(vector);
    }
    // Whether there was memory to note it.
    template <class Vector>
    bool holds(Vector& vector, std::size_t bytes) noexcept {
        try {
            auto piece = std::make_unique<VectorPiece<Vector>>();
            piece->begin = reinterpret_cast<std::byte*>(vector.data());
            piece->bytes = bytes;
            Vector& held = piece->vector;
            pieces_.push_back(std::move(piece));
            held.swap(vector);
            return true;
        } catch (const std::bad_alloc&) {
            return false;
        }
    }

    std::vector<std::unique_ptr<Piece>> pieces_;
};

}  // namespace revenant
