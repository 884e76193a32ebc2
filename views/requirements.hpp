// Requirements: what a view asks of an entity, by component name. A table keyed by name, so that
// two requests that say the same compare equal however they were written.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "world/storage/component_store.hpp"

namespace revenant {

enum class Presence : std::uint8_t { MustHave, Optional, Without };

struct ComponentRequirementDesc {
    Presence presence = Presence::MustHave;
    bool readOnly = false;

    ComponentRequirementDesc() = default;
    explicit ComponentRequirementDesc(bool mustHave, bool isReadOnly = false) noexcept
        : presence(mustHave ? Presence::MustHave : Presence::Optional), readOnly(isReadOnly) {}
    static ComponentRequirementDesc without() noexcept {
        ComponentRequirementDesc desc;
        desc.presence = Presence::Without;
        desc.readOnly = true;
        return desc;
    }

    // How one would access what must not be there makes no difference.
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

using Requirements = std::map<std::string, ComponentRequirementDesc, std::less<>>;

// Which rows a view has: requests with equal signatures share them, whatever their access.
struct ViewSignature {
    std::vector<ComponentTypeId> mustHave;  // all ascending
    std::vector<ComponentTypeId> optional;
    std::vector<ComponentTypeId> without;

    bool matches(const Shape& shape) const noexcept {
        for (const ComponentTypeId type : mustHave)
            if (!shape.has(type)) return false;
        for (const ComponentTypeId type : without)
            if (shape.has(type)) return false;
        return true;
    }
    friend auto operator<=>(const ViewSignature&, const ViewSignature&) = default;
};

// Throws Error{UnknownComponent} for a name that is not defined.
ViewSignature signatureOf(ComponentStore& components, const Requirements& requirements);

}  // namespace revenant
