// OutsideHooks: a second base of ComponentHooks whose states can be read and restored while the entity is out of the
// world, because they are plain data, which wakes nothing up. Without it, a history rewinds the state of a component only
// while its entity is in.
#pragma once

#include <cstddef>
#include <span>

#include "world/rewind_hooks.hpp"

namespace revenant {

class OutsideSink : public StateSink {
public:
    // This component has no state while its entity is out.
    virtual void pass(std::size_t place) = 0;

protected:
    ~OutsideSink() = default;
};

class OutsideHooks {
public:
    OutsideHooks() = default;
    OutsideHooks(const OutsideHooks&) = delete;
    OutsideHooks& operator=(const OutsideHooks&) = delete;
    virtual ~OutsideHooks() = default;

    // As ComponentHooks::getRewindStates. A component whose state cannot be had is left out.
    virtual void getOutsideStates(std::span<const HookedComponent> components,
                                  OutsideSink& sink) = 0;
    // As ComponentHooks::restoreRewindState. Does nothing for a component that has no state while its entity is out.
    virtual void restoreOutsideState(EntityId owner, std::byte* component,
                                     std::span<const std::byte> state) = 0;
};

}  // namespace revenant
