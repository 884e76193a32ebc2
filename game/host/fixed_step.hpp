// FixedStep: how many fixed steps are due when so much time has passed, and how far on the way to the next
// one the display is. A machine that is too slow plays slower rather than ever later.
#pragma once

#include <algorithm>

namespace revenant::game {

class FixedStep {
public:
    explicit constexpr FixedStep(double stepSeconds) : stepSeconds_(stepSeconds) {}

    // The steps that are due, at most so many; the time of those beyond is dropped.
    constexpr int advance(double seconds, int most = 5) {
        waiting_ += std::max(seconds, 0.0);
        int steps = 0;
        while (steps < most && waiting_ >= stepSeconds_) {
            waiting_ -= stepSeconds_;
            ++steps;
        }
        if (waiting_ >= stepSeconds_) waiting_ = 0;
        return steps;
    }
    // In [0, 1): for display between the last two steps.
    constexpr double alpha() const { return waiting_ / stepSeconds_; }

private:
    double stepSeconds_;
    double waiting_ = 0;
};

}  // namespace revenant::game
