// LostSerials: the serials of destroyed entities, while there is a history: components, resources and script
// values may still name them, and are hashed by serials. One that nothing names any more, neither the present
// nor a frame that is kept, is dropped.
//
// What the present names is found by hashing it: code that asks for a serial names the entity. Values that name it
// later are hashed, too, before they are in a frame.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "world/entity_id.hpp"

namespace revenant {

class LostSerials {
public:
    void add(EntityId id, std::uint32_t serial) { all_.emplace(id, Lost{serial}); }
    // 0 where it is not known.
    std::uint32_t find(EntityId id) const noexcept {
        const auto found = all_.find(id);
        if (found == all_.end()) return 0;
        found->second.unnamedSince = named;
        return found->second.serial;
    }
    template <class Visit>
    void forEach(Visit visit) const {
        for (const auto& [id, lost] : all_) visit(id, lost.serial);
    }
    void clear() noexcept {
        all_.clear();
        enough_ = least;
    }
    std::size_t bytes() const noexcept { return all_.size() * bytesPerNode; }

    // Whether enough were added since the last sweep that some may be dropped.
    bool wantsSweep() const noexcept { return all_.size() >= enough_; }
    // `hashAll` asks for the serials of all that the present names, which takes time for each of the
    // `entities` that there are; the present is at `frame`, and `oldest` is the oldest frame that is
    // kept. The next sweep comes after as many more as pay for it, yet before those that this one
    // leaves have doubled: they would grow from sweep to sweep.
    template <class HashAll>
    void sweep(std::int64_t frame, std::int64_t oldest, std::size_t entities, HashAll hashAll) {
        for (auto& [id, lost] : all_)
            if (lost.unnamedSince == named) lost.unnamedSince = frame;
        hashAll();
        std::erase_if(all_, [oldest](const auto& each) {
            return each.second.unnamedSince != named && each.second.unnamedSince <= oldest;
        });
        enough_ = all_.size() + std::max({least, all_.size() / 2, entities / 4});
    }
    // Frames after this one were dropped.
    void truncate(std::int64_t frame) noexcept {
        for (auto& [id, lost] : all_)
            if (lost.unnamedSince > frame) lost.unnamedSince = named;
    }

private:
    static constexpr std::int64_t named = INT64_MIN;  // as far as is known
    static constexpr std::size_t least = 256;
    static constexpr std::size_t bytesPerNode = 56;

    struct Lost {
        std::uint32_t serial;
        mutable std::int64_t unnamedSince = named;  // a frame
    };

    std::unordered_map<EntityId, Lost> all_;
    std::size_t enough_ = least;
};

}  // namespace revenant
