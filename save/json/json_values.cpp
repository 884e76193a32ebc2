#include <charconv>

#include "save/image/save_image.hpp"
#include "save/json/json_access.hpp"
#include "save/json/json_plain.hpp"
#include "world/codec/value_bytes.hpp"
#include "world/error.hpp"

namespace revenant {

namespace {

constexpr std::string_view referenceMarks[] = {"$entity", "$gone", "$unknown"};
static_assert(SavedReference::there == 1 && SavedReference::unknown == std::size(referenceMarks));

}  // namespace

Json referenceToJson(EntityId id) {
    const std::uint32_t kind = id.isNull() ? SavedReference::there : id.generation;
    return {referenceMarks[kind - 1].data(), id.index};
}

EntityId referenceFromJson(const Json& json, const JsonPlace& place) {
    for (std::uint32_t kind = SavedReference::there; kind <= SavedReference::unknown; ++kind) {
        const std::string_view mark = referenceMarks[kind - 1];
        const Json* found = json.find(mark);
        if (!found) continue;
        const JsonPlace inner{&place, std::string(mark)};
        return {static_cast<std::uint32_t>(wholeOf(*found, inner, UINT32_MAX)), kind};
    }
    return {};
}

Json shortReferenceToJson(EntityId id) {
    if (id.isNull()) return {};
    return id.generation == SavedReference::there ? Json(id.index) : referenceToJson(id);
}

EntityId shortReferenceFromJson(const Json& json, const JsonPlace& place) {
    if (json.isNull()) return {};
    if (!json.isObject()) return SavedReference::unpack(wholeOf(json, place, UINT32_MAX));
    const EntityId id = json.members().size() == 1 ? referenceFromJson(json, place) : EntityId();
    if (id.isNull())
        badJson(
            place,
            "must be the number of an entity, or an object of one of the marks $gone and $unknown");
    return id;
}

Json valueToJson(const Value& value) {
    if (const auto* flag = value.as<bool>()) return *flag;
    if (const auto* whole = value.as<std::int64_t>()) return {"$whole", std::to_string(*whole)};
    if (const auto* number = value.as<double>()) {
        Json json = numberToJson(*number);
        return json.isText() ? Json("$number", std::move(json)) : std::move(json);
    }
    if (const auto* text = value.as<std::string>()) return textToJson(*text);
    if (const auto* id = value.as<EntityId>()) return referenceToJson(*id);
    const auto* values = value.as<ValueArray>();
    if (!values) return {};
    Json::Array array;
    for (const Value& each : *values) array.push_back(valueToJson(each));
    return array;
}

Value valueFromJson(const Json& json, const JsonPlace& place, int depth) {
    if (depth > deepestValue)
        badJson(place, "is nested more than " + std::to_string(deepestValue) + " deep");
    if (json.isNull()) return {};
    if (json.isBool()) return json.asBool();
    if (json.isText()) return json.asText();
    if (json.isNumber()) return numberFromJson(json, place);
    if (json.isArray()) {
        ValueArray values;
        for (const Json& each : json.elements())
            values.push_back(valueFromJson(
                each, {&place, "[" + std::to_string(values.size()) + "]"}, depth + 1));
        return values;
    }
    const bool isMarked = json.members().size() == 1;
    if (isMarked && json.contains("$bytes")) return textFromJson(json, place);
    if (const Json* number = json.find("$number"); isMarked && number)
        return numberFromJson(*number, place);
    if (const EntityId id = isMarked ? referenceFromJson(json, place) : EntityId(); !id.isNull())
        return id.index == 0 ? EntityId() : id;
    if (const Json* digits = json.find("$whole"); isMarked && digits && digits->isText()) {
        const std::string& text = digits->asText();
        std::int64_t whole = 0;
        const auto end = std::from_chars(text.data(), text.data() + text.size(), whole);
        if (end.ec == std::errc() && end.ptr == text.data() + text.size()) return whole;
    }
    badJson(place,
            "must be a number, a text, true, false, null, an array of these, or an object of one "
            "of the "
            "marks $bytes, $number, $entity, $gone, $unknown and $whole");
}

}  // namespace revenant
