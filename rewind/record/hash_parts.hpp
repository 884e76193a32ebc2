// The parts of a state's hash, computed from plain data: for a world (state_hash.hpp) and for the model of one
// that a history file is checked on. `Names` has serialOf(EntityId) and textOf(StringId).
#pragma once

#include <array>
#include <cstring>
#include <span>
#include <string>

#include "rewind/record/plain_hash.hpp"
#include "world/component_schema.hpp"
#include "world/core/world_globals.hpp"
#include "world/entity_id.hpp"
#include "world/value.hpp"

namespace revenant {

inline std::uint64_t textHash(const std::string& text) noexcept {
    return XXH3_64bits(text.data(), text.size());
}

template <class Names>
std::uint64_t valueHash(const Names& names, const Value& value, std::uint64_t seed) {
    seed += value.index();
    if (const auto* flag = value.as<bool>()) return XXH3_64bits_withSeed(flag, sizeof *flag, seed);
    if (const auto* whole = value.as<std::int64_t>())
        return XXH3_64bits_withSeed(whole, sizeof *whole, seed);
    if (const auto* number = value.as<double>())
        return XXH3_64bits_withSeed(number, sizeof *number, seed);
    if (const auto* text = value.as<std::string>())
        return XXH3_64bits_withSeed(text->data(), text->size(), seed);
    if (const auto* id = value.as<EntityId>()) {
        const std::uint64_t serial = names.serialOf(*id);
        return XXH3_64bits_withSeed(&serial, sizeof serial, seed);
    }
    if (const auto* values = value.as<ValueArray>())
        for (const Value& each : *values) seed = valueHash(names, each, seed);
    return seed;
}

// The hash of a component that is more than its bytes.
template <class Names>
std::uint64_t fieldsHash(const Names& names, const ComponentSchema& schema, const std::byte* bytes,
                         std::uint64_t seed) {
    for (const Field& field : schema.fields)
        for (std::uint32_t i = 0; i < field.count; ++i) {
            const std::size_t size = sizeOf(field.type);
            const std::byte* at = bytes + field.offset + i * size;
            if (field.type == FieldType::Entity) {
                EntityId id;
                std::memcpy(&id, at, sizeof id);
                const std::uint64_t serial = names.serialOf(id);
                seed = XXH3_64bits_withSeed(&serial, sizeof serial, seed);
            } else if (field.type == FieldType::String) {
                StringId id;
                std::memcpy(&id, at, sizeof id);
                const std::uint64_t text = textHash(names.textOf(id));
                seed = XXH3_64bits_withSeed(&text, sizeof text, seed);
            } else {
                seed = XXH3_64bits_withSeed(at, size, seed);
            }
        }
    return seed;
}

// An entity apart from its components' contents: its place, name and flags.
struct PlaceParts {
    std::uint64_t serial = 0;
    std::uint64_t parent = 0;    // its serial; 0: none
    std::uint64_t previous = 0;  // sibling, likewise
    bool enabled = true;
    std::uint64_t name = 0;  // its textHash
};

// Adds a component that the entity has to the sum that placeHash takes.
inline std::uint64_t typeHash(ComponentTypeId type, bool isDisabled) noexcept {
    return XXH3_64bits_withSeed(&type, sizeof type, isDisabled ? 1 : 0);
}
inline std::uint64_t placeHash(const PlaceParts& place, std::uint64_t types) noexcept {
    const std::uint64_t parts[] = {place.serial,  place.parent, place.previous,
                                   place.enabled, place.name,   types};
    return XXH3_64bits(parts, sizeof parts);
}

template <class Names>
std::uint64_t momentHash(const Names& names, const WorldGlobals& globals) {
    std::uint64_t parts[] = {names.serialOf(globals.mainCharacter),
                             names.serialOf(globals.mainCamera),
                             0,
                             globals.random[0],
                             globals.random[1],
                             globals.random[2],
                             globals.random[3],
                             globals.lastSerial,
                             globals.ticks};
    std::memcpy(&parts[2], &globals.seconds, sizeof globals.seconds);
    return XXH3_64bits(parts, sizeof parts);
}

}  // namespace revenant
