// Recorder::validate: whether what it knows goes with the world, and with the frames that are kept.
#include <unordered_map>

#include "rewind/record/recorder.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

void Recorder::validate(std::vector<std::string>& problems) const {
    if (!isOn_) return;
    std::size_t counted = 0;
    for (std::size_t i = 0; i < known_.size(); ++i) counted += known_[i].id.isNull() ? 0 : 1;
    if (counted != knownCount_)
        problems.push_back(
            sentence("the history knows ", counted, " entities, but notes ", knownCount_));
    for (const Homeless& each : homeless_)
        if (!find(each.home)) problems.push_back("a child waits for a home that cannot come back");
}

void Recorder::validateFrames(std::span<const Crossing> kept,
                              std::vector<std::string>& problems) const {
    if (!isOn_) return;
    std::unordered_map<EntityId, std::uint32_t> mentions;
    for (const Crossing& crossing : kept) ++mentions[crossing.id];
    auto expect = [&](bool holds, EntityId id, const auto&... parts) {
        if (!holds) problems.push_back(sentence(describe(world_.entity(id)), " ", parts...));
    };
    for (const auto& [id, count] : mentions)
        expect(find(id) != nullptr, id, "is part of a frame, but not known to the history");
    for (std::size_t i = 0; i < known_.size(); ++i) {
        const Known& entry = known_[i];
        if (entry.id.isNull()) continue;
        const EntityRecord& record = world_.forest().pool.at(entry.id.index);
        const auto found = mentions.find(entry.id);
        const std::uint32_t count = found == mentions.end() ? 0 : found->second;
        expect(entry.mentions == count, entry.id, "is mentioned ", count,
               " times by the frames, but the history counts ", entry.mentions);
        expect(record.id == entry.id && record.remembered && record.ownRefs > 0, entry.id,
               "is known to the history without its reference");
        expect(count > 0 || entry.isIn, entry.id, "is kept by the history, but by no frame");
        expect(!entry.isIn || record.managed, entry.id, "is out, but the history has it in");
        if (entry.isIn && record.managed) validateShadow(record, problems);
    }
    for (const auto& [key, awaited] : awaited_) {
        const EntityRecord* record = find(awaited.id);
        expect(record && !record->managed, awaited.id, "is yet to be added, but is in or gone");
        if (record)
            expect(record->unborn == (record->bornAt >= shownClock_), awaited.id,
                   "is unborn at a frame that has it, or the reverse");
    }
}

// Each component that the last frame has is followed, and nothing else is.
void Recorder::validateShadow(const EntityRecord& record,
                              std::vector<std::string>& problems) const {
    const Known& entry = known_[record.id.index];
    for (const ComponentTypeId id : entry.shape->types()) {
        const ComponentType& type = world_.components().at(id);
        if (!trackedSlotOf(record, type))
            problems.push_back(sentence(describe(world_.entity(record.id)), " has a '",
                                        type.schema.name, "' that the history does not follow"));
    }
    if (!record.isPending() && record.settledShape != entry.shape)
        problems.push_back(sentence(describe(world_.entity(record.id)),
                                    " has components of which the history was never told"));
}

}  // namespace revenant
