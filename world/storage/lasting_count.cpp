#include "world/storage/lasting_count.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace revenant {

namespace {

// Cells without an owner. Never freed: worlds may end after everything else.
struct FreeCells {
    std::mutex mutex;
    std::vector<double*> cells;
    std::size_t made = 0;
};

FreeCells& freeCells() {
    static auto* free = new FreeCells;
    return *free;
}

}  // namespace

LastingCount::LastingCount() {
    FreeCells& free = freeCells();
    const std::scoped_lock lock(free.mutex);
    if (free.cells.empty()) {
        free.cells.reserve(free.made + 1);  // room to come back
        auto cell = std::make_unique<double>(1);
        ++free.made;
        cell_ = cell.release();
        return;
    }
    cell_ = free.cells.back();
    free.cells.pop_back();
}

LastingCount::~LastingCount() {
    raise();
    FreeCells& free = freeCells();
    const std::scoped_lock lock(free.mutex);
    free.cells.push_back(cell_);
}

}  // namespace revenant
