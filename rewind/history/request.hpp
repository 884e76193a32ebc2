// Request: a request for an entity that is pending when a frame is recorded: a listener made it while the
// world was being reconciled for that frame. Plain data without a world. All requests of a frame are one
// state, with the key requestsKey.
//
//     requests  = count:number request*          in the order in which they were made
//     request   = id parent place:number flags:byte intent:byte disabled:number bindings
//     bindings  = count:number (type:number flags:byte words? state?)*
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rewind/history/delta.hpp"

namespace revenant {

struct Request {
    // A component as it will be: all components of an entity outside the world; of one inside, those that
    // were added, replaced or removed.
    struct Binding {
        ComponentTypeId type = 0;
        bool has = true;
        Words words;
        State state;  // of a hook, where there is one
    };

    EntityId id;
    EntityId parent;          // the new one; null: it is a root
    std::uint32_t place = 0;  // among its siblings
    std::uint8_t intent = 0;  // an Intent
    bool managed = false;     // it was in when the request was made
    bool moved = false;       // it has another parent than in the frame
    bool enabled = true;
    std::uint64_t disabled = 0;  // components, by position
    std::vector<Binding> bindings;
};

std::vector<std::byte> writeRequests(std::span<const Request> requests);
// Throws Error{BadArgument} where the bytes are none.
std::vector<Request> readRequests(std::span<const std::byte> bytes);

}  // namespace revenant
