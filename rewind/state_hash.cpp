#include "rewind/state_hash.hpp"

#include <cstring>

#include "rewind/plain_hash.hpp"
#include "world/world.hpp"

namespace revenant {

namespace {

std::uint64_t hashText(const std::string& text) {
    return XXH3_64bits(text.data(), text.size());
}

std::uint64_t serialOf(const World& world, EntityId id) {
    if (id.isNull() || id.index >= world.forest().pool.count()) return 0;
    const EntityRecord& record = world.forest().pool.at(id.index);
    if (record.id == id) return record.serial;
    return world.forest().lostSerials.find(id);
}

std::uint64_t hashValue(const World& world, const Value& value, std::uint64_t seed) {
    seed += value.index();
    if (const auto* flag = value.as<bool>()) return XXH3_64bits_withSeed(flag, sizeof *flag, seed);
    if (const auto* whole = value.as<std::int64_t>())
        return XXH3_64bits_withSeed(whole, sizeof *whole, seed);
    if (const auto* number = value.as<double>())
        return XXH3_64bits_withSeed(number, sizeof *number, seed);
    if (const auto* text = value.as<std::string>())
        return XXH3_64bits_withSeed(text->data(), text->size(), seed);
    if (const auto* id = value.as<EntityId>()) {
        const std::uint64_t serial = serialOf(world, *id);
        return XXH3_64bits_withSeed(&serial, sizeof serial, seed);
    }
    if (const auto* values = value.as<ValueArray>())
        for (const Value& each : *values) seed = hashValue(world, each, seed);
    return seed;
}

std::uint64_t hashFields(const World& world, const ComponentSchema& schema, const std::byte* bytes,
                         std::uint64_t seed) {
    for (const Field& field : schema.fields)
        for (std::uint32_t i = 0; i < field.count; ++i) {
            const std::size_t size = sizeOf(field.type);
            const std::byte* at = bytes + field.offset + i * size;
            if (field.type == FieldType::Entity) {
                EntityId id;
                std::memcpy(&id, at, sizeof id);
                const std::uint64_t serial = serialOf(world, id);
                seed = XXH3_64bits_withSeed(&serial, sizeof serial, seed);
            } else if (field.type == FieldType::String) {
                StringId id;
                std::memcpy(&id, at, sizeof id);
                const std::uint64_t text = hashText(world.components().strings().text(id));
                seed = XXH3_64bits_withSeed(&text, sizeof text, seed);
            } else {
                seed = XXH3_64bits_withSeed(at, size, seed);
            }
        }
    return seed;
}

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

std::uint64_t componentHash(const World& world, std::uint32_t ownerSerial,
                            const ComponentType& type, const std::byte* bytes) {
    if (isPlain(type.schema)) return plainHash(ownerSerial, type.id, bytes, type.schema.size);
    return hashFields(world, type.schema, bytes, componentSeed(ownerSerial, type.id));
}

std::uint64_t hookedHash(const ComponentType& type, std::uint32_t ownerSerial,
                         std::span<const std::byte> state) {
    const std::uint64_t hash = type.hooks->hashRewindState(state);
    return XXH3_64bits_withSeed(&hash, sizeof hash, componentSeed(ownerSerial, type.id));
}

std::uint64_t systemHash(const std::string& name, std::span<const std::byte> state) {
    return XXH3_64bits_withSeed(state.data(), state.size(), hashText(name));
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

std::uint64_t structureHash(const World& world, const EntityRecord& record, const Looks& looks) {
    const Forest& forest = world.forest();
    const EntityRecord* parent = forest.settledParentOf(record);
    const EntityRecord* elder = forest.settledElderOf(record);
    std::uint64_t parts[] = {record.serial,
                             parent ? parent->serial : 0U,
                             elder ? elder->serial : 0U,
                             looks.enabled,
                             hashText(world.components().strings().text(record.name)),
                             0};
    const auto& types = looks.shape->types();
    for (std::size_t i = 0; i < types.size(); ++i)
        parts[5] += XXH3_64bits_withSeed(&types[i], sizeof types[i], looks.disabled >> i & 1);
    return XXH3_64bits(parts, sizeof parts);
}

std::uint64_t globalsHash(const World& world) {
    const World::Globals globals = world.getGlobals();
    std::uint64_t parts[] = {serialOf(world, globals.mainCharacter),
                             serialOf(world, globals.mainCamera),
                             0,
                             globals.random[0],
                             globals.random[1],
                             globals.random[2],
                             globals.random[3],
                             globals.lastSerial,
                             globals.ticks};
    std::memcpy(&parts[2], &globals.seconds, sizeof globals.seconds);
    return XXH3_64bits(parts, sizeof parts);
}

std::uint64_t resourcesHash(const World& world) {
    std::uint64_t sum = 0;
    for (const auto& [name, resource] : world.resources().all())
        if (const auto* value = std::any_cast<Value>(&resource.value); value && resource.rewind)
            sum += hashValue(world, *value, hashText(name));
    return sum;
}

std::uint64_t finishHash(std::uint64_t sum, std::uint64_t globals,
                         std::uint64_t resources) noexcept {
    const std::uint64_t parts[] = {sum, globals, resources};
    return XXH3_64bits(parts, sizeof parts);
}

std::uint64_t stateHash(World& world) {
    std::uint64_t sum = 0;
    std::vector<std::byte> state;
    for (const OrderNode& node : world.forest().order.nodes()) {
        const EntityRecord& record = world.forest().recordOf(node);
        if (node.closes || !isRewindable(record)) continue;
        sum +=
            structureHash(world, record, {record.shape, record.disabledComponents, record.enabled});
        const auto& types = record.shape->types();
        for (std::size_t i = 0; i < types.size(); ++i) {
            const ComponentType& type = world.components().at(types[i]);
            if (!type.hooks) {
                sum += componentHash(world, record.serial, type, record.slots[i]);
                continue;
            }
            state.clear();
            type.hooks->getRewindState(record.id, record.slots[i], state);
            sum += hookedHash(type, record.serial, state);
        }
    }
    for (const auto& system : world.getSystems())
        if (hasState(*system)) {
            state.clear();
            getState(*system, state);
            sum += systemHash(system->getName(), state);
        }
    return finishHash(sum, globalsHash(world), resourcesHash(world));
}

}  // namespace revenant
