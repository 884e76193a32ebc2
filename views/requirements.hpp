// Requirements: what a view asks of an entity, by component name, in any order.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace revenant {

enum class Presence : std::uint8_t { MustHave, Optional, Without };
enum class Access : std::uint8_t { ReadWrite, ReadOnly };

//     world.getComponentsView({{"TransformCMP", ComponentRequirementDesc::mustHave()},
//                              {"VelocityCMP", ComponentRequirementDesc::mustHave(Access::ReadOnly)},
//                              {"SpriteCMP", ComponentRequirementDesc::optional(Access::ReadOnly)},
//                              {"FrozenCMP", ComponentRequirementDesc::without()}});
struct ComponentRequirementDesc {
    Presence presence = Presence::MustHave;
    bool readOnly = false;

    ComponentRequirementDesc() = default;
    // As Lua's ComponentRequirementDesc(isMustHave, isReadOnly); the named makers below read better.
    explicit ComponentRequirementDesc(bool isMustHave, bool isReadOnly = false) noexcept
        : presence(isMustHave ? Presence::MustHave : Presence::Optional), readOnly(isReadOnly) {}
    ComponentRequirementDesc(Presence wanted, Access access) noexcept
        : presence(wanted), readOnly(access == Access::ReadOnly) {}

    // The entity has the component.
    static ComponentRequirementDesc mustHave(Access access = Access::ReadWrite) noexcept {
        return {Presence::MustHave, access};
    }
    // It may lack it: its row of the column is EMPTY then.
    static ComponentRequirementDesc optional(Access access = Access::ReadWrite) noexcept {
        return {Presence::Optional, access};
    }
    // It does not have it.
    static ComponentRequirementDesc without() noexcept {
        return {Presence::Without, Access::ReadOnly};
    }

    // Access makes no difference to a component that must be absent.
    friend std::strong_ordering operator<=>(const ComponentRequirementDesc& a,
                                            const ComponentRequirementDesc& b) noexcept {
        if (a.presence != b.presence || a.presence == Presence::Without)
            return a.presence <=> b.presence;
        return a.readOnly <=> b.readOnly;
    }
    friend bool operator==(const ComponentRequirementDesc& a,
                           const ComponentRequirementDesc& b) noexcept {
        return (a <=> b) == 0;
    }
};

// One component, at most once in a list of them.
struct Requirement {
    std::string component;
    ComponentRequirementDesc desc = {};

    friend auto operator<=>(const Requirement&, const Requirement&) = default;
};

using Requirements = std::vector<Requirement>;

}  // namespace revenant
