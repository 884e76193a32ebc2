#include "world/core/system_schedule.hpp"

#include <algorithm>
#include <utility>

#include "world/core/world_core.hpp"
#include "world/error.hpp"
#include "world/schedule/schedule_plan.hpp"
#include "world/storage/memory_reserve.hpp"

namespace revenant {

void SystemSchedule::add(std::shared_ptr<System> system) {
    if (!system) fail(ErrorCode::BadArgument, "registerSystem needs a system, none was given");
    if (find(system->getName()))
        fail(ErrorCode::DuplicateSystem, "a system named '", system->getName(),
             "' is already registered");
    registered_.push_back(std::move(system));
    ordered_ = false;
}

void SystemSchedule::remove(const System& system) {
    auto found = std::ranges::find(registered_, &system, &std::shared_ptr<System>::get);
    if (found == registered_.end())
        fail(ErrorCode::UnknownSystem, "system '", system.getName(), "' is not registered");
    std::erase_if(order_, [&](const auto& each) { return each.get() == &system; });
    const auto plan = std::exchange(plan_, nullptr);
    const std::shared_ptr<System> dying = std::move(*found);
    registered_.erase(found);
    ordered_ = false;
}

System* SystemSchedule::find(std::string_view name) const noexcept {
    auto found = std::ranges::find(registered_, name, &System::getName);
    return found == registered_.end() ? nullptr : found->get();
}

bool SystemSchedule::has(const System& system) const noexcept {
    return std::ranges::find(registered_, &system, &std::shared_ptr<System>::get) !=
           registered_.end();
}

const std::vector<std::shared_ptr<System>>& SystemSchedule::order() {
    if (ordered_) return order_;
    auto waiting = registered_;
    std::ranges::stable_sort(waiting, std::ranges::greater{},
                             [](const auto& system) { return system->getOptions().priority; });
    for (const auto& system : waiting)
        for (const std::string& name : system->getOptions().dependencies)
            if (!find(name))
                fail(ErrorCode::UnknownSystem, "system '", system->getName(), "' depends on '",
                     name, "', which is not registered");
    std::vector<std::shared_ptr<System>> order;
    auto isReady = [&](const std::shared_ptr<System>& system) {
        return std::ranges::all_of(system->getOptions().dependencies, [&](const std::string& name) {
            return std::ranges::find(order, name, &System::getName) != order.end();
        });
    };
    while (!waiting.empty()) {
        auto next = std::ranges::find_if(waiting, isReady);
        if (next == waiting.end()) {
            std::string names;
            for (const auto& system : waiting)
                names += (names.empty() ? "'" : ", '") + system->getName() + "'";
            fail(ErrorCode::SystemCycle, "systems wait for each other in a circle: ", names);
        }
        order.push_back(*next);
        waiting.erase(next);
    }
    order_ = std::move(order);
    ordered_ = true;
    plan_ = nullptr;
    return order_;
}

std::shared_ptr<const SchedulePlan> SystemSchedule::plan(ComponentStore& components) {
    order();
    // A component that was defined since may be one that was only a name, or bring a family.
    if (!plan_ || plan_->componentTypes != components.count())
        plan_ = std::make_shared<const SchedulePlan>(order_, components);
    return plan_;
}

std::exception_ptr SystemSchedule::tick(WorldCore& world, double dt, const System* skipped) {
    const auto planned = plan(world.components());  // kept: systems come and go inside a tick
    std::exception_ptr firstError;
    for (const Stage& stage : planned->stages) {
        if (stage.isConcurrent) {
            std::exception_ptr error;
            try {
                error = world.concurrency().tickStage(stage, dt, *this);
            } catch (...) {
                error = std::current_exception();  // it could not begin
            }
            if (!firstError) firstError = error;
            continue;
        }
        for (const PlannedSystem& each : stage.systems) {
            if (each.system.get() == skipped || !has(*each.system)) continue;
            const MemoryReserve::Pause pause;
            try {
                each.system->tick(dt);
            } catch (...) {
                if (!firstError) firstError = std::current_exception();
            }
        }
    }
    return firstError;
}

void SystemSchedule::clear() noexcept {
    // They are destroyed after the lists are empty: a destructor may call in here.
    const auto registered = std::exchange(registered_, {});
    const auto order = std::exchange(order_, {});
    const auto plan = std::exchange(plan_, nullptr);
    ordered_ = true;
}

}  // namespace revenant
