// ProvisionalId: what stands for an entity that was made in a section, until the section's merge makes it. It is an EntityId with an
// index that no slot has: the system that made it, the task, and a running number in it. It is the same for every number of threads.
// A stamp tells sections apart, so that an id kept from an earlier one is detected as stale.
#pragma once

#include <cstdint>

#include "world/entity_id.hpp"

namespace revenant {

struct ProvisionalId {
    static constexpr std::uint32_t flag = 1U << 31;
    static constexpr int countBits = 18;
    static constexpr int taskBits = 13;
    static constexpr int systemBits = 10;
    static constexpr std::uint32_t stamps = 1U << (32 - systemBits);

    std::uint32_t stamp;   // not 0
    std::uint32_t system;  // its place in the stage
    std::uint32_t task;    // 0: the system itself; others: chunks of its loops
    std::uint32_t count;

    static constexpr bool isOne(EntityId id) noexcept { return (id.index & flag) != 0; }
    constexpr EntityId pack() const noexcept {
        return {flag | task << countBits | count, stamp << systemBits | system};
    }
    static constexpr ProvisionalId unpack(EntityId id) noexcept {
        return {id.generation >> systemBits, id.generation & ((1U << systemBits) - 1),
                (id.index & ~flag) >> countBits, id.index & ((1U << countBits) - 1)};
    }
};

}  // namespace revenant
