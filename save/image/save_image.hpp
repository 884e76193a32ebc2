// SaveImage: the content of a world as names and plain bytes, without the world: a save before it is
// written and after it is read. Plain data.
//
// Entities are numbered in world order, from 1; 0 is none. Where components, states and resources refer to
// entities, they do so by these numbers; to those that are not in the save, by their serials (SavedReference).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "world/component_schema.hpp"
#include "world/core/world_globals.hpp"
#include "world/entity_id.hpp"
#include "world/value.hpp"

namespace revenant {

// What stands for the handle of an entity in plain data, resources and globals: an EntityId whose generation says what its
// index is.
struct SavedReference {
    static constexpr std::uint32_t there = 1;  // the entity's number
    static constexpr std::uint32_t gone = 2;   // the serial of one that is not in the save
    static constexpr std::uint32_t unknown =
        3;  // one that is not, and whose serial is not known: the first, the second, ...

    // In rows and in the binary format: the number alone, or the kind above it.
    static constexpr std::uint64_t pack(EntityId id) noexcept {
        return id.generation == there ? id.index : id.bits();
    }
    static constexpr EntityId unpack(std::uint64_t packed) noexcept {
        const EntityId id = EntityId::fromBits(packed);
        return id.generation == 0 && id.index != 0 ? EntityId{id.index, there} : id;
    }
};

enum class StateKind : std::uint8_t {
    None,
    Bytes,  // that only its hook understands
    Plain,  // plain data: world/codec/plain_data.hpp
};

struct SavedField {
    std::string name;
    FieldType type = FieldType::F64;
    std::uint32_t count = 1;
    bool isArray = false;
    std::uint32_t offset = 0;  // in a row

    std::uint32_t bytes() const noexcept { return sizeOf(type) * count; }
};

struct SavedState {
    std::string make;  // ComponentHooks::getMake
    std::vector<std::byte> bytes;
};

struct SavedComponent {
    std::string name;
    std::uint32_t version = 1;
    StateKind stateKind = StateKind::None;
    std::vector<SavedField> fields;
    std::uint32_t rowBytes = 0;  // fields one behind the other, without padding
    std::uint32_t rowCount = 0;
    // One row per entity that has it, in order. A string is a number into SaveImage::strings (u32), an
    // entity its packed reference (u64).
    std::vector<std::byte> rows;
    std::vector<SavedState> states;
    std::vector<std::uint32_t>
        stateOfRow;  // one more than its place in states; 0: none. Empty without a kind

    // The state of a row, if it has one.
    const SavedState* findState(std::uint32_t row) const noexcept {
        const std::uint32_t place = row < stateOfRow.size() ? stateOfRow[row] : 0;
        return place == 0 ? nullptr : &states[place - 1];
    }
    // For the next row. Good until the one after it.
    SavedState& addState() {
        SavedState& state = states.emplace_back();
        stateOfRow.push_back(static_cast<std::uint32_t>(states.size()));
        return state;
    }
    void addNoState() { stateOfRow.push_back(0); }
};

// Which components an entity has: entities that have the same ones share it.
struct SavedMakeup {
    std::vector<std::uint32_t> components;  // numbers into SaveImage::components, none twice
    std::uint64_t disabled = 0;             // a bit per position
};

struct SavedEntity {
    std::uint32_t name = 0;    // into SaveImage::strings
    std::uint32_t parent = 0;  // an earlier entity; 0: it is a root
    std::uint32_t serial = 0;
    std::uint32_t makeup = 0;
    bool enabled = true;
    bool rewindable = true;
};

struct SavedSystem {
    std::string name;
    double accumulatedSeconds = 0;
    StateKind stateKind = StateKind::None;
    std::vector<std::byte> state;
};

struct SaveImage {
    std::vector<std::string> strings;
    std::vector<SavedComponent> components;
    std::vector<SavedMakeup> makeups;
    std::vector<SavedEntity> entities;
    std::map<std::string, Value> resources;  // with references in them
    std::vector<SavedSystem> systems;
    WorldGlobals globals;  // main character and camera: references
};

// Where the fields of a component stand in a row.
inline void layOut(SavedComponent& component) noexcept {
    component.rowBytes = 0;
    for (SavedField& field : component.fields) {
        field.offset = component.rowBytes;
        component.rowBytes += field.bytes();
    }
}

}  // namespace revenant
