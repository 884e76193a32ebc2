#include "views/rows/view_signature.hpp"

#include <algorithm>

#include "world/storage/component_store.hpp"

namespace revenant {

ViewSignature signatureOf(ComponentStore& components, const Requirements& requirements) {
    ViewSignature signature;
    for (const auto& [name, desc] : requirements) {
        const ComponentTypeId type = components.require(name).id;
        switch (desc.presence) {
            case Presence::MustHave: signature.mustHave.push_back(type); break;
            case Presence::Optional: signature.optional.push_back(type); break;
            case Presence::Without: signature.without.push_back(type); break;
        }
    }
    std::ranges::sort(signature.mustHave);
    std::ranges::sort(signature.optional);
    std::ranges::sort(signature.without);
    return signature;
}

}  // namespace revenant
