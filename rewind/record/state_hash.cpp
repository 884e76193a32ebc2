#include "rewind/record/state_hash.hpp"

#include <cstring>

#include "rewind/record/hash_parts.hpp"
#include "rewind/state_hash.hpp"
#include "world/codec/plain_data.hpp"
#include "world/core/world_core.hpp"
#include "world/forest/entity_serial.hpp"

namespace revenant {

namespace {

struct WorldNames {
    const WorldCore& world;

    std::uint64_t serialOf(EntityId id) const { return revenant::serialOf(world.forest(), id); }
    const std::string& textOf(StringId id) const { return world.components().strings().text(id); }
};

}  // namespace

bool isRewindable(const EntityRecord& record) noexcept {
    for (const EntityRecord* at = &record; at; at = at->parent)
        if (!at->rewindable) return false;
    return true;
}

bool isPlain(const ComponentSchema& schema) noexcept {
    std::size_t covered = 0;
    for (const Field& field : schema.fields) {
        if (field.type == FieldType::Entity || field.type == FieldType::String) return false;
        covered += std::size_t{sizeOf(field.type)} * field.count;
    }
    return covered == schema.size;
}

std::uint64_t componentHash(const WorldCore& world, std::uint32_t ownerSerial,
                            const ComponentType& type, const std::byte* bytes) {
    if (isPlain(type.schema)) return plainHash(ownerSerial, type.id, bytes, type.schema.size);
    return fieldsHash(WorldNames{world}, type.schema, bytes, componentSeed(ownerSerial, type.id));
}

std::uint64_t hookedHash(const ComponentType& type, std::uint32_t ownerSerial,
                         std::span<const std::byte> state) {
    const std::uint64_t hash = type.hooks->hashRewindState(state);
    return XXH3_64bits_withSeed(&hash, sizeof hash, componentSeed(ownerSerial, type.id));
}

std::uint64_t systemHash(const std::string& name, std::span<const std::byte> state) {
    return XXH3_64bits_withSeed(state.data(), state.size(), textHash(name));
}

namespace {

// What getState writes before a hook's state.
constexpr std::size_t secondsBytes = sizeof(double);

}  // namespace

std::uint64_t systemHash(const WorldCore& world, const System* system, const std::string& name,
                         std::span<const std::byte> state) {
    if (!system || !system->isPlainData() || !mayNameEntities(state))
        return systemHash(name, state);
    std::vector<std::byte> named(state.begin(), state.begin() + secondsBytes);
    const auto plain = translatePlain(state.subspan(secondsBytes), [&](EntityId id) {
        const auto serial = static_cast<std::uint32_t>(WorldNames{world}.serialOf(id));
        return EntityId{serial, serial == 0 ? 0U : 1U};
    });
    named.insert(named.end(), plain.begin(), plain.end());
    return systemHash(name, named);
}

bool mayNameEntities(std::span<const std::byte> state) {
    if (state.size() <= secondsBytes) return false;
    bool isNaming = false;
    try {
        translatePlain(state.subspan(secondsBytes), [&](EntityId id) {
            isNaming = true;
            return id;
        });
    } catch (const Error&) {
        return false;  // bytes of its own
    }
    return isNaming;
}

bool hasState(const System& system) {
    return system.getOptions().fixedStepSeconds > 0 || system.hasRewindState();
}

void getState(System& system, std::vector<std::byte>& into) {
    const double seconds = system.getAccumulatedSeconds();
    const auto bytes = std::as_bytes(std::span(&seconds, 1));
    into.insert(into.end(), bytes.begin(), bytes.end());
    if (system.hasRewindState()) system.getRewindState(into);
}

std::uint64_t structureHash(const WorldCore& world, const EntityRecord& record,
                            const Looks& looks) {
    LooksHashes none;
    return structureHash(world, record, looks, none);
}

std::uint64_t structureHash(const WorldCore& world, const EntityRecord& record, const Looks& looks,
                            LooksHashes& last) {
    if (last.named != record.name) {
        last.named = record.name;
        last.name = textHash(world.components().strings().text(record.name));
    }
    if (last.shape != looks.shape || last.disabled != looks.disabled) {
        last.shape = looks.shape;
        last.disabled = looks.disabled;
        last.types = 0;
        const auto& types = looks.shape->types();
        for (std::size_t i = 0; i < types.size(); ++i)
            last.types += typeHash(types[i], (looks.disabled >> i & 1) != 0);
    }
    const Forest& forest = world.forest();
    const EntityRecord* parent = forest.settledParentOf(record);
    const EntityRecord* previous = forest.settledPreviousOf(record);
    const PlaceParts place{record.serial, parent ? parent->serial : 0U,
                           previous ? previous->serial : 0U, looks.enabled, last.name};
    return placeHash(place, last.types);
}

std::uint64_t globalsHash(const WorldCore& world) {
    return momentHash(WorldNames{world}, world.getGlobals());
}

std::uint64_t resourcesHash(const WorldCore& world) {
    std::uint64_t sum = 0;
    for (const auto& [name, resource] : world.resources().all())
        if (const auto* value = std::any_cast<Value>(&resource.value); value && resource.rewind)
            sum += valueHash(WorldNames{world}, *value, textHash(name));
    return sum;
}

std::uint64_t finishHash(std::uint64_t sum, std::uint64_t globals,
                         std::uint64_t resources) noexcept {
    const std::uint64_t parts[] = {sum, globals, resources};
    return XXH3_64bits(parts, sizeof parts);
}

std::uint64_t stateHash(const World& world) {
    // Hooks are asked, which changes nothing.
    return stateHash(WorldCore::of(const_cast<World&>(world)));
}

std::uint64_t stateHash(WorldCore& world) {
    std::uint64_t sum = 0;
    std::vector<std::byte> state;
    for (const OrderNode& node : world.forest().order.nodes()) {
        const EntityRecord& record = world.forest().recordOf(node);
        if (node.closes || !isRewindable(record)) continue;
        sum += structureHash(world, record,
                             {record.shape, record.disabledComponents(), record.enabled});
        const auto& types = record.shape->types();
        for (std::size_t i = 0; i < types.size(); ++i) {
            const ComponentType& type = world.components().at(types[i]);
            if (!type.hooks) {
                sum += componentHash(world, record.serial, type, record.slotAt(i));
                continue;
            }
            if (!type.hooks->isRewound() || !type.hooks->hasRewindState(record.slotAt(i))) continue;
            state.clear();
            type.hooks->getRewindState(record.id, record.slotAt(i), state);
            sum += hookedHash(type, record.serial, state);
        }
    }
    for (const auto& system : world.getSystems())
        if (hasState(*system)) {
            state.clear();
            getState(*system, state);
            sum += systemHash(world, system.get(), system->getName(), state);
        }
    return finishHash(sum, globalsHash(world), resourcesHash(world));
}

}  // namespace revenant
