// The bytes of plain data (world/codec/plain_data.hpp), and what entities in them count by.
#pragma once

#include <cstdint>

#include "world/codec/plain_data.hpp"
#include "world/forest/forest.hpp"

namespace revenant {

// The serial of an entity, destroyed ones included; 0 where it is no longer known.
inline std::uint32_t serialOf(const Forest& forest, EntityId id) {
    if (id.isNull() || id.index >= forest.pool.count()) return 0;
    const EntityRecord& record = forest.pool.at(id.index);
    if (record.id == id) return record.serial;
    return forest.lostSerials.find(id);
}

}  // namespace revenant
