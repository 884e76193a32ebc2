// System: logic that runs each tick. A C++ system derives from it and overrides onTick; systems
// written in Lua tick beside it in one order. Kept by shared_ptr: by the world while it is
// registered, and by its other users.
// REQUIRES: the world outlives its systems.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "world/callback.hpp"
#include "world/rewind_hooks.hpp"
#include "world/system_access.hpp"

namespace revenant {

class World;
template <class... Terms>
class View;

struct SystemOptions {
    int priority = 0;  // higher ticks earlier; equal: in order of registration
    std::vector<std::string> dependencies = {};  // names of systems that tick before this one
    bool enabled = true;
    bool tickWhileRewinding = false;  // drawing, camera: ticks also while a past frame is current
    double fixedStepSeconds = 0;      // > 0: onFixedTick runs once per step of world time
    int maxFixedSteps = 16;           // per tick; time beyond them is dropped, not owed
    // All that the system touches. Where it is given, the system may tick at the same time as others (docs/threads.md).
    std::optional<SystemAccess> access = {};
    // It ticks alone and on the main thread, although its access is known.
    bool onMainThread = false;
};

class System : public std::enable_shared_from_this<System> {
public:
    System(World& world, std::string name, SystemOptions options = {});
    System(const System&) = delete;
    System& operator=(const System&) = delete;
    virtual ~System() = default;

    // Runs the fixed steps that are due, then onTick. By World::update or by hand; does nothing
    // while the system is disabled, or while a past frame is current unless tickWhileRewinding.
    void tick(double dt);

    const std::string& getName() const noexcept { return name_; }
    const SystemOptions& getOptions() const noexcept { return options_; }
    World& getWorld() const noexcept { return world_; }
    bool isEnabled() const noexcept { return options_.enabled; }
    void setEnabled(bool on) noexcept { options_.enabled = on; }
    double getAccumulatedSeconds() const noexcept { return accumulatedSeconds_; }
    void setAccumulatedSeconds(double seconds) noexcept { accumulatedSeconds_ = seconds; }
    std::uint64_t getLastTickNanoseconds() const noexcept { return lastTickNanoseconds_; }
    // When its last tick began, by std::chrono::steady_clock, and on which thread: 0 is the main one.
    std::uint64_t getLastTickBeginNanoseconds() const noexcept { return lastTickBegin_; }
    int getLastTickLane() const noexcept { return lastTickLane_; }

    // A view that the system holds from now on, whose access it declares: include views/view.hpp. A system that gets its
    // views this way may tick at the same time as others, and touches nothing else (docs/threads.md).
    template <class... Terms>
    View<Terms...> view();
    // Adds to what the system touches. Not in a tick.
    void declareAccess(const SystemAccess& access);
    // Whether it may tick at the same time as others.
    bool isConcurrent() const noexcept { return options_.access && !options_.onMainThread; }

    // A system's own state, for the history: bytes that are equal where the state is, asked for
    // once per frame, and put back when a frame is shown. If it throws, the restore is called off.
    virtual bool hasRewindState() const { return false; }
    virtual void getRewindState(std::vector<std::byte>& /*into*/) {}
    virtual void restoreRewindState(std::span<const std::byte> /*state*/) {}
    // Whether that state is plain data, as ComponentHooks has it.
    virtual bool isPlainData() const noexcept { return false; }
    // For display only, as ComponentHooks has it.
    virtual bool lerpRewindState(std::span<const std::byte> /*now*/,
                                 std::span<const std::byte> /*next*/, double /*part*/,
                                 std::vector<std::byte>& /*into*/) {
        return false;
    }
    virtual std::vector<StatePart> describeRewindState(std::span<const std::byte> state) const;

protected:
    virtual void onTick(double dt) = 0;
    virtual void onFixedTick(double /*step*/) {}

private:
    friend class Concurrency;

    // The tick itself, on any thread.
    void run(double dt);

    World& world_;
    std::string name_;
    SystemOptions options_;
    double accumulatedSeconds_ = 0;
    std::uint64_t lastTickNanoseconds_ = 0;
    std::uint64_t lastTickBegin_ = 0;
    int lastTickLane_ = 0;
};

// A system made of one function, called once per tick, or once per step if it has a fixed one.
class FunctionSystem final : public System {
public:
    using Function = Callback<void(World&, double dt)>;

    FunctionSystem(World& world, std::string name, Function function, SystemOptions options = {});

protected:
    void onTick(double dt) override;
    void onFixedTick(double step) override;

private:
    Function function_;
};

}  // namespace revenant
