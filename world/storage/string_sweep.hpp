// Finds the strings that components name. See StringTable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "world/component_schema.hpp"
#include "world/storage/string_table.hpp"

namespace revenant {

class ComponentStore;
class EntityPool;

// Calls visit(StringId) for each string in a component's bytes.
template <class Visit>
void forEachString(const ComponentSchema& schema, const std::byte* bytes, Visit visit) {
    for (const Field& field : schema.fields) {
        if (field.type != FieldType::String) continue;
        for (std::uint32_t i = 0; i < field.count; ++i) {
            StringId id;
            std::memcpy(&id, bytes + field.offset + i * sizeof id, sizeof id);
            visit(id);
        }
    }
}

// Looks through all components, those that a history keeps for its zombies, too, and gives back the
// strings of fields that nothing needs; `frame` and `oldest` as for StringTable::endSweep.
void sweepStrings(ComponentStore& components, const EntityPool& entities, std::int64_t frame,
                  std::int64_t oldest) noexcept;

}  // namespace revenant
