#include <charconv>
#include <nlohmann/json.hpp>

#include "save/json/json_plain.hpp"
#include "world/codec/value_bytes.hpp"
#include "world/error.hpp"

namespace revenant {

Json valueToJson(const Value& value) {
    if (const auto* flag = value.as<bool>()) return *flag;
    if (const auto* whole = value.as<std::int64_t>())
        return Json{{"$whole", std::to_string(*whole)}};
    if (const auto* number = value.as<double>()) {
        Json json = numberToJson(*number);
        return json.is_string() ? Json{{"$number", std::move(json)}} : json;
    }
    if (const auto* text = value.as<std::string>()) return textToJson(*text);
    if (const auto* id = value.as<EntityId>()) return Json{{"$entity", id->index}};
    const auto* values = value.as<ValueArray>();
    if (!values) return nullptr;
    Json array = Json::array();
    for (const Value& each : *values) array.push_back(valueToJson(each));
    return array;
}

Value valueFromJson(const Json& json, const JsonPlace& place, int depth) {
    if (depth > deepestValue)
        badJson(place, "is nested more than " + std::to_string(deepestValue) + " deep");
    if (json.is_null()) return {};
    if (json.is_boolean()) return json.get<bool>();
    if (json.is_string()) return json.get<std::string>();
    if (json.is_number()) return numberFromJson(json, place);
    if (json.is_array()) {
        ValueArray values;
        for (std::size_t i = 0; i < json.size(); ++i)
            values.push_back(
                valueFromJson(json[i], {&place, "[" + std::to_string(i) + "]"}, depth + 1));
        return values;
    }
    if (json.size() == 1 && json.contains("$bytes")) return textFromJson(json, place);
    if (json.size() == 1 && json.contains("$number")) return numberFromJson(json["$number"], place);
    if (json.size() == 1 && json.contains("$entity") && json["$entity"].is_number_unsigned()) {
        const auto number = json["$entity"].get<std::uint64_t>();
        if (number <= UINT32_MAX)
            return EntityId{static_cast<std::uint32_t>(number), number == 0 ? 0U : 1U};
    }
    if (json.size() == 1 && json.contains("$whole") && json["$whole"].is_string()) {
        const auto& text = json["$whole"].get_ref<const std::string&>();
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
