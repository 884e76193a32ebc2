// SystemSchedule: the registered systems and the order in which they tick: by priority, then by
// registration, each after those it depends on. The order is worked out when it is first needed
// after a change, so that systems may name others that are registered later.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "world/system.hpp"

namespace revenant {

class ComponentStore;
class WorldCore;
struct SchedulePlan;

class SystemSchedule {
public:
    void add(std::shared_ptr<System> system);
    void remove(const System& system);
    bool isEmpty() const noexcept { return registered_.empty(); }
    System* find(std::string_view name) const noexcept;
    bool has(const System& system) const noexcept;

    // Throws Error{UnknownSystem} or Error{SystemCycle}, with the names.
    const std::vector<std::shared_ptr<System>>& order();
    // Ticks all in order. If one throws, the others still tick; returns the first error.
    // Systems removed during the tick are skipped, new ones tick next time.
    // `skipped`: left out, too.
    std::exception_ptr tick(WorldCore& world, double dt, const System* skipped = nullptr);
    // Which of them may tick at the same time. Throws as order does.
    std::shared_ptr<const SchedulePlan> plan(ComponentStore& components);
    // A system has declared other access.
    void planAnew() noexcept { plan_ = nullptr; }
    void clear() noexcept;

private:
    std::vector<std::shared_ptr<System>> registered_;
    std::vector<std::shared_ptr<System>> order_;
    std::shared_ptr<const SchedulePlan> plan_;  // null: to be made
    bool ordered_ = true;
};

}  // namespace revenant
