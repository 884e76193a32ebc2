// ViewSignature: which rows a view has. Requests with equal signatures share them, whatever their access.
#pragma once

#include <compare>
#include <vector>

#include "views/requirements.hpp"
#include "world/component_type_id.hpp"
#include "world/storage/shape.hpp"

namespace revenant {

class ComponentStore;

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
