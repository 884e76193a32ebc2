#include "save/load/system_states.hpp"

#include "world/core/world_core.hpp"

namespace revenant {

SystemStates::SystemStates(const SaveImage& image, WorldCore& world,
                           const EntityTranslation& entityOf) {
    for (const SavedSystem& saved : image.systems) {
        System* system = world.systems().find(saved.name);
        if (!system) continue;
        const bool hasState = saved.stateKind != StateKind::None && system->hasRewindState();
        if (hasState && system->isPlainData() != (saved.stateKind == StateKind::Plain))
            fail(ErrorCode::WrongType, "system '", saved.name,
                 "': its state was saved by another kind of system; give the new one another name");
        State& state =
            states_.emplace_back(State{system, hasState, saved.accumulatedSeconds, {}, 0, {}});
        if (!hasState) continue;
        state.bytes = saved.stateKind == StateKind::Plain ? translatePlain(saved.state, entityOf)
                                                          : saved.state;
        system->getRewindState(state.bytesBefore);
    }
}

void SystemStates::give() {
    std::size_t given = 0;
    try {
        for (; given < states_.size(); ++given)
            if (states_[given].hasState)
                states_[given].system->restoreRewindState(states_[given].bytes);
    } catch (...) {
        for (std::size_t i = 0; i <= given; ++i) {
            if (!states_[i].hasState) continue;
            try {
                states_[i].system->restoreRewindState(states_[i].bytesBefore);
            } catch (...) {  // it failed before, and its old state is not known any better
                continue;
            }
        }
        throw;
    }
    for (State& state : states_) state.system->setAccumulatedSeconds(state.seconds);
}

}  // namespace revenant
