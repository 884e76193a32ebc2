// LastingCount: a number that only grows, at an address that stays readable when its owner is gone; the next
// owner goes on counting there. So code outside of C++ that keeps the address and the number it has seen
// finds out that something changed without a call, whenever it looks.
//
// One thread at a time may raise it; a double, as Lua's numbers are.
#pragma once

namespace revenant {

class LastingCount {
public:
    LastingCount();
    LastingCount(const LastingCount&) = delete;
    LastingCount& operator=(const LastingCount&) = delete;
    ~LastingCount();

    void raise() noexcept { *cell_ += 1; }
    const double* address() const noexcept { return cell_; }

private:
    double* cell_ = nullptr;
};

}  // namespace revenant
