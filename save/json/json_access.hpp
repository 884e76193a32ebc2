// Parts of a JSON object, checked: each throws Error{BadArgument} with the place of what is missing or of another kind.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "save/json/json_plain.hpp"

namespace revenant {

inline const Json& at(const Json& json, const char* key, const JsonPlace& place) {
    if (!json.contains(key)) badJson(place, std::string("has no ") + key);
    return json[key];
}

// An object that has no others than these keys.
inline void expectKeys(const Json& json, std::initializer_list<std::string_view> keys,
                       const JsonPlace& place) {
    if (!json.is_object()) badJson(place, "must be an object");
    for (const auto& [key, value] : json.items())
        if (std::ranges::find(keys, key) == keys.end())
            badJson({&place, key}, "is not known; is it spelled right?");
}

inline const Json& objectAt(const Json& json, const char* key, const JsonPlace& place) {
    const Json& found = at(json, key, place);
    if (!found.is_object()) badJson({&place, key}, "must be an object");
    return found;
}

inline std::string textAt(const Json& json, const char* key, const JsonPlace& place) {
    return textFromJson(at(json, key, place), {&place, key});
}

inline std::uint64_t wholeOf(const Json& json, const JsonPlace& place,
                             std::uint64_t most = UINT64_MAX) {
    if (!json.is_number_unsigned() || json.get<std::uint64_t>() > most)
        badJson(place, "must be a whole number from 0 to " + std::to_string(most));
    return json.get<std::uint64_t>();
}

inline std::uint64_t wholeAt(const Json& json, const char* key, const JsonPlace& place,
                             std::uint64_t most = UINT64_MAX) {
    return wholeOf(at(json, key, place), {&place, key}, most);
}

inline bool flagAt(const Json& json, const char* key, const JsonPlace& place) {
    if (!json.contains(key)) return true;
    if (!json[key].is_boolean()) badJson({&place, key}, "must be true or false");
    return json[key].get<bool>();
}

}  // namespace revenant
