// FreshComponents: what an entity is made with. Binds all of it to a new entity at once, as ComponentStore::bind would one
// component after the other; their shape is looked up once, not at every entity.
#pragma once

#include <cstddef>
#include <vector>

#include "world/storage/component_store.hpp"

namespace revenant {

class FreshComponents {
public:
    struct Component {
        ComponentType* type = nullptr;
        std::vector<std::byte> bytes;  // as many as the schema says
    };

    FreshComponents() = default;
    // REQUIRES: each is of another type, and none has a family. `store` outlives this.
    FreshComponents(ComponentStore& store, std::vector<Component> components);

    const std::vector<Component>& all() const noexcept { return components_; }
    bool empty() const noexcept { return components_.empty(); }
    // If memory runs out, the record has none of them.
    // REQUIRES: it is detached, has no component and no parent; there are no more than maxComponentsPerEntity.
    void bindTo(EntityRecord& record, Clock now) const;

private:
    ComponentStore* store_ = nullptr;
    const Shape* shape_ = nullptr;
    std::vector<Component> components_;  // ascending by type, as in the shape
};

}  // namespace revenant
