// Event: something that happened in a world, as its listeners get it (World::on).
// The events that the world fires itself are listed in EventKind. Others have names of their own:
// World::defineEvent makes them, World::emit fires them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "world/callback.hpp"
#include "world/entity.hpp"
#include "world/value.hpp"

namespace revenant {

// Fired during reconcile, in world order: first what left, then what came or changed, then what
// was destroyed. Lists and views are up to date by then; requests of a listener wait for the
// next reconcile.
enum class EventKind : std::uint16_t {
    EntityAdded,        // came into the world for the first time
    EntityResurrected,  // came back into the world
    EntityRemoved,      // left the world
    EntityDestroyed,    // is gone; the handle is stale, `name` is still readable
    ComponentAdded,     // a managed entity has a component it had not, or came in with it
    ComponentRemoved,   // the reverse
    EntityEnabled,      // a managed entity became active, by its own flag or an ancestor's
    EntityDisabled,     // the reverse
};
inline constexpr std::size_t eventKinds = 8;

struct Event {
    std::uint16_t id = 0;  // an EventKind, or what defineEvent returned
    Entity entity;
    std::string_view name;       // of the entity
    std::string_view component;  // of component events
    const Value* detail = nullptr;
};

using Listener = Callback<void(const Event&)>;

struct ListenerToken {
    std::uint64_t value = 0;

    friend bool operator==(ListenerToken, ListenerToken) noexcept = default;
};

struct ListenerOptions {
    // Called once per event, when its frame can no longer be rolled back: not while a tick is run
    // again. For what happens outside the world, such as sounds.
    bool confirmed = false;
};

}  // namespace revenant
