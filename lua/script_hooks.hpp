// ScriptHooks: how a history reaches the table of a script component. The Lua half encodes the table
// to plain data (plain_data.hpp), or asks its class's own hooks; the bytes of the component are a
// ScriptReference.
#pragma once

#include <memory>
#include <string>

#include "world/component_store.hpp"
#include "world/rewind_hooks.hpp"

namespace revenant {

class Session;
class World;
class WorldLink;

class ScriptHooks final : public ComponentHooks {
public:
    ScriptHooks(WorldLink& link, std::string name);

    void getRewindState(EntityId owner, const std::byte* component,
                        std::vector<std::byte>& into) override;
    void restoreRewindState(EntityId owner, std::byte* component,
                            std::span<const std::byte> state) override;
    bool lerpRewindState(EntityId owner, const std::byte* component, std::span<const std::byte> now,
                         std::span<const std::byte> next, double part,
                         std::vector<std::byte>& into) override;
    std::uint64_t hashRewindState(std::span<const std::byte> state) const override;

    bool isOrphaned() const noexcept;
    void adopt(WorldLink& link);

private:
    std::string nameOf(EntityId owner) const;  // for sentences

    World& world_;
    std::string name_;
    std::weak_ptr<Session> session_;  // gone: the state that defined it was closed
    std::uint32_t link_ = 0;
};

// Defines it; or takes it over from a state that was closed.
ComponentTypeId defineScriptComponent(WorldLink& link, std::string name);

}  // namespace revenant
