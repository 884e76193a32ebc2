#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "save/format/save_bytes.hpp"
#include "save/json/json_access.hpp"
#include "save/json/json_plain.hpp"
#include "save/json/save_json.hpp"
#include "world/error.hpp"
#include "world/storage/entity_record.hpp"

namespace revenant {

namespace {

// Deeper than any save that was written.
constexpr int deepestJson = 1000;

// The other way round of keyOf.
std::string nameOfKey(const std::string& key, const JsonPlace& place) {
    if (!key.starts_with('[')) return key;
    if (!key.ends_with(']')) badJson(place, "has a name that begins with [, but is no bytes");
    const auto bytes = bytesFromHex(key.substr(1, key.size() - 2), place);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class JsonReader {
public:
    explicit JsonReader(const Json& json) : json_(json) {}

    SaveImage read() {
        if (textAt(json_, "format", top_) != "revenant save")
            badJson({&top_, "format"}, "must be \"revenant save\"");
        if (const auto version = wholeAt(json_, "version", top_); version != 1)
            fail(ErrorCode::BadArgument, "it has version ", version,
                 " of saves as JSON, but this one reads version 1");
        readDefinitions();
        readWorld();
        readEntities();
        readResources();
        readSystems();
        return std::move(image_);
    }

private:
    std::uint32_t stringOf(const std::string& text) {
        const auto [found, isNew] =
            strings_.try_emplace(text, static_cast<std::uint32_t>(image_.strings.size()));
        if (isNew) image_.strings.push_back(text);
        return found->second;
    }

    void readDefinitions() {
        const JsonPlace place{&top_, "components"};
        for (const auto& [key, json] : objectAt(json_, "components", top_).items()) {
            const JsonPlace below{&place, key};
            SavedComponent& component = image_.components.emplace_back();
            component.name = nameOfKey(key, below);
            component.version =
                static_cast<std::uint32_t>(wholeAt(json, "version", below, UINT32_MAX));
            if (json.contains("state")) {
                const std::string kind = textAt(json, "state", below);
                if (kind != "bytes" && kind != "plain")
                    badJson({&below, "state"}, "must be \"bytes\" or \"plain\"");
                component.stateKind = kind == "plain" ? StateKind::Plain : StateKind::Bytes;
            }
            const JsonPlace fields{&below, "fields"};
            std::size_t bytes = 0;
            for (const auto& [name, type] : objectAt(json, "fields", below).items()) {
                component.fields.push_back(fieldOf(name, type, {&fields, name}));
                bytes += component.fields.back().bytes();
                if (bytes > maxComponentBytes) badJson(fields, "are too large");
            }
            layOut(component);
            components_.emplace(key, static_cast<std::uint32_t>(image_.components.size() - 1));
        }
    }
    static SavedField fieldOf(const std::string& key, const Json& json, const JsonPlace& place) {
        SavedField field;
        field.name = nameOfKey(key, place);
        field.isArray = json.is_array();
        if (field.isArray && json.size() != 2)
            badJson(place, "must be a type, or a type and a number of elements");
        const std::string type = textFromJson(field.isArray ? json[0] : json, place);
        if (field.isArray)
            field.count = static_cast<std::uint32_t>(wholeOf(json[1], place, maxComponentBytes));
        for (int i = 0; i <= static_cast<int>(FieldType::String); ++i)
            if (nameOf(static_cast<FieldType>(i)) == type) {
                field.type = static_cast<FieldType>(i);
                return field;
            }
        badJson(place, "has a type that is not known");
    }

    void readWorld() {
        const Json& world = objectAt(json_, "world", top_);
        const JsonPlace place{&top_, "world"};
        WorldGlobals& globals = image_.globals;
        globals.seconds = numberFromJson(at(world, "time", place), {&place, "time"});
        globals.ticks = wholeAt(world, "tick", place);
        const Json& random = at(world, "random", place);
        if (!random.is_array() || random.size() != globals.random.size())
            badJson({&place, "random"}, "must be four whole numbers");
        for (std::size_t i = 0; i < globals.random.size(); ++i)
            globals.random[i] = wholeOf(random[i], {&place, "random"});
        globals.draws = wholeAt(world, "draws", place);
        globals.lastSerial =
            static_cast<std::uint32_t>(wholeAt(world, "lastSerial", place, UINT32_MAX));
        for (auto [key, id] : {std::pair("mainCharacter", &globals.mainCharacter),
                               std::pair("mainCamera", &globals.mainCamera)}) {
            if (!world.contains(key)) continue;
            id->index = static_cast<std::uint32_t>(wholeAt(world, key, place, UINT32_MAX));
            id->generation = id->index == 0 ? 0 : 1;
        }
    }

    void readEntities() {
        const Json& entities = at(json_, "entities", top_);
        const JsonPlace place{&top_, "entities"};
        if (!entities.is_array()) badJson(place, "must be an array");
        for (std::size_t i = 0; i < entities.size(); ++i)
            readEntity(entities[i], i, {&place, "[" + std::to_string(i) + "]"});
    }
    void readEntity(const Json& json, std::size_t index, const JsonPlace& place) {
        if (!json.is_object()) badJson(place, "must be an object");
        SavedEntity entity;
        if (json.contains("number") && wholeAt(json, "number", place) != index + 1)
            badJson({&place, "number"}, "must be " + std::to_string(index + 1) +
                                            ": entities are numbered in their order");
        entity.name = stringOf(textAt(json, "name", place));
        if (json.contains("parent"))
            entity.parent = static_cast<std::uint32_t>(wholeAt(json, "parent", place, index));
        entity.serial = static_cast<std::uint32_t>(wholeAt(json, "serial", place, UINT32_MAX));
        entity.enabled = flagAt(json, "enabled", place);
        entity.rewindable = flagAt(json, "rewindable", place);
        SavedMakeup makeup;
        const JsonPlace inner{&place, "components"};
        for (const auto& [key, content] : objectAt(json, "components", place).items()) {
            const JsonPlace below{&inner, key};
            makeup.components.push_back(componentNamed(key, below));
            if (makeup.components.size() > maxComponentsPerEntity) badJson(inner, "are too many");
            if (isDisabled(json, key, place))
                makeup.disabled |= std::uint64_t{1} << (makeup.components.size() - 1);
            readComponent(content, image_.components[makeup.components.back()], below);
        }
        entity.makeup = makeupOf(makeup);
        image_.entities.push_back(entity);
    }
    std::uint32_t componentNamed(const std::string& key, const JsonPlace& place) const {
        const auto found = components_.find(key);
        if (found == components_.end())
            badJson(place, "is a component that the save does not describe under \"components\"");
        return found->second;
    }
    bool isDisabled(const Json& json, const std::string& key, const JsonPlace& place) const {
        if (!json.contains("disabled")) return false;
        const Json& disabled = json["disabled"];
        if (!disabled.is_array()) badJson({&place, "disabled"}, "must be an array of names");
        return std::ranges::find(disabled, Json(key)) != disabled.end();
    }
    std::uint32_t makeupOf(const SavedMakeup& makeup) {
        const auto [found, isNew] =
            makeups_.try_emplace({makeup.components, makeup.disabled},
                                 static_cast<std::uint32_t>(image_.makeups.size()));
        if (isNew) image_.makeups.push_back(makeup);
        return found->second;
    }

    void readComponent(const Json& json, SavedComponent& component, const JsonPlace& place) {
        if (!json.is_object()) badJson(place, "must be an object");
        ++component.rowCount;
        const std::size_t begin = component.rows.size();
        component.rows.resize(begin + component.rowBytes);
        std::size_t known = 0;
        for (const auto& [key, content] : json.items()) {
            const JsonPlace below{&place, key};
            if (key == "$make" || key == "$state") continue;
            const std::string name = nameOfKey(key, below);
            const auto field = std::ranges::find(component.fields, name, &SavedField::name);
            if (field == component.fields.end())
                badJson(below, "is a field that the save does not describe under \"components\"");
            readField(content, *field, component.rows.data() + begin + field->offset, below);
            ++known;
        }
        if (known != component.fields.size()) badJson(place, "lacks a field");
        if (component.stateKind == StateKind::None) return;
        SavedState& state = component.states.emplace_back();
        state.isThere = json.contains("$state");
        if (!state.isThere) return;
        const JsonPlace below{&place, "$state"};
        if (json.contains("$make")) state.make = textAt(json, "$make", place);
        state.bytes = component.stateKind == StateKind::Plain
                          ? plainFromJson(json["$state"], below)
                          : bytesFromHex(textAt(json, "$state", place), below);
    }
    void readField(const Json& json, const SavedField& field, std::byte* to,
                   const JsonPlace& place) {
        if (!field.isArray) return readElement(json, field.type, to, place);
        if (!json.is_array() || json.size() != field.count)
            badJson(place, "must be an array of " + std::to_string(field.count) + " elements");
        for (std::size_t i = 0; i < json.size(); ++i, to += sizeOf(field.type))
            readElement(json[i], field.type, to, {&place, "[" + std::to_string(i) + "]"});
    }
    template <class T>
    static void store(T value, std::byte* to) noexcept {
        std::memcpy(to, &value, sizeof value);
    }
    template <class T>
    static void storeWhole(const Json& json, std::byte* to, const JsonPlace& place) {
        const bool fits = json.is_number_unsigned()  ? std::in_range<T>(json.get<std::uint64_t>())
                          : json.is_number_integer() ? std::in_range<T>(json.get<std::int64_t>())
                                                     : false;
        if (!fits) badJson(place, "must be a whole number that its type has room for");
        store(json.get<T>(), to);
    }
    void readElement(const Json& json, FieldType type, std::byte* to, const JsonPlace& place) {
        switch (type) {
            case FieldType::F32: return store(static_cast<float>(numberFromJson(json, place)), to);
            case FieldType::F64: return store(numberFromJson(json, place), to);
            case FieldType::I32: return storeWhole<std::int32_t>(json, to, place);
            case FieldType::U32: return storeWhole<std::uint32_t>(json, to, place);
            case FieldType::I64: return storeWhole<std::int64_t>(json, to, place);
            case FieldType::U8: return storeWhole<std::uint8_t>(json, to, place);
            case FieldType::Bool:
                if (!json.is_boolean()) badJson(place, "must be true or false");
                return store(static_cast<std::uint8_t>(json.get<bool>()), to);
            case FieldType::String: return store(stringOf(textFromJson(json, place)), to);
            case FieldType::Entity:
                return store(json.is_null() ? 0 : wholeOf(json, place, UINT32_MAX), to);
        }
    }

    void readResources() {
        const JsonPlace place{&top_, "resources"};
        for (const auto& [key, json] : objectAt(json_, "resources", top_).items()) {
            const JsonPlace below{&place, key};
            image_.resources.emplace(nameOfKey(key, below), valueFromJson(json, below));
        }
    }
    void readSystems() {
        const JsonPlace place{&top_, "systems"};
        for (const auto& [key, json] : objectAt(json_, "systems", top_).items()) {
            const JsonPlace below{&place, key};
            if (!json.is_object()) badJson(below, "must be an object");
            SavedSystem& system = image_.systems.emplace_back();
            system.name = nameOfKey(key, below);
            system.accumulatedSeconds =
                numberFromJson(at(json, "accumulatedSeconds", below), below);
            if (json.contains("state")) {
                system.stateKind = StateKind::Plain;
                system.state = plainFromJson(json["state"], {&below, "state"});
            } else if (json.contains("bytes")) {
                system.stateKind = StateKind::Bytes;
                system.state = bytesFromHex(textAt(json, "bytes", below), {&below, "bytes"});
            }
        }
    }

    const Json& json_;
    const JsonPlace top_{nullptr, "the save"};
    SaveImage image_;
    std::map<std::string, std::uint32_t> strings_;
    std::map<std::string, std::uint32_t> components_;  // by key
    std::map<std::pair<std::vector<std::uint32_t>, std::uint64_t>, std::uint32_t> makeups_;
};

Json parse(std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const Json::parser_callback_t limit = [](int depth, Json::parse_event_t, Json&) {
        if (depth > deepestJson)
            fail(ErrorCode::BadArgument, "the JSON is nested more than ", deepestJson, " deep");
        return true;
    };
    try {
        return Json::parse(text, limit);
    } catch (const Json::exception& error) {
        // Without the library's number of the error.
        const std::string_view said = error.what();
        fail(ErrorCode::BadArgument,
             "it is no JSON: ", said.substr(std::min(said.size(), said.find("] ") + 2)));
    }
}

}  // namespace

SaveImage readSaveJson(std::span<const std::byte> bytes) {
    SaveImage image = JsonReader(parse(bytes)).read();
    checkImage(image);
    return image;
}

}  // namespace revenant
