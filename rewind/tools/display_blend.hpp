// DisplayBlend: components as they would look between two frames: a copy of each that changes, with its
// `lerp` and `angle` fields blended; and, of states that hooks gave, both sides. For drawing only;
// what is simulated stays exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rewind/history/delta.hpp"
#include "world/storage/component_store.hpp"

namespace revenant {

class WorldCore;

class DisplayBlend {
public:
    using StatePair = std::pair<StateBytes, StateBytes>;

    // Blends from what the world shows towards what `delta` leads to; `part`: 0 to 1.
    void build(const WorldCore& world, const Delta& delta, double part);
    void clear() noexcept {
        copies_.clear();
        bytes_.clear();
        states_.clear();
    }
    // The blended copy, or nullptr where there is none.
    const std::byte* find(std::uint32_t entityIndex, ComponentTypeId type) const noexcept {
        auto found = copies_.find(std::uint64_t{entityIndex} << 16 | type);
        return found == copies_.end() ? nullptr : bytes_.data() + found->second;
    }

    // The states on both sides, or nullptr where they are equal or one is missing.
    const StatePair* findStates(const StateKey& key) const noexcept {
        auto found = states_.find(key);
        return found == states_.end() ? nullptr : &found->second;
    }

    const std::map<StateKey, StatePair>& states() const noexcept { return states_; }

private:
    void blendWords(const WorldCore& world, const Words& words, double part);

    std::unordered_map<std::uint64_t, std::size_t> copies_;  // to their place in bytes_
    std::vector<std::byte> bytes_;
    std::map<StateKey, StatePair> states_;
};

// Blends the fields of a component that say so: `now` becomes what lies between it and `next`.
void blendComponent(const ComponentSchema& schema, std::byte* now, const std::byte* next,
                    double part);

}  // namespace revenant
