// TimeRewindSys: the history. Most of it fires listeners, so all of it is called by sol2.

#include <sol/sol.hpp>

#include "lua/bind/binding.hpp"
#include "lua/state/error_carrier.hpp"
#include "lua/state/plain_data.hpp"
#include "lua/state/session.hpp"
#include "lua/state/world_link.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

using Rewind = std::shared_ptr<TimeRewindSys>;

RewindOptions optionsOf(double seconds, double bytes, double thinTo, RewindOptions options = {}) {
    options.seconds = seconds;
    options.bytes = static_cast<std::size_t>(bytes);
    options.thinTo = static_cast<std::uint32_t>(thinTo);
    return options;
}

// What Lua holds. A history that the collector takes must not end in the middle of a reconcile. Empty once its world has
// ended.
struct RewindHandle {
    WorldLink::HeldHistory held;
    std::weak_ptr<Session> session;

    RewindHandle(WorldLink& link, Rewind history, lua_State* state)
        : held(link.holdHistory(std::move(history))), session(Session::sharedOf(state)) {}
    RewindHandle(RewindHandle&&) = default;
    RewindHandle& operator=(RewindHandle&&) = default;
    ~RewindHandle() {
        if (!held || !*held) return;
        if (const auto alive = Session::lock(session)) alive->discard(std::move(*held));
    }
    const Rewind& rewind() const {
        if (!*held) fail(ErrorCode::WrongState, "the world of this history has ended");
        return *held;
    }
};

// Refused from inside listeners and hooks: the history may still be moving to the frame that they are called for.
void refuseInside(const RewindHandle& handle, const char* call) {
    World& world = handle.rewind()->getWorld();
    const auto session = Session::lock(handle.session);
    if (!session) return;
    const WorldLink& link = WorldLink::requireOpen(session->link(world).number());
    if (WorldCore::of(world).isReconciling() || link.isListening())
        fail(ErrorCode::Reentrant, call,
             ": called from inside a reconcile (a listener?); ask for it in a system, or between "
             "ticks");
}

// Calls something that may fire listeners.
template <class Call>
auto binding(Call call, const char* refused = nullptr) {
    return [call, refused](RewindHandle& handle, double argument, sol::this_state state) {
        const Session::Entry entry(state);
        if (refused) refuseInside(handle, refused);
        WorldLink& link = Session::of(state).link(handle.rewind()->getWorld());
        WorldLink::requireOpen(link.number());
        call(*handle.rewind(), argument);
        link.sweepValues();
    };
}

sol::object tableOf(const std::optional<Divergence>& found, lua_State* state) {
    if (!found) return sol::nil;
    sol::table table = sol::state_view(state).create_table();
    table["frame"] = static_cast<double>(found->frame);
    table["entity"] = found->entity;
    table["component"] = found->component;
    table["field"] = found->field;
    table["here"] = found->here;
    table["there"] = found->there;
    table["text"] = found->describe();
    return table;
}

sol::object pushState(const std::optional<std::vector<std::byte>>& bytes, World& world,
                      lua_State* state) {
    if (!bytes) return sol::nil;
    decodePlain(state, *bytes, 0, 0, Session::of(state).link(world));
    return sol::stack::pop<sol::object>(state);
}

sol::optional<double> numberOf(std::optional<std::int64_t> frame) {
    if (!frame) return sol::nullopt;
    return static_cast<double>(*frame);
}

}  // namespace

void bindTimeRewindSys(sol::table& native) {
    native.new_usertype<RewindHandle>("RewindHandle", sol::no_constructor);
    sol::table rewind = native.create_named("rewind");
    rewind.set_function("make", [](std::uint32_t link, double seconds, double bytes, double thinTo,
                                   sol::this_state state) {
        Session::of(state).emptyTrash();
        WorldLink& of = WorldLink::require(link);
        return RewindHandle(
            of, std::make_shared<TimeRewindSys>(of.world(), optionsOf(seconds, bytes, thinTo)),
            state);
    });
    rewind.set_function("find", [](std::uint32_t link, sol::this_state state) -> sol::object {
        auto* found = dynamic_cast<TimeRewindSys*>(
            WorldLink::require(link).world().getSystem("TimeRewindSys"));
        if (!found) return sol::nil;
        return sol::make_object(
            state, RewindHandle(WorldLink::require(link),
                                std::static_pointer_cast<TimeRewindSys>(found->shared_from_this()),
                                state));
    });
    rewind.set_function("isSame", [](const RewindHandle& a, const RewindHandle& b) {
        return a.rewind() == b.rewind();
    });
    rewind.set_function("register", [](std::uint32_t link, const RewindHandle& handle) {
        WorldLink& of = WorldLink::requireOpen(link);
        of.world().registerSystem(handle.rewind());
        if (of.isToInstance()) of.belongings.systems.emplace_back(handle.rewind());
    });
    rewind.set_function("unregister", [](std::uint32_t link, const RewindHandle& handle) {
        WorldLink::requireOpen(link).world().unregisterSystem(*handle.rewind());
    });

    rewind.set_function("forgetSyncSteps",
                        [](RewindHandle& handle) { handle.rewind()->forgetSyncSteps(); });
    rewind.set_function("start", binding([](TimeRewindSys& of, double) { of.start(); }));
    rewind.set_function("stop", binding([](TimeRewindSys& of, double) { of.stop(); }, "stop"));
    rewind.set_function("clear", binding([](TimeRewindSys& of, double) { of.clear(); }, "clear"));
    rewind.set_function("tick", binding([](TimeRewindSys& of, double dt) { of.tick(dt); }, "tick"));
    rewind.set_function("seek", binding([](TimeRewindSys& of, double frame) {
                            of.seek(static_cast<std::int64_t>(frame));
                        }));
    rewind.set_function("step", binding([](TimeRewindSys& of, double frames) {
                            of.step(static_cast<std::int64_t>(frames));
                        }));
    rewind.set_function("setSpeed",
                        binding([](TimeRewindSys& of, double speed) { of.setSpeed(speed); }));
    rewind.set_function("setEnabled",
                        binding([](TimeRewindSys& of, double on) { of.setEnabled(on != 0); }));

    rewind.set_function("isRewinding",
                        [](const RewindHandle& of) { return of.rewind()->isRewinding(); });
    rewind.set_function("isEnabled",
                        [](const RewindHandle& of) { return of.rewind()->isEnabled(); });
    rewind.set_function("getSpeed", [](const RewindHandle& of) { return of.rewind()->getSpeed(); });
    rewind.set_function("getFrame",
                        [](const RewindHandle& of) { return numberOf(of.rewind()->getFrame()); });
    rewind.set_function("getOldestFrame", [](const RewindHandle& of) {
        return numberOf(of.rewind()->getOldestFrame());
    });
    rewind.set_function("getNewestFrame", [](const RewindHandle& of) {
        return numberOf(of.rewind()->getNewestFrame());
    });
    rewind.set_function("frameHash", [](const RewindHandle& of, double frame) {
        refuseInside(of, "frameHash");
        return hexOf(of.rewind()->frameHash(static_cast<std::int64_t>(frame)));
    });
    rewind.set_function("getMemory", [](const RewindHandle& of) {
        return static_cast<double>(of.rewind()->getMemory());
    });
    rewind.set_function(
        "setBudget", [](const RewindHandle& of, double seconds, double bytes, double thinTo) {
            refuseInside(of, "setBudget");
            of.rewind()->setBudget(optionsOf(seconds, bytes, thinTo, of.rewind()->getBudget()));
        });
    rewind.set_function("isThinned", [](const RewindHandle& of, double frame) {
        refuseInside(of, "isThinned");
        return of.rewind()->isThinned(static_cast<std::int64_t>(frame));
    });
    rewind.set_function("getStatistics", [](const RewindHandle& of, sol::this_state state) {
        const HistoryStatistics all = of.rewind()->getStatistics();
        return tableOf(state, {{"kept", all.kept},
                               {"thinned", all.thinned},
                               {"waiting", all.waiting},
                               {"waitingBytes", all.waitingBytes},
                               {"dropped", all.dropped}});
    });
    rewind.set_function("setCheckpoint", [](const RewindHandle& of, std::string name) {
        of.rewind()->setCheckpoint(std::move(name));
    });
    rewind.set_function("getCheckpoint", [](const RewindHandle& of, const std::string& name) {
        return numberOf(of.rewind()->getCheckpoint(name));
    });
    rewind.set_function("removeCheckpoint", [](const RewindHandle& of, const std::string& name) {
        return of.rewind()->removeCheckpoint(name);
    });
    rewind.set_function("getCheckpoints", [](const RewindHandle& of, sol::this_state state) {
        sol::table names = sol::state_view(state).create_table();
        for (const auto& [name, frame] : of.rewind()->getCheckpoints())
            names[name] = static_cast<double>(frame);
        return names;
    });
    rewind.set_function("saveHistory", [](const RewindHandle& of, const std::string& path) {
        refuseInside(of, "saveHistory");
        of.rewind()->saveHistory(path);
    });
    rewind.set_function("loadHistory",
                        [](const RewindHandle& of, const std::string& path, sol::this_state state) {
                            const Session::Entry entry(state);
                            refuseInside(of, "loadHistory");
                            of.rewind()->loadHistory(path);
                            Session::of(state).link(of.rewind()->getWorld()).sweepValues();
                        });
    // -- display, divergence, sync test
    rewind.set_function("setApplyBlend",
                        [](const RewindHandle& of, bool on) { of.rewind()->setApplyBlend(on); });
    rewind.set_function("getApplyBlend",
                        [](const RewindHandle& of) { return of.rewind()->getApplyBlend(); });
    rewind.set_function("getBlend", [](const RewindHandle& of) { return of.rewind()->getBlend(); });
    rewind.set_function("getDisplayState", [](const RewindHandle& of, const std::string& name,
                                              sol::this_state state) {
        const Session::Entry entry(state);
        System* system = of.rewind()->getWorld().getSystem(name);
        if (!system) fail(ErrorCode::BadArgument, "getDisplayState: no system '", name, "'");
        return pushState(of.rewind()->getDisplayState(*system), of.rewind()->getWorld(), state);
    });
    rewind.set_function("getComponentDisplay", [](std::uint32_t number, std::uint32_t index,
                                                  std::uint32_t type, sol::this_state state) {
        const Session::Entry entry(state);
        World& world = WorldLink::require(number).world();
        const auto* of = dynamic_cast<TimeRewindSys*>(world.getSystem("TimeRewindSys"));
        std::optional<std::vector<std::byte>> between;
        const EntityPool& pool = WorldCore::of(world).forest().pool;
        if (of && of->isRewinding() && index < pool.count() && pool.at(index).alive)
            between = of->getDisplayState(Entity(world, pool.at(index).id),
                                          WorldCore::of(world)
                                              .components()
                                              .at(static_cast<ComponentTypeId>(type))
                                              .schema.name);
        return pushState(between, world, state);
    });
    rewind.set_function("findDivergence", [](const RewindHandle& of, const RewindHandle& other,
                                             double from, sol::this_state state) {
        const Session::Entry entry(state);
        refuseInside(of, "findDivergence");
        refuseInside(other, "findDivergence");
        const auto found =
            of.rewind()->findDivergence(*other.rewind(), static_cast<std::int64_t>(from));
        return tableOf(found, state);
    });
    rewind.set_function("setSyncTest", [](const RewindHandle& of, double frames) {
        refuseInside(of, "setSyncTest");
        of.rewind()->setSyncTest(static_cast<std::size_t>(frames));
    });
    rewind.set_function("getSyncTest", [](const RewindHandle& of) {
        return static_cast<double>(of.rewind()->getSyncTest());
    });
    rewind.set_function("getSyncReport", [](const RewindHandle& of, sol::this_state state) {
        return tableOf(of.rewind()->getSyncReport(), state);
    });
    rewind.set_function(
        "validate", [](const RewindHandle& of) { return sol::as_table(of.rewind()->validate()); });
    rewind.set_function("getStrayWrites", [](const RewindHandle& of) {
        const TimeRewindSys::StrayWrites strays = of.rewind()->getStrayWrites();
        return std::tuple(static_cast<double>(strays.frames), strays.first);
    });
    rewind.set_function("finishPacking",
                        [](const RewindHandle& of) { of.rewind()->finishPacking(); });
    rewind.set_function("getBudget", [](const RewindHandle& of) {
        const RewindOptions& budget = of.rewind()->getBudget();
        return std::tuple(budget.seconds, static_cast<double>(budget.bytes),
                          static_cast<double>(budget.thinTo));
    });
}

}  // namespace revenant
