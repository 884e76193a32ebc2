#include "rewind/history/frame.hpp"

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
        if (step.crosses) crossings.push_back({frame.number, step.id, step.parent, Departure});
}

}  // namespace revenant
