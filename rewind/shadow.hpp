// Shadow: a copy of every component that the history knows, as of the last frame, beside the
// pools' own pages: what differs from it is what changed. Keeps the sum of the components' hashes.
// Words are compared only where a change mark says that something was open for writing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "world/component_store.hpp"
#include "world/entity_record.hpp"

namespace revenant {

class World;

class Shadow {
public:
    explicit Shadow(World& world) : world_(world) {}

    // Begins to know the component in `slot`, as it is now.
    void track(const EntityRecord& owner, ComponentType& type, const std::byte* slot);
    void untrack(ComponentType& type, const std::byte* slot);
    bool isTracked(const ComponentType& type, const std::byte* slot) const noexcept;

    // Appends what differs, as Frame::words has it, and takes it over: one component, or all that
    // may have been written at `since` or later.
    void takeChanges(const EntityRecord& owner, ComponentType& type, const std::byte* slot,
                     std::vector<std::uint32_t>& words);
    void takeAllChanges(Tick since, std::vector<std::uint32_t>& words);
    // Puts components back that may have been written at `since` or later.
    void revertAll(Tick since);
    // XORs `words` into the components and into their shadows.
    void apply(const std::vector<std::uint32_t>& words);

    std::uint64_t hashSum() const noexcept { return hashSum_; }
    std::size_t bytes() const noexcept;
    void clear() noexcept;

private:
    struct Page {
        std::unique_ptr<std::byte[]> data;
        std::vector<std::uint64_t> tracked;
        std::vector<std::uint64_t> hashes;
    };
    struct Place {
        Page* page;
        std::uint32_t slot;
        std::byte* shadow;
    };

    Place placeOf(const ComponentType& type, const std::byte* slot);
    void setHash(const EntityRecord& owner, const ComponentType& type, const Place& place);
    // Calls visit(pool page, shadow page, slot) for tracked slots in blocks open since.
    template <class Visit>
    void forOpenSlots(Tick since, Visit visit);

    World& world_;
    std::vector<std::vector<Page>> pages_;  // by type, by page number
    std::uint64_t hashSum_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace revenant
