// The C loops that the Lua figures stand beside: the same arithmetic over plain arrays. Called by FFI.

#include <cstddef>

namespace {

struct Pair {
    double x, y;
};

}  // namespace

extern "C" {

__attribute__((visibility("default"))) void baselineMove(Pair* positions, const Pair* velocities,
                                                         std::size_t count, double dt) {
    for (std::size_t i = 0; i < count; ++i) {
        positions[i].x += velocities[i].x * dt;
        positions[i].y += velocities[i].y * dt;
    }
}

// The same with a third value that half of them lack.
__attribute__((visibility("default"))) void baselineOptional(Pair* positions,
                                                             const Pair* velocities,
                                                             const double* const* boosts,
                                                             std::size_t count, double dt) {
    for (std::size_t i = 0; i < count; ++i) {
        const double boost = boosts[i] ? *boosts[i] : 0;
        positions[i].x += velocities[i].x * dt + boost;
        positions[i].y += velocities[i].y * dt;
    }
}
}
