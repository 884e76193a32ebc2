// ScriptHooks: how a history reaches the table of a script component. The Lua half encodes the table
// to plain data (plain_data.hpp), or asks its class's own hooks; the bytes of the component are a
// ScriptReference.
#pragma once

#include <memory>
#include <string>

#include "lua/state/flat_capture.hpp"
#include "lua/state/plain_capture.hpp"
#include "world/outside_hooks.hpp"
#include "world/storage/component_store.hpp"

struct lua_State;

namespace revenant {

class Session;
class World;
class WorldLink;

class ScriptHooks final : public ComponentHooks, public OutsideHooks {
public:
    ScriptHooks(WorldLink& link, std::string name, bool isRewound);

    bool isRewound() const noexcept override { return isRewound_; }
    bool isPlainData() const noexcept override { return true; }
    void makeComponent(EntityId owner, std::byte* component, bool hasState,
                       std::string_view made) override;
    // The name of its class, where it differs from the component's.
    std::string getMake(EntityId owner, const std::byte* component) override;
    // Of those whose classes are registered.
    std::vector<ComponentMake> getMakes() override;
    void setMakes(std::vector<ComponentMake> makes) override { makes_ = std::move(makes); }
    // Of a history from a file: makes its table.
    void noteBound(EntityId owner, const std::byte* component) override;
    // False for a component that is the base of another: the derived one has the state.
    bool hasRewindState(const std::byte* component) const noexcept override;
    void onFreed(const std::byte* component) noexcept override;
    void getRewindState(EntityId owner, const std::byte* component,
                        std::vector<std::byte>& into) override;
    // One call into Lua for all of them; see script_states.cpp.
    void getRewindStates(std::span<const HookedComponent> components, StateSink& sink) override;
    void restoreRewindState(EntityId owner, std::byte* component,
                            std::span<const std::byte> state) override;
    // Of those whose classes have no hooks of their own.
    void getOutsideStates(std::span<const HookedComponent> components, OutsideSink& sink) override;
    void restoreOutsideState(EntityId owner, std::byte* component,
                             std::span<const std::byte> state) override;
    bool lerpRewindState(EntityId owner, const std::byte* component, std::span<const std::byte> now,
                         std::span<const std::byte> next, double part,
                         std::vector<std::byte>& into) override;
    std::uint64_t hashRewindState(std::span<const std::byte> state) const override;
    std::vector<StatePart> describeRewindState(std::span<const std::byte> state) const override;

    bool isOrphaned() const noexcept;
    bool isOf(const WorldLink& link) const noexcept;
    void adopt(WorldLink& link);
    ComponentTypeId type = 0;

private:
    class States;

    std::string nameOf(EntityId owner) const;  // for sentences
    // Appends the state at the index, named by `isHooked` in errors.
    void encode(lua_State* state, int index, int ignored, bool isHooked, EntityId owner,
                WorldLink& link, std::vector<std::byte>& into) const;
    bool isBase(EntityId owner) const;  // of another component of the entity
    bool adoptTable(lua_State* state, Session& session, WorldLink& link, EntityId owner,
                    std::uint32_t table);
    void restore(EntityId owner, const std::byte* component, std::span<const std::byte> state,
                 bool isOutside);
    void callNaming(lua_State* state, EntityId owner, int arguments, int results) const;

    World& world_;
    std::string name_;
    std::weak_ptr<Session> session_;  // gone: the state that defined it was closed
    std::uint32_t link_ = 0;
    std::uint32_t mark_ = 0;  // of the link, in components
    bool isRewound_;
    PlainCapture capture_;
    FlatCapture flat_;
    std::size_t samples_ = 0;           // shown to it
    std::vector<ComponentMake> makes_;  // of a history from a file: by table, ascending
};

struct ScriptComponentOptions {
    std::string base;      // the name of another script component; empty: none
    bool rewind = true;    // false: a history never looks at its tables
    bool isAgain = false;  // a reloaded file: it may be defined already, with the same options
};

// Defines the component, or takes it over from a Lua state that was closed.
ComponentTypeId defineScriptComponent(WorldLink& link, std::string name,
                                      const ScriptComponentOptions& options);

}  // namespace revenant
