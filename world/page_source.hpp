// PageSource: memory in pages of one size, each aligned to it, that stay mapped while the source lives.
//
// Measured: at 100 000 entities a third of what churn costs is finding its way to memory it has not
// seen for a while, and a good part of that is the machine looking up addresses. So an owner that
// has outgrown a few pages gets them from regions for which the system is asked to use huge pages;
// a small world does not pay for one.
#pragma once

#include <cstddef>
#include <vector>

namespace revenant {

class PageSource {
public:
    // REQUIRES: pageBytes is a power of two.
    explicit PageSource(std::size_t pageBytes) : pageBytes_(pageBytes) {}
    PageSource(PageSource&& other) noexcept = default;
    PageSource& operator=(PageSource&&) = delete;
    ~PageSource();

    // A page with undefined contents.
    std::byte* take();

private:
    struct Region {
        std::byte* memory;
        std::size_t bytes;
    };

    std::size_t pageBytes_;
    std::size_t taken_ = 0;  // bytes
    std::size_t left_ = 0;   // bytes of the last region
    std::vector<Region> regions_;
};

}  // namespace revenant
