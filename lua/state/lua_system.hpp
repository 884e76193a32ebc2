// LuaSystem: a system written in Lua, in the world's one schedule. It knows its Lua object by number;
// the Lua half keeps the object alive while it is registered.
#pragma once

#include <cstdint>
#include <memory>

#include "world/system.hpp"

namespace revenant {

class Session;
class WorldLink;

class LuaSystem final : public System {
public:
    LuaSystem(WorldLink& link, std::uint32_t number, std::string name, SystemOptions options,
              bool hasHooks);

    std::uint32_t number() const noexcept { return number_; }
    bool isOf(const Session& session) const noexcept;
    // This; throws where the world has ended.
    LuaSystem& require();

    bool hasRewindState() const override;
    bool isPlainData() const noexcept override { return true; }
    void getRewindState(std::vector<std::byte>& into) override;
    void restoreRewindState(std::span<const std::byte> state) override;
    bool lerpRewindState(std::span<const std::byte> now, std::span<const std::byte> next,
                         double part, std::vector<std::byte>& into) override;
    std::vector<StatePart> describeRewindState(std::span<const std::byte> state) const override;

protected:
    void onTick(double dt) override { call("tickSystem", dt); }
    void onFixedTick(double step) override { call("fixedTickSystem", step); }

private:
    void call(const char* function, double seconds);

    std::weak_ptr<Session> session_;
    std::uint32_t link_;
    std::uint32_t number_;
    bool hasHooks_;
};

}  // namespace revenant
