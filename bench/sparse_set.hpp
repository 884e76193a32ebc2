// SparseSet: the structure that entity component systems keep components in, by hand: values side by side, and by entity
// index where they are. Handles are checked, order is not kept. The baseline of random access and tags.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "world/entity_id.hpp"

namespace bench {

template <class T>
class SparseSet {
public:
    void add(revenant::EntityId id, const T& value) {
        if (id.index >= places_.size()) places_.resize(id.index + 1, none);
        places_[id.index] = static_cast<std::uint32_t>(ids_.size());
        ids_.push_back(id);
        values_.push_back(value);
    }
    // Does nothing where there is none.
    void remove(revenant::EntityId id) {
        if (!find(id)) return;
        const std::uint32_t place = places_[id.index];
        ids_[place] = ids_.back();
        values_[place] = values_.back();
        places_[ids_[place].index] = place;
        places_[id.index] = none;
        ids_.pop_back();
        values_.pop_back();
    }
    T* find(revenant::EntityId id) noexcept {
        if (id.index >= places_.size()) return nullptr;
        const std::uint32_t place = places_[id.index];
        return place != none && ids_[place] == id ? &values_[place] : nullptr;
    }
    std::size_t size() const noexcept { return ids_.size(); }

private:
    static constexpr std::uint32_t none = UINT32_MAX;

    std::vector<std::uint32_t> places_;  // by entity index
    std::vector<revenant::EntityId> ids_;
    std::vector<T> values_;
};

}  // namespace bench
