// The serials that handles are hashed by, and the handles that a load gives to references whose entities are not in the save.
#pragma once

#include <cstdint>

#include "world/forest/forest.hpp"

namespace revenant {

// Entities that a save names but does not hold. No slot has these indices, so that their handles are stale in every world.
struct GoneEntity {
    static constexpr std::uint32_t serialIndex =
        0x7fffffff;  // its generation is the entity's serial
    static constexpr std::uint32_t unknownIndex =
        0x7ffffffe;  // no serial is known; the generation tells such entities apart

    static constexpr EntityId withSerial(std::uint32_t serial) noexcept {
        return {serialIndex, serial};
    }
    static constexpr EntityId unknown(std::uint32_t number) noexcept {
        return {unknownIndex, number};
    }
    static constexpr bool isOne(EntityId id) noexcept {
        return id.index == serialIndex || id.index == unknownIndex;
    }
    static constexpr std::uint32_t serialOf(EntityId id) noexcept {
        return id.index == serialIndex ? id.generation : 0;
    }
};

// The serial of an entity, destroyed ones included; 0 where it is no longer known.
inline std::uint32_t serialOf(const Forest& forest, EntityId id) {
    if (id.isNull()) return 0;
    if (id.index >= forest.pool.count()) return GoneEntity::serialOf(id);
    const EntityRecord& record = forest.pool.at(id.index);
    if (record.id == id) return record.serial;
    return forest.lostSerials.find(id);
}

}  // namespace revenant
