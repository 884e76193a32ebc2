#include "world/migration.hpp"

namespace revenant {

std::vector<Override> Migration::migrateFields(std::vector<Override> old,
                                               std::uint32_t /*version*/) {
    return old;
}

std::vector<std::byte> Migration::migrateState(std::span<const std::byte> old,
                                               std::uint32_t /*version*/) {
    return {old.begin(), old.end()};
}

}  // namespace revenant
