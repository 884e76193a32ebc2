#include "rewind/history/frame_join.hpp"

#include <algorithm>
#include <map>
#include <new>
#include <utility>

#include "rewind/history/delta_pair.hpp"

namespace revenant {

namespace {

// Entities that came and went between two kept frames, with the number of their crossings.
std::map<EntityId, std::uint32_t> findPassing(const std::vector<Crossing>& crossings) {
    using enum Crossing::Kind;
    struct Passing {
        std::uint32_t crossings = 0;
        bool isBorn = false;
        bool isGone = false;
    };
    std::map<EntityId, Passing> all;
    for (const Crossing& crossing : crossings) {
        Passing& passing = all[crossing.id];
        if (passing.crossings++ == 0) passing.isBorn = crossing.kind == Birth;
        passing.isGone = crossing.kind == Departure;
    }
    std::map<EntityId, std::uint32_t> found;
    for (const auto& [id, passing] : all)
        if (passing.isBorn && passing.isGone) found.emplace(id, passing.crossings);
    return found;
}

// Leaves out what nothing else mentions, here and in the crossings of the whole block.
void dropPassing(std::map<EntityId, std::uint32_t>& passing, std::vector<Crossing>& crossings,
                 std::vector<Crossing>& ofBlock, const Forgets& forgets) {
    std::erase_if(passing, [&](const auto& each) {
        try {
            return !forgets(each.first, each.second);
        } catch (const std::bad_alloc&) {
            return true;  // it stays mentioned
        }
    });
    if (passing.empty()) return;
    auto isDropped = [&](const Crossing& each) { return passing.contains(each.id); };
    const auto first =
        std::ranges::lower_bound(ofBlock, crossings.front().frame, {}, &Crossing::frame);
    const auto last =
        std::ranges::upper_bound(ofBlock, crossings.back().frame, {}, &Crossing::frame);
    ofBlock.erase(std::remove_if(first, last, isDropped), last);
    std::erase_if(crossings, isDropped);
}

}  // namespace

void joinFrames(Frame& first, Frame& second, std::vector<Crossing>& ofBlock,
                const Forgets& forgets) {
    std::vector<Crossing> crossings;
    appendCrossings(first, crossings);
    appendCrossings(second, crossings);
    std::map<EntityId, std::uint32_t> passing;
    if (forgets) passing = findPassing(crossings);
    Words bases;
    if (!first.bases.empty()) {
        bases.reserve(first.bases.size() + second.bases.size());
        bases = first.bases;
        bases.insert(bases.end(), second.bases.begin(), second.bases.end());
    }
    second.delta = composePair(std::move(first.delta), std::move(second.delta));
    // From here on nothing fails.
    tighten(second.delta.words);
    dropPassing(passing, crossings, ofBlock, forgets);
    second.crossings = std::move(crossings);
    if (!first.bases.empty()) second.bases = std::move(bases);
}

}  // namespace revenant
