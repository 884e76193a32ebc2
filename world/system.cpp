#include "world/system.hpp"

#include <chrono>
#include <cmath>

#include "world/core/world_core.hpp"
#include "world/error.hpp"

namespace revenant {

SystemAccess& SystemAccess::operator+=(const SystemAccess& other) {
    reads.insert(reads.end(), other.reads.begin(), other.reads.end());
    writes.insert(writes.end(), other.writes.begin(), other.writes.end());
    views.insert(views.end(), other.views.begin(), other.views.end());
    return *this;
}

SystemAccess operator+(SystemAccess one, const SystemAccess& other) {
    one += other;
    return one;
}

namespace {

std::uint64_t nanoseconds(std::chrono::steady_clock::duration duration) {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count());
}

}  // namespace

System::System(World& world, std::string name, SystemOptions options)
    : world_(world), name_(std::move(name)), options_(std::move(options)) {
    if (name_.empty()) fail(ErrorCode::BadArgument, "a system needs a name");
    if (!std::isfinite(options_.fixedStepSeconds) || options_.fixedStepSeconds < 0)
        fail(ErrorCode::BadArgument, "system '", name_,
             "': fixedStepSeconds must be a finite number, 0 or more");
}

std::vector<StatePart> System::describeRewindState(std::span<const std::byte> /*state*/) const {
    return {};
}

FunctionSystem::FunctionSystem(World& world, std::string name, Function function,
                               SystemOptions options)
    : System(world, std::move(name), std::move(options)), function_(std::move(function)) {}

void FunctionSystem::onTick(double dt) {
    if (getOptions().fixedStepSeconds == 0) function_(getWorld(), dt);
}

void FunctionSystem::onFixedTick(double step) {
    function_(getWorld(), step);
}

void System::tick(double dt) {
    if (!std::isfinite(dt) || dt < 0)
        fail(ErrorCode::BadArgument, "system '", name_,
             "': dt must be a finite number of seconds, 0 or more, not ", dt);
    WorldCore& core = WorldCore::of(world_);
    core.refuseInSection("System::tick");
    const auto keptAlive = weak_from_this().lock();  // it may unregister itself
    const TickScope scope(core);
    if (isConcurrent()) return core.concurrency().tickAlone(*this, dt);
    lastTickLane_ = 0;
    run(dt);
}

void System::declareAccess(const SystemAccess& access) {
    WorldCore& core = WorldCore::of(world_);
    core.refuseInSection("declareAccess");
    if (!options_.access) options_.access.emplace();
    *options_.access += access;
    core.systems().planAnew();
}

void System::run(double dt) {
    if (!options_.enabled) return;
    if (world_.isInPast() && !options_.tickWhileRewinding) return;
    const auto begin = std::chrono::steady_clock::now();
    if (const double step = options_.fixedStepSeconds; step > 0) {
        accumulatedSeconds_ += dt;
        for (int i = 0; i < options_.maxFixedSteps && accumulatedSeconds_ >= step; ++i) {
            accumulatedSeconds_ -= step;
            onFixedTick(step);
        }
        if (accumulatedSeconds_ >= step) accumulatedSeconds_ = std::fmod(accumulatedSeconds_, step);
    }
    onTick(dt);
    const auto elapsed = std::chrono::steady_clock::now() - begin;
    lastTickNanoseconds_ = nanoseconds(elapsed);
    lastTickBegin_ = nanoseconds(begin.time_since_epoch());
}

}  // namespace revenant
