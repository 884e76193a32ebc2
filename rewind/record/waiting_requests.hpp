// WaitingRequests: the requests that are pending when a frame is recorded. They are stored as a state of the
// frame (requestsKey) and made again when play resumes from the frame. Owned by Recorder; used on the
// world's thread.
//
// Invariant: while isWaiting_, the requests of the current frame are yet to be asked for again: held_ has a hold
// on each entity outside the world that they name, and recording leaves the state as it is.
#pragma once

#include <span>
#include <vector>

#include "rewind/history/delta.hpp"
#include "rewind/history/request.hpp"
#include "rewind/record/hook_states.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

class WaitingRequests {
public:
    WaitingRequests(WorldCore& world, const HookStates& states) : world_(world), states_(states) {}

    // The pending requests that concern rewindable entities.
    std::vector<Request> take() const;
    // Adds the state if the pending requests differ from those of the last frame.
    void note(std::vector<StateChange>& changes) const;
    // Makes these requests again, for the entities that are still what they were.
    void ask(const std::vector<Request>& requests);

    // The requests of the current frame, from which play resumes: keeps every entity they name alive until
    // askAgain repeats them or drop drops them.
    void await();
    void askAgain();
    void drop();
    // Time moves on before they were made again: they are held until play resumes somewhere.
    void postpone() noexcept { isWaiting_ = false; }

private:
    struct Held {
        EntityId id;
        bool isFree;  // it lives without being held
    };

    Request requestOf(const EntityRecord& record) const;
    EntityRecord* findAsked(const Request& request) const noexcept;
    void placeAll(std::span<const Request> requests);
    void carry(const Request& request, EntityRecord& record);
    void drop(const std::vector<Held>& held);

    WorldCore& world_;
    const HookStates& states_;
    std::vector<Held> held_;
    bool isWaiting_ = false;
};

}  // namespace revenant
