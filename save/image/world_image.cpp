#include "save/image/world_image.hpp"

#include <map>
#include <optional>
#include <utility>

#include "save/image/entity_references.hpp"
#include "save/image/row_packing.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

class ImageTaker {
public:
    explicit ImageTaker(WorldCore& world)
        : world_(world), forest_(world.forest()), translate_([this](EntityId id) {
              return EntityId{numberOf(id), numberOf(id) == 0 ? 0U : 1U};
          }) {}

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
        image_.globals.mainCharacter = translate_(image_.globals.mainCharacter);
        image_.globals.mainCamera = translate_(image_.globals.mainCamera);
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
        image_.entities.push_back({numberOf(record.name), parent, record.serial, makeupOf(record),
                                   record.enabled, record.rewindable});
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
                    [this](EntityId id) { return std::uint64_t{numberOf(id)}; });
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
            state.bytes = translatePlain(state.bytes, translate_);
    }

    void takeResources() {
        for (const auto& [name, resource] : world_.resources().all())
            if (const auto* value = std::any_cast<Value>(&resource.value); value && resource.rewind)
                image_.resources.emplace(name, name == WorldCore::queueName
                                                   ? queueForSave(*value, translate_)
                                                   : translateValue(*value, translate_));
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
                saved.state = translatePlain(saved.state, translate_);
        }
    }

    WorldCore& world_;
    Forest& forest_;
    EntityTranslation translate_;
    SaveImage image_;
    std::vector<EntityRecord*> records_;
    std::vector<std::uint32_t> numbers_;               // by entity index
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
