#include "rewind/record/makeup.hpp"

#include <cstring>
#include <iterator>

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

// Whether a component that the entity has is in the image. Where its type has hooks, other bytes are those of another component,
// which is bound anew, so that observers learn of both.
bool isInImage(std::span<const std::uint32_t> image, const EntityRecord& record,
               const ComponentType& type) {
    const std::size_t at = findInImage(image, type.id);
    if (at == image.size()) return false;
    return !type.hooks ||
           std::memcmp(record.slotOf(type.id), &image[at + 1], type.schema.size) == 0;
}

}  // namespace

Words wordsAt(const ComponentType& type, const std::byte* slot) {
    Words words;
    appendWords(words, type, slot);
    return words;
}

void appendWords(Words& words, const ComponentType& type, const std::byte* slot) {
    const std::size_t at = words.size();
    words.resize(at + wordsIn(type.schema.size));
    words.back() = 0;  // of which the bytes may be only a part
    std::memcpy(&words[at], slot, type.schema.size);
}

void appendImage(Words& image, const ComponentType& type, const std::byte* slot) {
    image.push_back(headOf(type.id, wordsIn(type.schema.size)));
    appendWords(image, type, slot);
}

void appendImage(Words& image, const EntityRecord& record, const ComponentStore& components) {
    const auto& types = record.shape->types();
    for (std::size_t i = 0; i < types.size(); ++i)
        appendImage(image, components.at(types[i]), record.slotAt(i));
}

Makeup makeupOf(const EntityRecord& record, const ComponentStore& components) {
    Makeup makeup;
    makeup.disabled = record.disabledComponents();
    makeup.enabled = record.enabled;
    makeup.image.reserve(imageWords(*record.shape, components));
    appendImage(makeup.image, record, components);
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
    if (makeup.enabled != record.enabled || makeup.disabled != record.disabledComponents())
        return false;
    const Words& image = makeup.image;
    const auto& types = record.shape->types();
    std::size_t at = 0;
    for (std::size_t i = 0; i < types.size(); ++i) {
        if (at == image.size() || typeOf(image[at]) != types[i]) return false;
        const std::size_t size = components.at(types[i]).schema.size;
        if (std::memcmp(&image[at + 1], record.slotAt(i), size) != 0) return false;
        at += 1 + wordsOf(image[at]);
    }
    return at == image.size();
}

Outer outerOf(const EntityRecord& record) noexcept {
    Outer outer;
    outer.state = record.removed ? Outer::State::Zombie : Outer::State::Detached;
    if (!record.parent || record.parent->managed) return outer;
    outer.parent = record.parent->id;
    const auto own = SiblingList::s_iterator_to(const_cast<EntityRecord&>(record));
    if (own != record.parent->children().begin()) outer.previous = std::prev(own)->id;
    return outer;
}

void makeUp(EntityRecord& record, std::span<const std::uint32_t> image, bool enabled,
            std::uint64_t disabled, WorldCore& world) {
    ComponentStore& components = world.components();
    Restorer restorer(world);
    if (record.managed) {
        const auto types = record.shape->types();
        for (const ComponentTypeId type : types)
            if (!isInImage(image, record, components.at(type)))
                restorer.unbindComponent(record, components.at(type));
    } else {
        restorer.strip(record);
    }
    for (std::size_t at = 0; at < image.size(); at += 1 + wordsOf(image[at])) {
        ComponentType& type = components.at(typeOf(image[at]));
        std::byte* slot = record.slotOf(type.id);
        if (!slot) slot = components.bind(record, type, world.getClock());
        std::memcpy(slot, &image[at + 1], type.schema.size);
        type.pool.markChanged(slot, world.getClock());
    }
    if (record.managed)
        restorer.setEnabled(record, enabled, disabled);
    else
        restorer.setEnabledOutside(record, enabled, disabled);
}

}  // namespace revenant
