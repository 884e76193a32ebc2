// EventLog: writes down every event that a world's listeners are called for: "entityAdded hero",
// "componentAdded hero Health".
#pragma once

#include <string>
#include <utility>

#include "tests/world/snapshot.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

class EventLog {
public:
    explicit EventLog(World& world) {
        for (std::uint16_t kind = 0; kind < eventKinds; ++kind)
            world.on(static_cast<EventKind>(kind), [this, &world](const Event& event) {
                std::string line =
                    sentence(WorldCore::of(world).listeners().eventName(event.id), " ", event.name);
                if (!event.component.empty()) line.append(" ").append(event.component);
                lines_.push_back(std::move(line));
            });
    }
    EventLog(const EventLog&) = delete;
    EventLog& operator=(const EventLog&) = delete;

    // The events since the last call.
    Names take() { return std::exchange(lines_, {}); }

private:
    Names lines_;
};

}  // namespace revenant
