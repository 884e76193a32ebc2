// PageSource: memory in pages, each aligned to its size, that stay mapped while the source lives, or
// for good (keepMapped).
//
// Pages are cut from regions one behind the other. Component pools share a source, so that those which
// grow alike have their pages at equal distances, and views find their rows in step from page to page.
// Measured: at 100 000 entities a third of what churn costs is finding its way to memory it has not
// seen for a while, and a good part of that is the machine looking up addresses. So the system is asked
// to use huge pages for what will be used as a whole. First pages, of which a world with many component
// types has many and uses little, come from other regions: there only what is touched costs memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace revenant {

class PageSource {
public:
    PageSource() = default;
    PageSource(const PageSource&) = delete;
    PageSource& operator=(const PageSource&) = delete;
    ~PageSource();

    enum class Use : std::uint8_t { Partly, Wholly };
    // A page with undefined contents. REQUIRES: bytes is a power of two.
    std::byte* take(std::size_t bytes, Use use);
    // From now on pages stay mapped when the source ends (RegionBank). REQUIRES: none was taken yet.
    void keepMapped() noexcept { isKeptMapped_ = true; }

private:
    struct Region {
        std::byte* memory;
        std::size_t bytes;
    };

    struct Room {
        std::byte* next = nullptr;  // where a region is still free
        std::byte* end = nullptr;   // and where it ends
    };

    Room rooms_[2];  // by use
    std::vector<Region> regions_;
    bool isKeptMapped_ = false;
};

}  // namespace revenant
