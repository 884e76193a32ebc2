#include "world/storage/fresh_components.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace revenant {

FreshComponents::FreshComponents(ComponentStore& store, std::vector<Component> components)
    : store_(&store), components_(std::move(components)) {
    std::ranges::sort(components_, {}, [](const Component& each) { return each.type->id; });
    std::vector<ComponentTypeId> types;
    for (const Component& each : components_) types.push_back(each.type->id);
    shape_ = store.shapes().find(types);
}

void FreshComponents::bindTo(EntityRecord& record, Clock now) const {
    std::size_t bound = 0;
    try {
        for (; bound < components_.size(); ++bound) {
            const Component& each = components_[bound];
            each.type->pool.makePlace(record.id.index);
            std::byte* slot = each.type->pool.allocate(record.id.index, nullptr, now);
            std::memcpy(slot, each.bytes.data(), each.bytes.size());
            each.type->pool.setPlace(record.id.index, slot);
        }
    } catch (...) {
        while (bound-- > 0) {
            ComponentPool& pool = components_[bound].type->pool;
            pool.free(pool.at(pool.findPlace(record.id.index)));
            pool.clearPlace(record.id.index);
        }
        throw;
    }
    store_->noteMove();
    record.shape = shape_;
    record.rebound = true;
}

}  // namespace revenant
