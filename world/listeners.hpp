// Listeners: who wants to hear of what. Events are named; the world's own come first, others are
// defined by whoever emits them, so that a misspelt name is an error instead of silence.
// Listeners may be added and removed from inside a listener: a new one hears the next event,
// a removed one nothing more. One that throws does not keep the others from hearing.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "world/entity.hpp"

namespace revenant {

// Fired during reconcile, in world order: first what left, then what came or changed, then what
// was destroyed; lists and views are in step by then, and what a listener asks for is for the
// next reconcile.
enum class EventKind : std::uint16_t {
    EntityAdded,        // came into the world for the first time
    EntityResurrected,  // came back into the world
    EntityRemoved,      // left the world
    EntityDestroyed,    // is gone; the handle is stale, `name` still tells who it was
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

using Listener = std::function<void(const Event&)>;

struct ListenerToken {
    std::uint64_t value = 0;

    friend bool operator==(ListenerToken, ListenerToken) noexcept = default;
};

class Listeners {
public:
    Listeners();

    std::uint16_t defineEvent(std::string name);
    std::uint16_t requireEvent(std::string_view name) const;
    const std::string& eventName(std::uint16_t id) const { return names_.at(id); }

    ListenerToken add(std::uint16_t event, Listener listener);
    void remove(ListenerToken token);
    bool any(EventKind kind) const noexcept {
        return !byEvent_[static_cast<std::size_t>(kind)].empty();
    }

    // Tells everybody. The first exception of a listener goes to `firstError` if that is empty.
    void fire(const Event& event, std::exception_ptr& firstError);
    void clear() noexcept;

private:
    struct Entry {
        ListenerToken token;
        std::shared_ptr<const Listener> call;  // null: removed while firing
    };

    void sweep();

    std::vector<std::string> names_;
    std::vector<std::vector<Entry>> byEvent_;
    std::uint64_t lastToken_ = 0;
    int firing_ = 0;
    bool swept_ = true;
};

}  // namespace revenant
