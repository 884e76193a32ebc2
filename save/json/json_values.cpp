#include <charconv>

#include "save/json/json_plain.hpp"
#include "world/codec/value_bytes.hpp"
#include "world/error.hpp"

namespace revenant {

Json valueToJson(const Value& value) {
    if (const auto* flag = value.as<bool>()) return *flag;
    if (const auto* whole = value.as<std::int64_t>()) return {"$whole", std::to_string(*whole)};
    if (const auto* number = value.as<double>()) {
        Json json = numberToJson(*number);
        return json.isText() ? Json("$number", std::move(json)) : std::move(json);
    }
    if (const auto* text = value.as<std::string>()) return textToJson(*text);
    if (const auto* id = value.as<EntityId>()) return {"$entity", id->index};
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
    if (const Json* entity = json.find("$entity"); isMarked && entity && entity->isUnsigned()) {
        const std::uint64_t number = entity->asUnsigned();
        if (number <= UINT32_MAX)
            return EntityId{static_cast<std::uint32_t>(number), number == 0 ? 0U : 1U};
    }
    if (const Json* digits = json.find("$whole"); isMarked && digits && digits->isText()) {
        const std::string& text = digits->asText();
        std::int64_t whole = 0;
        const auto end = std::from_chars(text.data(), text.data() + text.size(), whole);
        if (end.ec == std::errc() && end.ptr == text.data() + text.size()) return whole;
    }
    badJson(place,
            "must be a number, a text, true, false, null, an array of these, or an object of one "
            "of the "
            "marks $bytes, $number, $entity and $whole");
}

}  // namespace revenant
