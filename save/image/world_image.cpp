#include "save/image/world_image.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "save/image/entity_references.hpp"
#include "save/image/row_packing.hpp"
#include "world/core/world_core.hpp"
#include "world/forest/entity_serial.hpp"

namespace revenant {

namespace {

class ImageTaker {
public:
    explicit ImageTaker(WorldCore& world)
        : world_(world),
          forest_(world.forest()),
          translate_([this](EntityId id) { return referenceTo(id); }),
          translateComponent_([this](const PlainComponent& each) { return referenceTo(each); }) {}

    SaveImage take() {
        const TickScope still(world_);
        numbers_.resize(forest_.pool.count());
        gather();
        image_.entities.reserve(records_.size());
        for (const EntityRecord* record : records_) addEntity(*record);
        takeComponents();
        takeResources();
        takeSystems();
        image_.globals = world_.getGlobals();
        image_.globals.mainCharacter = specialOf(image_.globals.mainCharacter);
        image_.globals.mainCamera = specialOf(image_.globals.mainCamera);
        sortUnknown();
        return std::move(image_);
    }

private:
    // Roots keep their places; those that move or come in follow, in the order of their requests.
    void gather() {
        for (const OrderNode& node : forest_.order.nodes()) {
            EntityRecord& record = forest_.recordOf(node);
            if (!node.closes && !record.parent && record.wantsIn() && !record.moved)
                addTree(record);
        }
        forest_.pending.forEach([this](EntityRecord& record) {
            if (record.wantsIn() && !record.parent && (!record.managed || record.moved))
                addTree(record);
        });
    }
    void addTree(EntityRecord& top) {
        bool isSaved = false;
        for (EntityRecord* at = &top; at; at = nextInSubtree(at, &top, isSaved)) {
            isSaved = at->wantsIn() && at->persistent;
            if (!isSaved) continue;
            records_.push_back(at);
            numbers_[at->id.index] = static_cast<std::uint32_t>(records_.size());
        }
    }

    std::uint32_t numberOf(EntityId id) const noexcept {
        if (id.index >= numbers_.size() || numbers_[id.index] == 0) return 0;
        return records_[numbers_[id.index] - 1]->id == id ? numbers_[id.index] : 0;
    }
    // Whether the next reconcile destroys it, with an entity that leaves, and no serial of it is kept.
    bool isLost(EntityId id) const noexcept {
        const EntityRecord* at = forest_.keepsRoots ? nullptr : forest_.pool.find(id);
        bool leaves = false;
        for (; at && !at->wantsIn(); at = at->parent) {
            if (at->ownRefs > 0) return false;
            leaves = leaves || at->isDeparting();
        }
        return leaves;
    }
    std::uint32_t lastingSerialOf(EntityId id) const {
        return isLost(id) ? 0 : serialOf(forest_, id);
    }
    EntityId referenceTo(EntityId id) {
        if (id.isNull()) return {};
        if (const std::uint32_t number = numberOf(id)) return {number, SavedReference::there};
        if (const std::uint32_t serial = lastingSerialOf(id)) return {serial, SavedReference::gone};
        const auto next = static_cast<std::uint32_t>(unknown_.size() + 1);
        const auto [found, isNew] = unknownNumbers_.try_emplace(id, next);
        if (isNew) unknown_.push_back(id);
        return {found->second, SavedReference::unknown};
    }
    PlainComponent referenceTo(const PlainComponent& component) {
        PlainComponent reference{referenceTo(component.owner), PlainComponent::unknownTable,
                                 component.name};
        const ComponentType* type = world_.components().find(std::string(component.name));
        if (reference.owner.generation != SavedReference::there || !type) return reference;
        const EntityRecord& record = *records_[reference.owner.index - 1];
        if (!record.slotOf(type->id) || isBaseOfAnother(record.shape->types(), type->id))
            reference.table = PlainComponent::lostTable;
        return reference;
    }
    // In rows, which do not tell entities without a serial apart.
    std::uint64_t packedReferenceTo(EntityId id) const {
        if (id.isNull()) return 0;
        if (const std::uint32_t number = numberOf(id)) return number;
        const std::uint32_t serial = lastingSerialOf(id);
        return serial == 0 ? 0 : SavedReference::pack({serial, SavedReference::gone});
    }
    // The main character or camera: one that leaves is none any more.
    EntityId specialOf(EntityId id) const {
        const EntityRecord* record = forest_.pool.find(id);
        if (record && record->isDeparting()) return {};
        return SavedReference::unpack(packedReferenceTo(id));
    }
    std::uint32_t numberOf(StringId id) {
        if (id.value >= strings_.size()) strings_.resize(id.value + 1);
        if (strings_[id.value] == 0) {
            image_.strings.push_back(world_.components().strings().text(id));
            strings_[id.value] = static_cast<std::uint32_t>(image_.strings.size());
        }
        return strings_[id.value] - 1;
    }

    void addEntity(const EntityRecord& record) {
        const std::uint32_t parent = record.parent ? numbers_[record.parent->id.index] : 0;
        image_.entities.push_back({numberOf(record.name), parent, savedSerialOf(record),
                                   makeupOf(record), record.enabled, record.rewindable});
    }
    // While the past is shown, an entity that is not rewindable may have been made after it. It gets the serial of a stray, as
    // where play resumes: the loaded world hands its own out again.
    std::uint32_t savedSerialOf(const EntityRecord& record) noexcept {
        const bool isLater = record.serial > forest_.lastSerial;
        return isLater && !Forest::isStraySerial(record.serial) ? nextStray_-- : record.serial;
    }
    std::uint32_t makeupOf(const EntityRecord& record) {
        const auto key = std::pair(record.shape->id(), record.disabledComponents());
        if (key == lastKey_ && !makeups_.empty()) return lastMakeup_;
        const auto [found, isNew] =
            makeups_.try_emplace(key, static_cast<std::uint32_t>(image_.makeups.size()));
        if (isNew) addMakeup(record);
        lastKey_ = key;
        return lastMakeup_ = found->second;
    }
    void addMakeup(const EntityRecord& record) {
        SavedMakeup& makeup = image_.makeups.emplace_back();
        auto& positions = positions_.emplace_back();
        const auto& types = record.shape->types();
        for (std::size_t i = 0; i < types.size(); ++i) {
            if (isBaseOfAnother(types, types[i])) continue;
            if ((record.disabledComponents() >> i & 1) != 0)
                makeup.disabled |= std::uint64_t{1} << makeup.components.size();
            makeup.components.push_back(componentOf(types[i]));
            positions.push_back(i);
        }
    }
    // It comes with the other one.
    bool isBaseOfAnother(const std::vector<ComponentTypeId>& types, ComponentTypeId type) const {
        for (const ComponentTypeId other : types)
            for (const ComponentType* base = world_.components().at(other).base; base;
                 base = base->base)
                if (base->id == type) return true;
        return false;
    }
    std::uint32_t componentOf(ComponentTypeId id) {
        if (components_.size() <= id) components_.resize(world_.components().count(), -1);
        if (components_[id] < 0) {
            const ComponentType& type = world_.components().at(id);
            components_[id] = static_cast<std::int32_t>(image_.components.size());
            SavedComponent& component = image_.components.emplace_back();
            component.name = type.schema.name;
            component.version = type.version;
            if (type.hooks && type.hooks->isRewound())
                component.stateKind =
                    type.hooks->isPlainData() ? StateKind::Plain : StateKind::Bytes;
            types_.push_back(&type);
            packings_.emplace_back(type.schema, component);
        }
        return static_cast<std::uint32_t>(components_[id]);
    }

    void takeComponents() {
        for (const SavedEntity& entity : image_.entities)
            for (const std::uint32_t number : image_.makeups[entity.makeup].components)
                ++image_.components[number].rowCount;
        for (SavedComponent& component : image_.components) {
            component.rows.resize(std::size_t{component.rowCount} * component.rowBytes);
            if (component.stateKind == StateKind::None) continue;
            component.states.reserve(component.rowCount);
            component.stateOfRow.reserve(component.rowCount);
        }
        std::vector<std::byte*> rows;
        for (SavedComponent& component : image_.components) rows.push_back(component.rows.data());
        for (std::size_t i = 0; i < records_.size(); ++i) {
            const std::uint32_t number = image_.entities[i].makeup;
            const SavedMakeup& makeup = image_.makeups[number];
            for (std::size_t k = 0; k < makeup.components.size(); ++k) {
                const std::uint32_t which = makeup.components[k];
                const std::byte* slot = records_[i]->slotAt(positions_[number][k]);
                packings_[which].pack(
                    slot, rows[which], [this](StringId id) { return numberOf(id); },
                    [this](EntityId id) { return packedReferenceTo(id); });
                rows[which] += image_.components[which].rowBytes;
                if (image_.components[which].stateKind != StateKind::None)
                    takeState(*records_[i], *types_[which], slot, image_.components[which]);
            }
        }
    }
    void takeState(const EntityRecord& record, const ComponentType& type, const std::byte* slot,
                   SavedComponent& component) {
        if (!type.hooks->hasRewindState(slot)) return component.addNoState();
        SavedState& state = component.addState();
        state.make = type.hooks->getMake(record.id, slot);
        type.hooks->getRewindState(record.id, slot, state.bytes);
        if (component.stateKind == StateKind::Plain)
            state.bytes = translatePlain(state.bytes, translate_, translateComponent_);
    }

    void takeResources() {
        for (const auto& [name, resource] : world_.resources().all())
            if (const auto* value = std::any_cast<Value>(&resource.value); value && resource.rewind)
                image_.resources.emplace(name, translateValue(*value, translate_));
    }
    void takeSystems() {
        for (const auto& system : world_.getSystems()) {
            const bool hasState = system->hasRewindState();
            if (!hasState && system->getOptions().fixedStepSeconds <= 0) continue;
            SavedSystem& saved = image_.systems.emplace_back();
            saved.name = system->getName();
            saved.accumulatedSeconds = system->getAccumulatedSeconds();
            if (!hasState) continue;
            saved.stateKind = system->isPlainData() ? StateKind::Plain : StateKind::Bytes;
            system->getRewindState(saved.state);
            if (saved.stateKind == StateKind::Plain)
                saved.state = translatePlain(saved.state, translate_, translateComponent_);
        }
    }

    // Numbers those that are not known in the order of their handles, in which tables hold them as keys.
    void sortUnknown() {
        if (std::ranges::is_sorted(unknown_)) return;
        std::vector<EntityId> sorted = unknown_;
        std::ranges::sort(sorted);
        const EntityTranslation sort = [&](EntityId id) {
            if (id.generation != SavedReference::unknown) return id;
            const auto found = std::ranges::lower_bound(sorted, unknown_[id.index - 1]);
            return EntityId{static_cast<std::uint32_t>(found - sorted.begin() + 1), id.generation};
        };
        for (SavedComponent& component : image_.components)
            if (component.stateKind == StateKind::Plain)
                for (SavedState& state : component.states)
                    state.bytes = translatePlain(state.bytes, sort);
        for (SavedSystem& system : image_.systems)
            if (system.stateKind == StateKind::Plain)
                system.state = translatePlain(system.state, sort);
        for (auto& [name, value] : image_.resources) value = translateValue(value, sort);
    }

    WorldCore& world_;
    Forest& forest_;
    std::uint32_t nextStray_ = forest_.nextStraySerial;
    EntityTranslation translate_;
    ComponentTranslation translateComponent_;
    SaveImage image_;
    std::vector<EntityRecord*> records_;
    std::vector<std::uint32_t> numbers_;  // by entity index
    std::vector<EntityId> unknown_;       // not in the save, and without a serial
    std::unordered_map<EntityId, std::uint32_t> unknownNumbers_;
    std::vector<std::uint32_t> strings_;               // by string id: number + 1
    std::vector<std::int32_t> components_;             // by type
    std::vector<const ComponentType*> types_;          // by number
    std::vector<RowPacking> packings_;                 // by number
    std::vector<std::vector<std::size_t>> positions_;  // by makeup: of its components in the shape
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> makeups_;
    std::pair<std::uint32_t, std::uint64_t> lastKey_;
    std::uint32_t lastMakeup_ = 0;
};

}  // namespace

SaveImage takeImage(WorldCore& world) {
    return ImageTaker(world).take();
}

}  // namespace revenant
