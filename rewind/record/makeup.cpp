#include "rewind/record/makeup.hpp"

#include <cstring>

#include "rewind/record/component_words.hpp"
#include "rewind/record/shadow.hpp"
#include "world/core/restorer.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

std::size_t imageWords(const Shape& shape, const ComponentStore& components) {
    std::size_t words = 0;
    for (const ComponentTypeId id : shape.types())
        words += 1 + wordsIn(components.at(id).schema.size);
    return words;
}

}  // namespace

Words wordsAt(const ComponentType& type, const std::byte* slot) {
    Words words(wordsIn(type.schema.size), 0);
    std::memcpy(words.data(), slot, type.schema.size);
    return words;
}

void appendImage(Words& image, const ComponentType& type, const std::byte* slot) {
    const std::size_t words = wordsIn(type.schema.size);
    const std::size_t at = image.size();
    image.resize(at + 1 + words, 0);
    image[at] = headOf(type.id, words);
    std::memcpy(&image[at + 1], slot, type.schema.size);
}

Makeup makeupOf(const EntityRecord& record, const ComponentStore& components) {
    Makeup makeup;
    makeup.disabled = record.disabledComponents;
    makeup.enabled = record.enabled;
    const auto& types = record.shape->types();
    makeup.image.reserve(imageWords(*record.shape, components));
    for (std::size_t i = 0; i < types.size(); ++i)
        appendImage(makeup.image, components.at(types[i]), record.slots[i]);
    return makeup;
}

Makeup settledMakeupOf(const EntityRecord& record, const Looks& looks, const Shadow& shadow,
                       const ComponentStore& components) {
    Makeup makeup;
    makeup.disabled = looks.disabled;
    makeup.enabled = looks.enabled;
    makeup.image.reserve(imageWords(*looks.shape, components));
    for (const ComponentTypeId id : looks.shape->types()) {
        const ComponentType& type = components.at(id);
        if (const std::byte* slot = shadow.trackedSlotOf(record, type))
            appendImage(makeup.image, type, slot);
    }
    return makeup;
}

Makeup recordedMakeupOf(const EntityRecord& record, const Looks& looks, const Shadow& shadow,
                        const ComponentStore& components) {
    Makeup makeup;
    makeup.disabled = looks.disabled;
    makeup.enabled = looks.enabled;
    for (const ComponentTypeId id : looks.shape->types()) {
        const ComponentType& type = components.at(id);
        const std::byte* slot = record.slotOf(id);
        const std::byte* bytes = slot ? shadow.copyOf(type, slot) : nullptr;
        for (const RetiredSlot& retired : components.retired())
            if (!bytes && retired.owner == record.id.index && retired.type == id)
                bytes = shadow.copyOf(type, retired.slot);
        const std::size_t words = wordsIn(type.schema.size);
        const std::size_t at = makeup.image.size();
        makeup.image.resize(at + 1 + words, 0);
        makeup.image[at] = headOf(id, words);
        if (bytes) std::memcpy(&makeup.image[at + 1], bytes, type.schema.size);
    }
    return makeup;
}

bool isMadeOf(const EntityRecord& record, const Makeup& makeup, const ComponentStore& components) {
    if (makeup.enabled != record.enabled || makeup.disabled != record.disabledComponents)
        return false;
    const Words& image = makeup.image;
    const auto& types = record.shape->types();
    std::size_t at = 0;
    for (std::size_t i = 0; i < types.size(); ++i) {
        if (at == image.size() || typeOf(image[at]) != types[i]) return false;
        const std::size_t size = components.at(types[i]).schema.size;
        if (std::memcmp(&image[at + 1], record.slots[i], size) != 0) return false;
        at += 1 + wordsOf(image[at]);
    }
    return at == image.size();
}

void makeUp(EntityRecord& record, const Makeup& makeup, WorldCore& world) {
    ComponentStore& components = world.components();
    Restorer restorer(world);
    const Words& image = makeup.image;
    if (record.managed) {
        const auto types = record.shape->types();
        for (const ComponentTypeId type : types)
            if (findInImage(image, type) == image.size())
                restorer.unbindComponent(record, components.at(type));
    } else {
        restorer.strip(record);
    }
    for (std::size_t at = 0; at < image.size(); at += 1 + wordsOf(image[at])) {
        ComponentType& type = components.at(typeOf(image[at]));
        std::byte* slot = record.slotOf(type.id);
        if (!slot) slot = components.bind(world.forest().pool, record, type, world.getClock());
        std::memcpy(slot, &image[at + 1], type.schema.size);
        type.pool.markChanged(slot, world.getClock());
    }
    if (record.managed)
        restorer.setEnabled(record, makeup.enabled, makeup.disabled);
    else
        Restorer::setEnabledOutside(record, makeup.enabled, makeup.disabled);
}

}  // namespace revenant
