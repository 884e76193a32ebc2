// The part of WorldLink that ends it: with its state (close), or with its world (end).

#include <utility>

#include "lua/state/link_numbers.hpp"
#include "lua/state/session.hpp"
#include "lua/state/world_link.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

void WorldLink::close() noexcept {
    if (!world_) return;
    endLifecycles(true);
    matches.clear();
    for (const ListenerToken token : listeners) {
        try {
            world_->off(token);
        } catch (const std::exception&) {
            continue;  // went with a reset
        }
    }
    for (const auto& [id, count] : retained_)
        for (std::uint32_t i = 0; i < count && Entity(*world_, id).isValid(); ++i)
            Entity(*world_, id).release();
    core().observer<WorldLinks>().remove(*this);
    World& world = *world_;
    forgetWorld();
    leave(world);
}

// Of another world than the process-wide one, only the systems go.
void WorldLink::leave(World& world) noexcept {
    WorldCore& core = WorldCore::of(world);
    if (!isInstance_) belongings = {std::move(belongings.systems), {}, {}, {}};
    if (core.isTicking()) {
        const auto memory = core.useReserve();
        return core.observer<WorldLinks>().leaveLater(std::move(belongings));
    }
    unregisterAll(world, belongings.systems);
    if (!isInstance_) return;
    dropHistories();
    try {
        if (core.observer<WorldLinks>().isAlone() && !hasOthersThan(core, belongings))
            WorldCore::renew(world);
        else
            takeAway(core, belongings);
    } catch (const std::bad_alloc&) {
        takeAway(core, belongings);
    }
}

void WorldLink::end(ErrorList& errors) noexcept {
    lifecycles.endAll(true, errors);
    matches.clear();
    views.releaseAll();
    LinkNumbers::remove(number_);
    lifecycles.endAll(false, errors);  // those that came while others were notified
}

WorldLink::HeldHistory WorldLink::holdHistory(std::shared_ptr<TimeRewindSys> history) {
    std::erase_if(histories_, [](const auto& each) { return each.expired(); });
    auto held = std::make_shared<std::shared_ptr<TimeRewindSys>>(std::move(history));
    histories_.push_back(held);
    return held;
}

std::vector<std::shared_ptr<TimeRewindSys>> WorldLink::dropHistories() noexcept {
    std::vector<std::shared_ptr<TimeRewindSys>> dropped;
    for (const auto& each : std::exchange(histories_, {}))
        if (const auto held = each.lock(); held && *held) dropped.push_back(std::move(*held));
    return dropped;
}

}  // namespace revenant
