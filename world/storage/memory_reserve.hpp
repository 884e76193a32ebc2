// MemoryReserve: memory that is set aside, so that an operation which cannot be undone can be
// finished although the system has none left.
//
// A reconcile, or a step through time, changes the forest, the lists, the views and the history
// together; whatever it has begun it must finish. So it starts with a Scope. The Scope first makes
// sure that the reserve is whole: if that fails it throws std::bad_alloc, and nothing has happened
// yet. From then on an allocation that fails on this thread gives a part of the reserve back to the
// allocator, which then tries again: that is what std::set_new_handler is for. The operation
// completes; the next one throws, until there is memory to make the reserve whole again.
//
// Its parts are never written to, so they take addresses rather than memory. Code of users (systems,
// listeners) runs in a Pause: its failures are its own.
// Road not taken: reserving room in each container up front. There are too many of them, among
// them those of packed frames and hooks, to be sure of all.
//
// Owned by World; a Scope is for the thread that opens it.
#pragma once

#include <array>
#include <cstddef>

namespace revenant {

class MemoryReserve {
public:
    MemoryReserve() = default;
    MemoryReserve(const MemoryReserve&) = delete;
    MemoryReserve& operator=(const MemoryReserve&) = delete;
    ~MemoryReserve();

    // Makes it hold so many bytes, or more. Throws std::bad_alloc if it cannot.
    void ensure(std::size_t bytes) {
        if (bytes <= bytes_ && isWhole_) [[likely]]
            return;
        fill(bytes);
    }
    std::size_t bytes() const noexcept { return bytes_; }

    class Scope {
    public:
        // Throws std::bad_alloc if the reserve cannot be had. Inside another Scope of the same
        // reserve it cannot: what that one has begun goes on with what is left.
        Scope(MemoryReserve& reserve, std::size_t bytes);
        // Goes on with what is left in any case: for what must not throw.
        explicit Scope(MemoryReserve& reserve) noexcept;
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;
        ~Scope();

    private:
        MemoryReserve* before_;
    };

    class Pause {
    public:
        Pause() noexcept;
        Pause(const Pause&) = delete;
        Pause& operator=(const Pause&) = delete;
        ~Pause();

    private:
        MemoryReserve* before_;
    };

    // Gives a part back to the allocator; false: there is none. For the handler.
    bool release() noexcept;

private:
    // Several: each allocation that fails takes one.
    static constexpr std::size_t parts = 16;

    void fill(std::size_t bytes);

    std::array<void*, parts> parts_{};
    std::size_t bytes_ = 0;  // of all parts, when it is whole
    bool isWhole_ = false;
};

}  // namespace revenant
