#include "rewind/record/outside_image.hpp"

#include <cstring>

#include "world/core/world_core.hpp"

namespace revenant {

OutsideImage takeOutsideImage(const WorldCore& world) {
    OutsideImage image;
    auto& components = const_cast<WorldCore&>(world).components();
    for (const OrderNode& node : world.forest().order.nodes()) {
        if (node.closes) continue;
        const EntityRecord& record = world.forest().recordOf(node);
        if (record.rewindable) continue;
        for (const ComponentTypeId id : record.shape->types()) {
            const ComponentType& type = components.at(id);
            if (type.hooks) continue;
            const std::byte* slot = record.slotOf(id);
            image.slots.push_back({record.id, id, image.bytes.size()});
            image.bytes.insert(image.bytes.end(), slot, slot + type.schema.size);
        }
    }
    return image;
}

void putBack(const OutsideImage& image, WorldCore& world) {
    for (const OutsideImage::Slot& each : image.slots) {
        const EntityRecord* record = world.forest().pool.find(each.id);
        std::byte* slot = record ? record->slotOf(each.type) : nullptr;
        if (!slot) continue;
        ComponentType& type = world.components().at(each.type);
        std::memcpy(slot, image.bytes.data() + each.offset, type.schema.size);
        type.pool.markChanged(slot, world.getClock());
    }
}

}  // namespace revenant
