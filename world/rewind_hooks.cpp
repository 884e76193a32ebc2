#include "world/rewind_hooks.hpp"

namespace revenant {

std::string ComponentHooks::getMake(EntityId /*owner*/, const std::byte* /*component*/) {
    return {};
}

void ComponentHooks::getRewindStates(std::span<const HookedComponent> components, StateSink& sink) {
    std::vector<std::byte> state;
    for (std::size_t i = 0; i < components.size(); ++i) {
        state.clear();
        getRewindState(components[i].owner, components[i].component, state);
        sink.take(i, state);
    }
}

std::vector<StatePart> ComponentHooks::describeRewindState(
    std::span<const std::byte> /*state*/) const {
    return {};
}

}  // namespace revenant
