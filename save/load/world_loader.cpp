#include "save/load/world_loader.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "save/load/component_fit.hpp"
#include "save/load/system_states.hpp"
#include "world/core/replacement.hpp"
#include "world/forest/entity_serial.hpp"

namespace revenant {

namespace {

// The type of each component; none for those that are left out.
std::vector<std::optional<ComponentFit>> fitsOf(const SaveImage& image, WorldCore& world,
                                                const LoadOptions& options) {
    std::vector<std::optional<ComponentFit>> fits;
    for (const SavedComponent& saved : image.components) {
        fits.emplace_back();
        if (std::ranges::find(options.drop, saved.name) != options.drop.end()) continue;
        ComponentType* type = world.components().find(saved.name);
        if (!type)
            fail(ErrorCode::UnknownComponent, "component '", saved.name,
                 "' is in the save, but not defined here; define it before loading, or name it in "
                 "the option drop");
        fits.back().emplace(saved, *type);
    }
    // Two types may have joined one family since; an entity may not have components of both.
    for (const SavedMakeup& makeup : image.makeups) {
        std::vector<const ComponentType*> families;
        for (const std::uint32_t number : makeup.components) {
            if (!fits[number] || !fits[number]->type().family) continue;
            const ComponentType* family = fits[number]->type().family;
            if (std::ranges::find(families, family) != families.end())
                fail(ErrorCode::WrongType, "component '", image.components[number].name,
                     "' has the same base as another component of an entity in the save; an entity "
                     "has one component of a family at most");
            families.push_back(family);
        }
    }
    return fits;
}

class Loader {
public:
    Loader(const SaveImage& image, WorldCore& world, const LoadOptions& options)
        : image_(image), world_(world), fits_(fitsOf(image, world, options)), content_(world) {}

    void run() {
        makeEntities();
        makeComponents();
        restoreStates();
        for (const auto& [name, value] : image_.resources)
            content_.resources.emplace(name, name == WorldCore::queueName
                                                 ? queueOfSave(value, names_.entityOf)
                                                 : translateValue(value, names_.entityOf));
        content_.globals = image_.globals;
        content_.globals.mainCharacter = names_.entityOf(image_.globals.mainCharacter);
        content_.globals.mainCamera = names_.entityOf(image_.globals.mainCamera);
        checkQueue();
        content_.check();
        SystemStates systems(image_, world_, names_.entityOf);
        systems.give();
        content_.apply();
    }

private:
    EntityRecord& recordOf(std::size_t number) const { return *content_.added()[number - 1]; }

    EntityId handleOf(EntityId reference) const {
        switch (reference.generation) {
            case SavedReference::there: return recordOf(reference.index).id;
            case SavedReference::gone: return GoneEntity::withSerial(reference.index);
            case SavedReference::unknown: return GoneEntity::unknown(reference.index);
            default: return {};
        }
    }

    void makeEntities() {
        std::uint32_t& nextStray = world_.forest().nextStraySerial;
        content_.reserve(image_.entities.size());  // each that is made is added
        for (const SavedEntity& saved : image_.entities) {
            if (Forest::isStraySerial(saved.serial))
                nextStray = std::min(nextStray, saved.serial - 1);
            const Entity made = world_.newEntity(image_.strings[saved.name]);
            EntityRecord& record = world_.requireRecord(made, "load");
            content_.add(record, {saved.serial, saved.enabled, saved.rewindable},
                         saved.parent == 0 ? nullptr : &recordOf(saved.parent));
        }
    }

    void makeComponents() {
        std::vector<std::uint32_t> rows(image_.components.size());
        std::vector<std::byte> bytes;
        for (std::size_t i = 0; i < image_.entities.size(); ++i) {
            EntityRecord& record = recordOf(i + 1);
            const SavedMakeup& makeup = image_.makeups[image_.entities[i].makeup];
            for (const std::uint32_t number : makeup.components) {
                const std::uint32_t row = rows[number]++;
                if (fits_[number]) addComponent(record, i, number, row, bytes);
            }
            if (makeup.disabled != 0) disable(record, makeup);
        }
    }
    void addComponent(EntityRecord& record, std::size_t index, std::uint32_t number,
                      std::uint32_t row, std::vector<std::byte>& bytes) {
        const SavedComponent& saved = image_.components[number];
        ComponentType& type = fits_[number]->type();
        bytes.resize(type.schema.size);
        behindEntity(index, [&] {
            fits_[number]->write(saved.rows.data() + std::size_t{row} * saved.rowBytes, names_,
                                 world_.components().strings(), bytes.data());
        });
        const SavedState* state = type.hooks ? saved.findState(row) : nullptr;
        if (type.hooks)
            type.hooks->makeComponent(record.id, bytes.data(), state != nullptr,
                                      state ? state->make : std::string());
        std::size_t count = record.shape->count() + 1;
        for (const ComponentType* base = type.base; base; base = base->base) ++count;
        if (count > maxComponentsPerEntity)
            fail(ErrorCode::LimitReached, "entity '", image_.strings[image_.entities[index].name],
                 "' of the save would have more than ", maxComponentsPerEntity, " components");
        world_.bind(record, type, bytes.data());
        if (state) states_.push_back({&record, index, number, state});
    }
    void disable(EntityRecord& record, const SavedMakeup& makeup) {
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < makeup.components.size(); ++i) {
            const auto& fit = fits_[makeup.components[i]];
            if ((makeup.disabled >> i & 1) == 0 || !fit) continue;
            for (const ComponentType* type = &fit->type(); type; type = type->base)
                bits |= std::uint64_t{1} << record.shape->positionOf(type->id);
        }
        content_.disable(record, bits);
    }

    // Called when all entities are there, as states refer to them.
    void restoreStates() {
        for (const WaitingState& each : states_) {
            const SavedComponent& saved = image_.components[each.component];
            const ComponentFit& fit = *fits_[each.component];
            const std::vector<std::byte>& bytes = each.saved->bytes;
            std::vector<std::byte> state = saved.stateKind == StateKind::Plain
                                               ? translatePlain(bytes, names_.entityOf)
                                               : bytes;
            if (fit.isMigrated())
                behindEntity(each.index, [&] {
                    state = fit.type().migration->migrateState(state, saved.version);
                });
            fit.type().hooks->restoreRewindState(each.record->id,
                                                 each.record->slotOf(fit.type().id), state);
        }
    }

    StringId stringOf(std::uint32_t number) {
        if (strings_.empty()) strings_.resize(image_.strings.size());
        if (!strings_[number])
            strings_[number] = world_.components().strings().internField(image_.strings[number]);
        return *strings_[number];
    }

    // Errors begin with the entity.
    template <class Work>
    void behindEntity(std::size_t index, Work work) const {
        try {
            work();
        } catch (const Error& error) {
            error.throwBehind(sentence("entity ", index + 1, " '",
                                       image_.strings[image_.entities[index].name], "': "));
        }
    }

    // Queued events must have the form that `queue` gives them, and be events of this game.
    void checkQueue() const {
        const auto found = content_.resources.find(std::string(WorldCore::queueName));
        if (found == content_.resources.end()) return;
        const auto* events = found->second.as<ValueArray>();
        for (std::size_t i = 0; events && i < events->size(); ++i) {
            const auto* parts = (*events)[i].as<ValueArray>();
            const auto* name =
                parts && parts->size() == 3 ? (*parts)[0].as<std::string>() : nullptr;
            if (!name || !((*parts)[1].as<EntityId>() || (*parts)[1].isNone()))
                fail(ErrorCode::WrongType, "resource '", found->first, "': element ", i + 1,
                     " is no queued event: a name, an entity or none, and a detail");
            try {
                world_.listeners().requireEvent(*name);
            } catch (const Error& error) {
                error.throwBehind(sentence("resource '", found->first, "': "));
            }
        }
        if (!events)
            fail(ErrorCode::WrongType, "resource '", found->first,
                 "' must be an array of queued events");
    }

    struct WaitingState {
        EntityRecord* record;
        std::size_t index;  // of the entity
        std::uint32_t component;
        const SavedState* saved;
    };

    const SaveImage& image_;
    WorldCore& world_;
    std::vector<std::optional<ComponentFit>> fits_;
    Replacement content_;
    std::vector<std::optional<StringId>> strings_;
    std::vector<WaitingState> states_;
    SaveNames names_{[this](std::uint32_t number) { return stringOf(number); },
                     [this](EntityId id) { return handleOf(id); }, image_.strings};
};

}  // namespace

void checkFits(const SaveImage& image, WorldCore& world, const LoadOptions& options) {
    fitsOf(image, world, options);
}

void putIntoWorld(const SaveImage& image, WorldCore& world, const LoadOptions& options) {
    Loader(image, world, options).run();
}

}  // namespace revenant
