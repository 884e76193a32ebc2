#include "rewind/record/record_validator.hpp"

#include <unordered_map>
#include <unordered_set>

#include "rewind/record/state_hash.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

// Each component that the last frame has is followed, and nothing else is.
void validateShadow(const WorldCore& world, const KnownEntity& entry, const EntityRecord& record,
                    const Shadow& shadow, std::vector<std::string>& problems) {
    for (const ComponentTypeId id : entry.shape->types()) {
        const ComponentType& type = world.components().at(id);
        if (!shadow.trackedSlotOf(record, type))
            problems.push_back(sentence(describe(world.entity(record.id)), " has a '",
                                        type.schema.name, "' that the history does not follow"));
    }
    if (!record.isPending() && record.settledShape != entry.shape)
        problems.push_back(sentence(describe(world.entity(record.id)),
                                    " has components that no change reported to the history"));
}

}  // namespace

void validateKnown(const WorldCore& world, const KnownEntities& known, const Shadow& shadow,
                   const Journal& journal, std::span<const Crossing> kept,
                   std::vector<std::string>& problems) {
    // Entities that no frame has as they are now.
    const std::unordered_set<EntityId> unrecorded = journal.crossing();
    std::unordered_map<EntityId, std::uint32_t> mentions;
    for (const Crossing& crossing : kept) ++mentions[crossing.id];
    auto expect = [&](bool holds, EntityId id, const auto&... parts) {
        if (!holds) problems.push_back(sentence(describe(world.entity(id)), " ", parts...));
    };
    for (const auto& [id, count] : mentions)
        expect(known.find(id) || !world.forest().pool.findKnown(id), id,
               "is part of a frame, but not known to the history");
    std::size_t components = 0;
    for (std::size_t i = 0; i < known.size(); ++i) {
        const KnownEntity& entry = known[i];
        if (entry.id.isNull()) continue;
        const EntityRecord& record = world.forest().pool.at(entry.id.index);
        const auto found = mentions.find(entry.id);
        const std::uint32_t count = found == mentions.end() ? 0 : found->second;
        expect(entry.mentions == count, entry.id, "is mentioned ", count,
               " times by the frames, but the history counts ", entry.mentions);
        expect(record.id == entry.id && record.remembered && record.ownRefs > 0, entry.id,
               "is known to the history without its reference");
        expect(count > 0 || entry.isIn || unrecorded.contains(entry.id), entry.id,
               "is kept by the history, but by no frame");
        expect(!entry.isIn || record.managed, entry.id, "is out, but the history has it in");
        expect(!entry.isIn || !entry.parked || unrecorded.contains(entry.id), entry.id,
               "is in, but the history keeps components for its return");
        if (entry.isIn) components += entry.shape->count();
        if (!entry.isIn || !record.managed) continue;
        validateShadow(world, entry, record, shadow, problems);
        // Else reconciles have moved entities since the last frame.
        if (journal.isEmpty())
            expect(entry.hash == structureHash(world, record, entry.looks()), entry.id,
                   "has another place than the history noted");
    }
    for (std::uint32_t i = 0; i < world.forest().pool.count(); ++i) {
        const EntityRecord& record = world.forest().pool.at(i);
        expect(!record.alive || !record.remembered || known.knows(record), record.id,
               "has a reference of the history, which does not know it");
    }
    if (const std::size_t followed = shadow.validate(problems); followed != components)
        problems.push_back(sentence("the history follows ", followed, " components of ", components,
                                    " that are in"));
}

}  // namespace revenant
