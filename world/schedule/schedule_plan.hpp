// SchedulePlan: which systems may tick at the same time. Made from the order of the systems when that, or what they declare, has
// changed; not each tick. It depends on the systems alone, not on the number of threads.
//
// The order is cut into stages. Systems without declared access, those in Lua among them, tick one by one on the main thread. Between
// them, systems that declare theirs form a stage together: each waits for the earlier ones with which it conflicts, or which it
// depends on, and for no others. A stage ends when all of it has ended; then what its systems asked for is merged.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "world/schedule/access_set.hpp"
#include "world/system.hpp"

namespace revenant {

class ComponentStore;

struct PlannedSystem {
    std::shared_ptr<System> system;
    AccessSet access;
    std::vector<std::uint32_t> followers;  // places in the stage of those that wait for it
    std::uint32_t waitsFor = 0;            // how many others
    std::string description;
};

struct Stage {
    bool isConcurrent = false;
    std::vector<PlannedSystem> systems;
    std::vector<bool> written;  // component types that any of them writes
};

struct SchedulePlan {
    std::vector<Stage> stages;
    std::size_t componentTypes = 0;  // that there were when it was made

    SchedulePlan() = default;
    SchedulePlan(const std::vector<std::shared_ptr<System>>& order, ComponentStore& components);
    std::string describe() const;
};

// What a system declares, by component type.
AccessSet accessOf(const System& system, ComponentStore& components);

}  // namespace revenant
