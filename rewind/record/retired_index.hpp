// RetiredIndex: finds the retired slots of one component of one entity among many: a search through all of them for each
// entity that lost a component took most of the time of a reconcile. Points into the slots that it was made of. Used on
// the world's thread.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "world/storage/change_set.hpp"

namespace revenant {

class RetiredIndex {
public:
    // REQUIRES: the slots stay where they are until the last find.
    void build(std::span<const RetiredSlot> retired) {
        retired_ = retired;
        if (retired.empty()) return;
        mask_ = std::bit_ceil(retired.size()) - 1;
        first_.assign(mask_ + 1, 0);
        next_.resize(retired.size());
        // From the last to the first, so that a chain leads from the one that was retired first to the last.
        for (std::size_t i = retired.size(); i-- > 0;) {
            std::uint32_t& first = first_[retired[i].owner & mask_];
            next_[i] = first;
            first = static_cast<std::uint32_t>(i + 1);
        }
    }
    bool isEmpty() const noexcept { return retired_.empty(); }
    // Calls visit(const RetiredSlot&) for each slot of an entity, in the order in which they were retired.
    template <class Visit>
    void forOwner(std::uint32_t owner, Visit visit) const {
        if (retired_.empty()) return;
        for (std::uint32_t at = first_[owner & mask_]; at != 0; at = next_[at - 1])
            if (retired_[at - 1].owner == owner) visit(retired_[at - 1]);
    }
    // The first slot, in the order in which they were retired, for which `accepts` answers true; null: there is none. A
    // component may have been removed, added and removed again.
    template <class Accepts>
    const RetiredSlot* find(std::uint32_t owner, ComponentTypeId type, Accepts accepts) const {
        if (retired_.empty()) return nullptr;
        for (std::uint32_t at = first_[owner & mask_]; at != 0; at = next_[at - 1])
            if (const RetiredSlot& each = retired_[at - 1];
                each.owner == owner && each.type == type && accepts(each))
                return &each;
        return nullptr;
    }

private:
    std::span<const RetiredSlot> retired_;
    std::size_t mask_ = 0;
    std::vector<std::uint32_t> first_;  // by owner, without its higher bits: number + 1; 0: none
    std::vector<std::uint32_t> next_;   // likewise, by number
};

}  // namespace revenant
