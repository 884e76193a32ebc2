// callHook: how a history calls the hooks that live in a Lua state. Where the state or its link to the
// world is gone, there is nothing to call.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lua/state/error_carrier.hpp"
#include "lua/state/session.hpp"
#include "lua/state/world_link.hpp"

namespace revenant {

// Runs `work(state, session, link)`, protected.
template <class Work>
void callHook(const std::weak_ptr<Session>& owner, std::uint32_t number, Work work) {
    const auto session = Session::lock(owner);
    WorldLink* link = WorldLink::find(number);
    if (!session || !link) return;
    const WorldLink::HookScope scope(*link);
    protect(session->state(), [&](lua_State* state) { work(state, *session, *link); });
}

// Calls the function below its `arguments` on the stack with two states and the part of the way between
// them as well, and appends what it returns. False where that is nil. `what` names it in errors.
bool callLerp(lua_State* state, int arguments, WorldLink& link, std::span<const std::byte> now,
              std::span<const std::byte> next, double part, const std::string& what,
              std::vector<std::byte>& into);

}  // namespace revenant
