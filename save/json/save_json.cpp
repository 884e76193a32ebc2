#include "save/json/save_json.hpp"

#include <algorithm>
#include <array>

#include "save/format/save_bytes.hpp"
#include "save/json/json_parts.hpp"
#include "save/json/json_plain.hpp"
#include "world/codec/field_bytes.hpp"
#include "world/error.hpp"

namespace revenant {

namespace {

Json elementToJson(const SaveImage& image, FieldType type, const std::byte* at) {
    switch (type) {
        case FieldType::F32: return numberToJson(loadAs<float>(at));
        case FieldType::F64: return numberToJson(loadAs<double>(at));
        case FieldType::I32: return loadAs<std::int32_t>(at);
        case FieldType::U32: return loadAs<std::uint32_t>(at);
        case FieldType::I64: return loadAs<std::int64_t>(at);
        case FieldType::U8: return loadAs<std::uint8_t>(at);
        case FieldType::Bool: return loadAs<std::uint8_t>(at) != 0;
        case FieldType::String: return textToJson(image.strings[loadAs<std::uint32_t>(at)]);
        case FieldType::Entity: break;
    }
    return shortReferenceToJson(SavedReference::unpack(loadAs<std::uint64_t>(at)));
}

Json fieldToJson(const SaveImage& image, const SavedField& field, const std::byte* row) {
    const std::byte* at = row + field.offset;
    if (!field.isArray) return elementToJson(image, field.type, at);
    Json::Array array;
    array.reserve(field.count);
    for (std::uint32_t i = 0; i < field.count; ++i, at += sizeOf(field.type))
        array.push_back(elementToJson(image, field.type, at));
    return array;
}

// The members of an object or array, written one by one: as a whole they would take many times the memory of their text.
class Members {
public:
    Members(std::string& text, std::size_t depth) : text_(text), depth_(depth) {}

    void add(const std::string& key, const Json& value) {
        begin(key);
        put(value, key);
    }
    void add(const Json& value) {
        begin();
        put(value, "entity " + std::to_string(count_));
    }
    template <class Write>
    void addMembers(const std::string& key, char bracket, Write write) {
        begin(key);
        text_ += bracket;
        Members below(text_, depth_ + 1);
        write(below);
        if (below.count_ > 0) newLine(depth_ + 1);
        text_ += bracket == '{' ? '}' : ']';
    }

private:
    void newLine(std::size_t tabs) { text_ += '\n' + std::string(tabs, '\t'); }
    void begin() {
        if (count_++ > 0) text_ += ',';
        newLine(depth_ + 1);
    }
    void begin(const std::string& key) {
        begin();
        printText(text_, key);
        text_ += ": ";
    }
    void put(const Json& value, const std::string& what) {
        if (value.countValues() > mostPartValues)
            fail(ErrorCode::LimitReached, "save: ", what, " has more than ", mostPartValues,
                 " values, which is too much for JSON; save as binary");
        value.print(text_, depth_ + 1);
    }

    std::string& text_;
    std::size_t depth_;
    std::size_t count_ = 0;
};

Json stateToJson(StateKind kind, std::span<const std::byte> state) {
    return kind == StateKind::Plain ? plainToJson(state) : Json(hexOf(state));
}

Json componentToJson(const SaveImage& image, const SavedComponent& component, std::uint32_t row) {
    Json json = Json::Object();
    const std::byte* bytes = component.rows.data() + std::size_t{row} * component.rowBytes;
    for (const SavedField& field : component.fields)
        json.add(keyOf(field.name), fieldToJson(image, field, bytes));
    const SavedState* state = component.findState(row);
    if (!state) return json;
    if (!state->make.empty()) json.add("$make", textToJson(state->make));
    json.add("$state", stateToJson(component.stateKind, state->bytes));
    return json;
}

void writeDefinitions(Members& definitions, const SaveImage& image) {
    static constexpr const char* kinds[] = {"none", "bytes", "plain"};
    for (const SavedComponent& component : image.components) {
        Json definition("version", component.version);
        if (component.stateKind != StateKind::None)
            definition.add("state", kinds[static_cast<std::size_t>(component.stateKind)]);
        Json fields = Json::Object();
        for (const SavedField& field : component.fields) {
            Json type = std::string(nameOf(field.type));
            if (field.isArray) {
                Json array = Json::Array();
                array.add(std::move(type));
                array.add(field.count);
                type = std::move(array);
            }
            fields.add(keyOf(field.name), std::move(type));
        }
        definition.add("fields", std::move(fields));
        definitions.add(keyOf(component.name), definition);
    }
}

void writeEntities(Members& entities, const SaveImage& image) {
    std::vector<std::uint32_t> rows(image.components.size());
    for (std::size_t i = 0; i < image.entities.size(); ++i) {
        const SavedEntity& saved = image.entities[i];
        Json entity("number", i + 1);
        entity.add("name", textToJson(image.strings[saved.name]));
        if (saved.parent != 0) entity.add("parent", saved.parent);
        entity.add("serial", saved.serial);
        if (!saved.enabled) entity.add("enabled", false);
        if (!saved.rewindable) entity.add("rewindable", false);
        Json components = Json::Object();
        Json::Array disabled;
        const SavedMakeup& makeup = image.makeups[saved.makeup];
        for (std::size_t k = 0; k < makeup.components.size(); ++k) {
            const std::uint32_t number = makeup.components[k];
            const SavedComponent& component = image.components[number];
            components.add(keyOf(component.name),
                           componentToJson(image, component, rows[number]++));
            if ((makeup.disabled >> k & 1) != 0) disabled.push_back(keyOf(component.name));
        }
        entity.add("components", std::move(components));
        if (!disabled.empty()) entity.add("disabled", std::move(disabled));
        entities.add(entity);
    }
}

Json worldOf(const WorldGlobals& globals) {
    Json world("time", numberToJson(globals.seconds));
    world.add("tick", globals.ticks);
    Json::Array random;
    for (const std::uint64_t word : globals.random) random.emplace_back(word);
    world.add("random", std::move(random));
    world.add("draws", globals.draws);
    world.add("lastSerial", globals.lastSerial);
    for (const auto& [key, id] : {std::pair("mainCharacter", globals.mainCharacter),
                                  std::pair("mainCamera", globals.mainCamera)})
        if (!id.isNull()) world.add(key, shortReferenceToJson(id));
    return world;
}

void writeSystems(Members& systems, const SaveImage& image) {
    for (const SavedSystem& saved : image.systems) {
        Json system("accumulatedSeconds", numberToJson(saved.accumulatedSeconds));
        if (saved.stateKind == StateKind::Plain) system.add("state", plainToJson(saved.state));
        if (saved.stateKind == StateKind::Bytes) system.add("bytes", hexOf(saved.state));
        systems.add(keyOf(saved.name), system);
    }
}

}  // namespace

bool isJson(std::span<const std::byte> bytes) noexcept {
    // Some editors put this mark of UTF-8 at the beginning; the parser passes over it.
    constexpr std::array mark{std::byte{0xEF}, std::byte{0xBB}, std::byte{0xBF}};
    if (bytes.size() >= mark.size() && std::ranges::equal(bytes.first(mark.size()), mark))
        bytes = bytes.subspan(mark.size());
    for (const std::byte each : bytes) {
        const char character = static_cast<char>(each);
        if (character == ' ' || character == '\t' || character == '\n' || character == '\r')
            continue;
        return character == '{';
    }
    return false;
}

std::vector<std::byte> writeSaveJson(const SaveImage& image) {
    checkResources(image);
    std::string text = "{";
    Members save(text, 0);
    save.add("format", "revenant save");
    save.add("version", saveFormat);
    save.add("world", worldOf(image.globals));
    save.addMembers("components", '{', [&](Members& into) { writeDefinitions(into, image); });
    save.addMembers("entities", '[', [&](Members& into) { writeEntities(into, image); });
    save.addMembers("resources", '{', [&](Members& into) {
        for (const auto& [name, value] : image.resources) into.add(keyOf(name), valueToJson(value));
    });
    save.addMembers("systems", '{', [&](Members& into) { writeSystems(into, image); });
    text += "\n}\n";
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

}  // namespace revenant
