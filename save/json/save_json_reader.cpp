// Over 300 lines: one class, with a short function per part of a save.
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <unordered_set>

#include "save/format/save_bytes.hpp"
#include "save/json/json_access.hpp"
#include "save/json/json_parts.hpp"
#include "save/json/json_plain.hpp"
#include "save/json/save_json.hpp"
#include "world/codec/field_bytes.hpp"
#include "world/error.hpp"
#include "world/storage/entity_record.hpp"

namespace revenant {

namespace {

// Reads a save in two passes over its text, in whatever order its parts come: what entities are made of, then the rest.
class JsonReader final : public JsonParts {
public:
    explicit JsonReader(std::span<const std::byte> text) : text_(text) {}

    SaveImage read() {
        readParts(text_, *this);
        for (const char* key : {"format", "version", "components", "world"})
            if (!seen_.contains(key)) badJson(top_, std::string("has no ") + key);
        readWorld();
        isSecond_ = true;
        readParts(text_, *this);
        for (const char* key : {"entities", "resources", "systems"})
            if (!seen_.contains(key)) badJson(top_, std::string("has no ") + key);
        return std::move(image_);
    }

    bool wants(const std::string& top) override {
        static constexpr std::string_view first[] = {"format", "version", "components", "world"};
        static constexpr std::string_view second[] = {"entities", "resources", "systems"};
        const bool isFirst = std::ranges::find(first, top) != std::end(first);
        if (!isFirst && std::ranges::find(second, top) == std::end(second))
            badJson({&top_, top}, "is not known; is it spelled right?");
        if (isFirst == isSecond_) return false;
        seen_.insert(top);
        return true;
    }
    void takeValue(const std::string& top, const Json& value) override {
        const JsonPlace place{&top_, top};
        if (top == "format") {
            if (!value.isText() || value.asText() != "revenant save")
                badJson(place, "must be \"revenant save\"");
        } else if (top == "version") {
            if (const auto version = wholeOf(value, place); version < 1 || version > saveFormat)
                fail(ErrorCode::BadArgument, "it has version ", version,
                     " of saves as JSON, but this one reads versions 1 to ", saveFormat);
        } else {
            badJson(place, top == "entities" ? "must be an array" : "must be an object");
        }
    }
    void begin(const std::string& top, bool isArray) override {
        const JsonPlace place{&top_, top};
        if (top == "format") badJson(place, "must be \"revenant save\"");
        if (top == "version") badJson(place, "must be a whole number");
        if (isArray != (top == "entities"))
            badJson(place, isArray ? "must be an object" : "must be an array");
    }
    void takePart(const std::string& top, const std::string& key, Json part) override {
        const JsonPlace place{&top_, top};
        const JsonPlace below{&place, key};
        if (top == "components") return readDefinition(key, part, below);
        if (top == "entities") return readEntity(part, image_.entities.size(), below);
        if (top == "resources") return readResource(key, part, below);
        if (top == "systems") return readSystem(key, part, below);
        expectWorldKey(key, below);
        world_.add(key, std::move(part));
    }

private:
    std::uint32_t stringOf(std::string text) {
        image_.strings.push_back(std::move(text));
        const auto [found, isNew] =
            strings_.insert(static_cast<std::uint32_t>(image_.strings.size() - 1));
        if (!isNew) image_.strings.pop_back();
        return *found;
    }

    void readDefinition(const std::string& key, const Json& json, const JsonPlace& place) {
        expectKeys(json, {"version", "state", "fields"}, place);
        SavedComponent& component = image_.components.emplace_back();
        component.name = nameOfKey(key, place);
        component.version = static_cast<std::uint32_t>(wholeAt(json, "version", place, UINT32_MAX));
        if (json.contains("state")) {
            const std::string kind = textAt(json, "state", place);
            if (kind != "bytes" && kind != "plain")
                badJson({&place, "state"}, R"(must be "bytes" or "plain")");
            component.stateKind = kind == "plain" ? StateKind::Plain : StateKind::Bytes;
        }
        const JsonPlace fields{&place, "fields"};
        std::size_t bytes = 0;
        for (const auto& [name, type] : objectAt(json, "fields", place).members()) {
            component.fields.push_back(fieldOf(name, type, {&fields, name}));
            bytes += component.fields.back().bytes();
            if (bytes > maxComponentBytes) badJson(fields, "are too large");
        }
        layOut(component);
        components_.emplace(key, static_cast<std::uint32_t>(image_.components.size() - 1));
    }
    static SavedField fieldOf(const std::string& key, const Json& json, const JsonPlace& place) {
        SavedField field;
        field.name = nameOfKey(key, place);
        field.isArray = json.isArray();
        if (field.isArray && json.elements().size() != 2)
            badJson(place, "must be a type, or a type and a number of elements");
        const std::string type = textFromJson(field.isArray ? json.elements()[0] : json, place);
        if (field.isArray)
            field.count =
                static_cast<std::uint32_t>(wholeOf(json.elements()[1], place, maxComponentBytes));
        for (int i = 0; i <= static_cast<int>(FieldType::String); ++i)
            if (nameOf(static_cast<FieldType>(i)) == type) {
                field.type = static_cast<FieldType>(i);
                return field;
            }
        badJson(place, "has a type that is not known");
    }

    static void expectWorldKey(const std::string& key, const JsonPlace& place) {
        static constexpr std::string_view known[] = {
            "time", "tick", "random", "draws", "lastSerial", "mainCharacter", "mainCamera"};
        if (std::ranges::find(known, key) == std::end(known))
            badJson(place, "is not known; is it spelled right?");
    }
    void readWorld() {
        const Json& world = world_;
        const JsonPlace place{&top_, "world"};
        WorldGlobals& globals = image_.globals;
        globals.seconds = numberFromJson(at(world, "time", place), {&place, "time"});
        globals.ticks = wholeAt(world, "tick", place);
        const Json& random = at(world, "random", place);
        if (!random.isArray() || random.elements().size() != globals.random.size())
            badJson({&place, "random"}, "must be four whole numbers");
        for (std::size_t i = 0; i < globals.random.size(); ++i)
            globals.random[i] = wholeOf(random.elements()[i], {&place, "random"});
        globals.draws = wholeAt(world, "draws", place);
        globals.lastSerial =
            static_cast<std::uint32_t>(wholeAt(world, "lastSerial", place, UINT32_MAX));
        for (auto [key, id] : {std::pair("mainCharacter", &globals.mainCharacter),
                               std::pair("mainCamera", &globals.mainCamera)}) {
            if (!world.contains(key)) continue;
            *id = shortReferenceFromJson(at(world, key, place), {&place, key});
        }
    }

    void readEntity(const Json& json, std::size_t index, const JsonPlace& place) {
        expectKeys(json,
                   {"number", "name", "parent", "serial", "enabled", "rewindable", "components",
                    "disabled"},
                   place);
        if (index >= mostEntities) badJson(place, "is one entity too many");
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
        for (const auto& [key, content] : objectAt(json, "components", place).members()) {
            const JsonPlace below{&inner, key};
            makeup.components.push_back(componentNamed(key, below));
            if (makeup.components.size() > maxComponentsPerEntity) badJson(inner, "are too many");
            readComponent(content, image_.components[makeup.components.back()], below);
        }
        if (const Json* disabled = json.find("disabled"))
            makeup.disabled = disabledOf(*disabled, makeup, {&place, "disabled"});
        entity.makeup = makeupOf(makeup);
        image_.entities.push_back(entity);
    }
    std::uint32_t componentNamed(const std::string& key, const JsonPlace& place) const {
        const auto found = components_.find(key);
        if (found == components_.end())
            badJson(place, "is a component that the save does not describe under \"components\"");
        return found->second;
    }
    std::uint64_t disabledOf(const Json& json, const SavedMakeup& makeup,
                             const JsonPlace& place) const {
        if (!json.isArray()) badJson(place, "must be an array of names");
        std::uint64_t disabled = 0;
        std::size_t index = 0;
        for (const Json& name : json.elements()) {
            const JsonPlace below{&place, "[" + std::to_string(index++) + "]"};
            if (!name.isText()) badJson(below, "must be the name of a component");
            const std::uint32_t number = componentNamed(name.asText(), below);
            const auto found = std::ranges::find(makeup.components, number);
            if (found == makeup.components.end())
                badJson(below, "is a component that the entity does not have");
            disabled |= std::uint64_t{1} << (found - makeup.components.begin());
        }
        return disabled;
    }
    std::uint32_t makeupOf(const SavedMakeup& makeup) {
        const auto [found, isNew] =
            makeups_.try_emplace({makeup.components, makeup.disabled},
                                 static_cast<std::uint32_t>(image_.makeups.size()));
        if (isNew) image_.makeups.push_back(makeup);
        return found->second;
    }

    void readComponent(const Json& json, SavedComponent& component, const JsonPlace& place) {
        if (!json.isObject()) badJson(place, "must be an object");
        ++component.rowCount;
        const std::size_t begin = component.rows.size();
        component.rows.resize(begin + component.rowBytes);
        std::size_t known = 0;
        for (const auto& [key, content] : json.members()) {
            const JsonPlace below{&place, key};
            if (key == "$make" || key == "$state") continue;
            const std::string name = nameOfKey(key, below);
            const auto field = std::ranges::find(component.fields, name, &SavedField::name);
            if (field == component.fields.end())
                badJson(below, "is a field that the save does not describe under \"components\"");
            readField(content, *field, component.rows.data() + begin + field->offset, below);
            ++known;
        }
        if (known != component.fields.size())
            for (const SavedField& field : component.fields)
                if (!json.contains(keyOf(field.name)))
                    badJson(place, "lacks its field '" + field.name + "'");
        const Json* content = json.find("$state");
        if (component.stateKind == StateKind::None) {
            if (content || json.contains("$make"))
                badJson(place, "has a state, but \"components\" says that it has none");
            return;
        }
        if (!content) {
            if (json.contains("$make")) badJson(place, "has a $make without a $state");
            return component.addNoState();
        }
        SavedState& state = component.addState();
        const JsonPlace below{&place, "$state"};
        if (json.contains("$make")) state.make = textAt(json, "$make", place);
        state.bytes = component.stateKind == StateKind::Plain
                          ? plainFromJson(*content, below)
                          : bytesFromHex(textFromJson(*content, below), below);
    }
    void readField(const Json& json, const SavedField& field, std::byte* to,
                   const JsonPlace& place) {
        if (!field.isArray) return readElement(json, field.type, to, place);
        if (!json.isArray() || json.elements().size() != field.count)
            badJson(place, "must be an array of " + std::to_string(field.count) + " elements");
        std::size_t index = 0;
        for (const Json& each : json.elements()) {
            readElement(each, field.type, to, {&place, "[" + std::to_string(index++) + "]"});
            to += sizeOf(field.type);
        }
    }
    template <class T>
    static void storeWhole(const Json& json, std::byte* to, const JsonPlace& place) {
        if (json.isUnsigned() && std::in_range<T>(json.asUnsigned()))
            return storeAs(to, static_cast<T>(json.asUnsigned()));
        if (json.isSigned() && std::in_range<T>(json.asSigned()))
            return storeAs(to, static_cast<T>(json.asSigned()));
        badJson(place, "must be a whole number that its type has room for");
    }
    void readElement(const Json& json, FieldType type, std::byte* to, const JsonPlace& place) {
        switch (type) {
            case FieldType::F32:
                return storeAs(to, static_cast<float>(numberFromJson(json, place)));
            case FieldType::F64: return storeAs(to, numberFromJson(json, place));
            case FieldType::I32: return storeWhole<std::int32_t>(json, to, place);
            case FieldType::U32: return storeWhole<std::uint32_t>(json, to, place);
            case FieldType::I64: return storeWhole<std::int64_t>(json, to, place);
            case FieldType::U8: return storeWhole<std::uint8_t>(json, to, place);
            case FieldType::Bool:
                if (!json.isBool()) badJson(place, "must be true or false");
                return storeAs(to, static_cast<std::uint8_t>(json.asBool()));
            case FieldType::String: return storeAs(to, stringOf(textFromJson(json, place)));
            case FieldType::Entity:
                return storeAs(to, SavedReference::pack(shortReferenceFromJson(json, place)));
        }
    }

    void readResource(const std::string& key, const Json& json, const JsonPlace& place) {
        const std::size_t count = json.countValues();
        if (count > resourceValues_)
            badJson(place,
                    "is one of more than " + std::to_string(mostValues) + " values in resources");
        resourceValues_ -= count;
        image_.resources.emplace(nameOfKey(key, place), valueFromJson(json, place));
    }
    void readSystem(const std::string& key, const Json& json, const JsonPlace& place) {
        expectKeys(json, {"accumulatedSeconds", "state", "bytes"}, place);
        SavedSystem& system = image_.systems.emplace_back();
        system.name = nameOfKey(key, place);
        system.accumulatedSeconds =
            numberFromJson(at(json, "accumulatedSeconds", place), {&place, "accumulatedSeconds"});
        const Json* state = json.find("state");
        if (state && json.contains("bytes")) badJson(place, "has both a state and bytes");
        if (state) {
            system.stateKind = StateKind::Plain;
            system.state = plainFromJson(*state, {&place, "state"});
        } else if (json.contains("bytes")) {
            system.stateKind = StateKind::Bytes;
            system.state = bytesFromHex(textAt(json, "bytes", place), {&place, "bytes"});
        }
    }

    // A string by its number, so that each is kept once.
    struct ByText {
        const std::vector<std::string>& strings;

        std::size_t operator()(std::uint32_t number) const noexcept {
            return std::hash<std::string>()(strings[number]);
        }
        bool operator()(std::uint32_t a, std::uint32_t b) const noexcept {
            return strings[a] == strings[b];
        }
    };

    std::span<const std::byte> text_;
    bool isSecond_ = false;  // pass
    const JsonPlace top_{nullptr, "the save"};
    std::set<std::string> seen_;
    Json world_ = Json::Object();
    SaveImage image_;
    std::size_t resourceValues_ = mostValues;  // that may come
    std::unordered_set<std::uint32_t, ByText, ByText> strings_{0, ByText{image_.strings},
                                                               ByText{image_.strings}};
    std::map<std::string, std::uint32_t> components_;  // by key
    std::map<std::pair<std::vector<std::uint32_t>, std::uint64_t>, std::uint32_t> makeups_;
};

}  // namespace

SaveImage readSaveJson(std::span<const std::byte> bytes) {
    SaveImage image = JsonReader(bytes).read();
    checkImage(image);
    return image;
}

}  // namespace revenant
