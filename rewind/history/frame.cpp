#include "rewind/history/frame.hpp"

#include "rewind/history/request.hpp"

namespace revenant {

void appendCrossings(const Frame& frame, std::vector<Crossing>& crossings) {
    using enum Crossing::Kind;
    if (!frame.crossings.empty()) {
        crossings.insert(crossings.end(), frame.crossings.begin(), frame.crossings.end());
        return;
    }
    for (const Step& step : frame.delta.arrivals)
        if (step.crosses)
            crossings.push_back({frame.number, step.id, step.parent,
                                 step.wasZombie || step.rescoped ? Return : Birth});
    for (const Step& step : frame.delta.departures)
        if (step.crosses)
            crossings.push_back(
                {frame.number, step.id, step.outer, step.detached ? Detachment : Departure});
    // An entity that was attached to another, or became a zombie on it, without having been in, may come in with it.
    for (const Outside& outside : frame.delta.outsides)
        if (outside.after && outside.outerAfter.isBound())
            crossings.push_back({frame.number, outside.id, {}, Request});
    // Also those of the frame before: if that is the oldest, no delta leads to it.
    for (const StateChange& change : frame.delta.states)
        if (change.key == requestsKey)
            for (const State* state : {&change.before, &change.after})
                if (*state)
                    for (const auto& request : readRequests(**state))
                        if (!request.managed)
                            crossings.push_back({frame.number, request.id, {}, Request});
}

}  // namespace revenant
