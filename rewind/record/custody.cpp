#include "rewind/record/custody.hpp"

#include "world/core/restorer.hpp"

namespace revenant {

void Custody::welcome(EntityRecord& record) {
    KnownEntity& entry = known_.remember(record);
    births_.stopAwaiting(record);
    entry.isIn = true;
    entry.setLooks(record);
    shadow_.trackAll(record);
}

void Custody::letGo(EntityRecord& record) {
    parking_.release(known_.of(record));
    births_.stopAwaiting(record);
    known_.erase(record);
}

void Custody::mention(std::span<const Crossing> crossings) {
    for (const Crossing& crossing : crossings)
        ++known_.remember(world_.forest().pool.at(crossing.id.index)).mentions;
}

void Custody::forget(std::span<const Crossing> crossings) {
    for (const Crossing& crossing : crossings) {
        EntityRecord* record = known_.find(crossing.id);
        if (!record) continue;
        KnownEntity& entry = known_.of(*record);
        if (--entry.mentions > 0 || entry.isIn) continue;
        const bool unborn = record->unborn;
        outsiders_.watchReleased(*record);
        letGo(*record);
        if (unborn) Restorer(world_).destroy(*record);
    }
}

bool Custody::forgetIfOnly(EntityId id, std::uint32_t crossings) {
    EntityRecord* record = known_.find(id);
    if (!record || known_.of(*record).isIn || known_.of(*record).mentions != crossings)
        return false;
    outsiders_.watchReleased(*record);
    letGo(*record);
    return true;
}

}  // namespace revenant
