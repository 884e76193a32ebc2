// ComponentHooks: how a history reaches state that lives outside a component's bytes: a Lua table,
// a physics body. Set on a component type (ComponentType::hooks); the component's own bytes are
// rewound as well, but only the state of the hooks counts for the state hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "world/entity_id.hpp"

namespace revenant {

// A part of a state that lives outside of components, as text, to show where two states differ.
struct StatePart {
    std::string path;   // where it stands in the state: "inventory[3].count"
    std::string value;  // equal where the parts are
};

// A component whose state a history asks for, among others of its type.
struct HookedComponent {
    EntityId owner;
    const std::byte* component;
};

// Receives their states in the order of the list, each with its place in it. The bytes are good during the call.
class StateSink {
public:
    virtual void take(std::size_t place, std::span<const std::byte> state) = 0;

protected:
    ~StateSink() = default;
};

// What a component is made from, for a history file: a number that tells it from others of its type, and what getMake says.
struct ComponentMake {
    std::uint32_t number = 0;
    std::string make;
};

class ComponentHooks {
public:
    ComponentHooks() = default;
    ComponentHooks(const ComponentHooks&) = delete;
    ComponentHooks& operator=(const ComponentHooks&) = delete;
    virtual ~ComponentHooks() = default;

    // Whether a history looks at components of this type at all, and at this one.
    virtual bool isRewound() const noexcept { return true; }
    virtual bool hasRewindState(const std::byte* /*component*/) const noexcept { return true; }
    // The component of a destroyed entity is about to be freed: its bytes, for the last time. Called in the
    // middle of a collection, where nothing in the world may be changed.
    virtual void onFreed(const std::byte* /*component*/) noexcept {}

    // Whether states are plain data (world/codec/plain_data.hpp): a save can then show them to people
    // and keep the entities in them apart. Other states are bytes that only their hook understands.
    virtual bool isPlainData() const noexcept { return false; }
    // Writes the bytes of a component that comes from a file and is about to be bound to `owner`.
    // `hasState`: restoreRewindState follows; otherwise make it as new. `made`: what getMake returned.
    virtual void makeComponent(EntityId /*owner*/, std::byte* /*component*/, bool /*hasState*/,
                               std::string_view /*made*/) {}
    // For a save: what the component is made from, such as the name of its class, where its type alone does
    // not tell. Throws where that has no name.
    virtual std::string getMake(EntityId owner, const std::byte* component);
    // For a history file: the same of all components that frames may show, ascending by number, but for those whose type tells
    // or that have no name.
    virtual std::vector<ComponentMake> getMakes() { return {}; }
    // What getMakes returned where the file was written. Its frames are shown next.
    virtual void setMakes(std::vector<ComponentMake> /*makes*/) {}

    // A history has bound the component, whose states it does not keep (isRewound); the frames may be of a file.
    virtual void noteBound(EntityId /*owner*/, const std::byte* /*component*/) {}

    // Appends the state, as bytes that are equal where the state is.
    virtual void getRewindState(EntityId owner, const std::byte* component,
                                std::vector<std::byte>& into) = 0;
    // The same of many at once, for hooks to which that is cheaper. All of them are there during the call.
    virtual void getRewindStates(std::span<const HookedComponent> components, StateSink& sink);
    // Puts it back. If it throws, the whole restore is called off.
    virtual void restoreRewindState(EntityId owner, std::byte* component,
                                    std::span<const std::byte> state) = 0;
    // For display only: appends what lies between two states, `part` (0 to 1) of the way, and
    // returns true; or returns false where nothing does.
    virtual bool lerpRewindState(EntityId /*owner*/, const std::byte* /*component*/,
                                 std::span<const std::byte> /*now*/,
                                 std::span<const std::byte> /*next*/, double /*part*/,
                                 std::vector<std::byte>& /*into*/) {
        return false;
    }
    // Hashes a state by what it means: entities by their serials, so that a resumed run hashes like an
    // uninterrupted one.
    virtual std::uint64_t hashRewindState(std::span<const std::byte> state) const = 0;
    // The parts of a state, in an order of their own. Without any, its bytes are shown.
    virtual std::vector<StatePart> describeRewindState(std::span<const std::byte> state) const;
};

}  // namespace revenant
