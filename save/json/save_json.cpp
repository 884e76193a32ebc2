#include "save/json/save_json.hpp"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "save/json/json_plain.hpp"
#include "world/error.hpp"

namespace revenant {

namespace {

template <class T>
T load(const std::byte* at) noexcept {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

Json elementToJson(const SaveImage& image, FieldType type, const std::byte* at) {
    switch (type) {
        case FieldType::F32: return numberToJson(load<float>(at));
        case FieldType::F64: return numberToJson(load<double>(at));
        case FieldType::I32: return load<std::int32_t>(at);
        case FieldType::U32: return load<std::uint32_t>(at);
        case FieldType::I64: return load<std::int64_t>(at);
        case FieldType::U8: return load<std::uint8_t>(at);
        case FieldType::Bool: return load<std::uint8_t>(at) != 0;
        case FieldType::String: return textToJson(image.strings[load<std::uint32_t>(at)]);
        case FieldType::Entity: break;
    }
    const auto number = load<std::uint64_t>(at);
    return number == 0 ? Json() : Json(number);
}

Json fieldToJson(const SaveImage& image, const SavedField& field, const std::byte* row) {
    const std::byte* at = row + field.offset;
    if (!field.isArray) return elementToJson(image, field.type, at);
    Json array = Json::array();
    for (std::uint32_t i = 0; i < field.count; ++i, at += sizeOf(field.type))
        array.push_back(elementToJson(image, field.type, at));
    return array;
}

Json stateToJson(StateKind kind, std::span<const std::byte> state) {
    return kind == StateKind::Plain ? plainToJson(state) : Json(hexOf(state));
}

// Names of fields and components are texts of the game's own; those that are no UTF-8 are written as
// [bytes], which no other name begins with.
std::string keyOf(const std::string& name) {
    if (isUtf8(name) && !name.starts_with('[')) return name;
    return "[" + hexOf(std::as_bytes(std::span(name))) + "]";
}

Json componentToJson(const SaveImage& image, const SavedComponent& component, std::uint32_t row) {
    Json json = Json::object();
    const std::byte* bytes = component.rows.data() + std::size_t{row} * component.rowBytes;
    for (const SavedField& field : component.fields)
        json[keyOf(field.name)] = fieldToJson(image, field, bytes);
    if (component.stateKind == StateKind::None || !component.states[row].isThere) return json;
    const SavedState& state = component.states[row];
    if (!state.make.empty()) json["$make"] = textToJson(state.make);
    json["$state"] = stateToJson(component.stateKind, state.bytes);
    return json;
}

Json definitionsOf(const SaveImage& image) {
    static constexpr const char* kinds[] = {"none", "bytes", "plain"};
    Json definitions = Json::object();
    for (const SavedComponent& component : image.components) {
        Json definition = Json::object();
        definition["version"] = component.version;
        if (component.stateKind != StateKind::None)
            definition["state"] = kinds[static_cast<std::size_t>(component.stateKind)];
        Json fields = Json::object();
        for (const SavedField& field : component.fields) {
            Json type = std::string(nameOf(field.type));
            fields[keyOf(field.name)] =
                field.isArray ? Json::array({std::move(type), field.count}) : std::move(type);
        }
        definition["fields"] = std::move(fields);
        definitions[keyOf(component.name)] = std::move(definition);
    }
    return definitions;
}

Json entitiesOf(const SaveImage& image) {
    Json entities = Json::array();
    std::vector<std::uint32_t> rows(image.components.size());
    for (std::size_t i = 0; i < image.entities.size(); ++i) {
        const SavedEntity& saved = image.entities[i];
        Json entity = Json::object();
        entity["number"] = i + 1;
        entity["name"] = textToJson(image.strings[saved.name]);
        if (saved.parent != 0) entity["parent"] = saved.parent;
        entity["serial"] = saved.serial;
        if (!saved.enabled) entity["enabled"] = false;
        if (!saved.rewindable) entity["rewindable"] = false;
        Json components = Json::object();
        Json disabled = Json::array();
        const SavedMakeup& makeup = image.makeups[saved.makeup];
        for (std::size_t k = 0; k < makeup.components.size(); ++k) {
            const std::uint32_t number = makeup.components[k];
            const SavedComponent& component = image.components[number];
            components[keyOf(component.name)] = componentToJson(image, component, rows[number]++);
            if ((makeup.disabled >> k & 1) != 0) disabled.push_back(keyOf(component.name));
        }
        entity["components"] = std::move(components);
        if (!disabled.empty()) entity["disabled"] = std::move(disabled);
        entities.push_back(std::move(entity));
    }
    return entities;
}

Json worldOf(const WorldGlobals& globals) {
    Json world = Json::object();
    world["time"] = numberToJson(globals.seconds);
    world["tick"] = globals.ticks;
    Json random = Json::array();
    for (const std::uint64_t word : globals.random) random.push_back(word);
    world["random"] = std::move(random);
    world["draws"] = globals.draws;
    world["lastSerial"] = globals.lastSerial;
    if (globals.mainCharacter.index != 0) world["mainCharacter"] = globals.mainCharacter.index;
    if (globals.mainCamera.index != 0) world["mainCamera"] = globals.mainCamera.index;
    return world;
}

Json systemsOf(const SaveImage& image) {
    Json systems = Json::object();
    for (const SavedSystem& saved : image.systems) {
        Json system = Json::object();
        system["accumulatedSeconds"] = numberToJson(saved.accumulatedSeconds);
        if (saved.stateKind == StateKind::Plain) system["state"] = plainToJson(saved.state);
        if (saved.stateKind == StateKind::Bytes) system["bytes"] = hexOf(saved.state);
        systems[keyOf(saved.name)] = std::move(system);
    }
    return systems;
}

}  // namespace

bool isJson(std::span<const std::byte> bytes) noexcept {
    for (const std::byte each : bytes) {
        const char character = static_cast<char>(each);
        if (character == ' ' || character == '\t' || character == '\n' || character == '\r')
            continue;
        return character == '{';
    }
    return false;
}

std::vector<std::byte> writeSaveJson(const SaveImage& image) {
    Json json = Json::object();
    json["format"] = "revenant save";
    json["version"] = 1;
    json["world"] = worldOf(image.globals);
    json["components"] = definitionsOf(image);
    json["entities"] = entitiesOf(image);
    Json resources = Json::object();
    for (const auto& [name, value] : image.resources) resources[keyOf(name)] = valueToJson(value);
    json["resources"] = std::move(resources);
    json["systems"] = systemsOf(image);
    const std::string text = json.dump(1, '\t') + "\n";
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

}  // namespace revenant
