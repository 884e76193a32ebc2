// Migration: how components that an earlier version of the game saved become those of this one. Set on a
// component (World::setVersion); called once per component when a save is loaded whose version differs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "world/component_schema.hpp"

namespace revenant {

class Migration {
public:
    Migration() = default;
    Migration(const Migration&) = delete;
    Migration& operator=(const Migration&) = delete;
    virtual ~Migration() = default;

    // The fields as they were saved become those of this version; fields that it does not return take their
    // defaults. Entities in them are those of the loaded world.
    virtual std::vector<Override> migrateFields(std::vector<Override> old, std::uint32_t version);
    // The same for the state of a component with hooks.
    virtual std::vector<std::byte> migrateState(std::span<const std::byte> old,
                                                std::uint32_t version);
};

}  // namespace revenant
