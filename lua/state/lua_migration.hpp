// LuaMigration: the `migrate` of a component that was defined in Lua.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "world/migration.hpp"

namespace revenant {

class Session;
class WorldLink;

class LuaMigration final : public Migration {
public:
    LuaMigration(WorldLink& link, std::string component);

    std::vector<Override> migrateFields(std::vector<Override> old, std::uint32_t version) override;
    std::vector<std::byte> migrateState(std::span<const std::byte> old,
                                        std::uint32_t version) override;

private:
    std::weak_ptr<Session> session_;
    std::uint32_t link_;
    std::string component_;
};

}  // namespace revenant
