// Checked access to parts of a JSON object: throws Error{BadArgument} with the place of a part that is missing or of another kind.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "save/json/json_plain.hpp"

namespace revenant {

inline const Json& at(const Json& json, const char* key, const JsonPlace& place) {
    const Json* found = json.find(key);
    if (!found) badJson(place, std::string("has no ") + key);
    return *found;
}

// An object that has no keys but these.
inline void expectKeys(const Json& json, std::initializer_list<std::string_view> keys,
                       const JsonPlace& place) {
    if (!json.isObject()) badJson(place, "must be an object");
    for (const auto& [key, value] : json.members())
        if (std::ranges::find(keys, key) == keys.end())
            badJson({&place, key}, "is not known; is it spelled right?");
}

inline const Json& objectAt(const Json& json, const char* key, const JsonPlace& place) {
    const Json& found = at(json, key, place);
    if (!found.isObject()) badJson({&place, key}, "must be an object");
    return found;
}

inline std::string textAt(const Json& json, const char* key, const JsonPlace& place) {
    return textFromJson(at(json, key, place), {&place, key});
}

inline std::uint64_t wholeOf(const Json& json, const JsonPlace& place,
                             std::uint64_t most = UINT64_MAX) {
    if (!json.isUnsigned() || json.asUnsigned() > most)
        badJson(place, "must be a whole number from 0 to " + std::to_string(most));
    return json.asUnsigned();
}

inline std::uint64_t wholeAt(const Json& json, const char* key, const JsonPlace& place,
                             std::uint64_t most = UINT64_MAX) {
    return wholeOf(at(json, key, place), {&place, key}, most);
}

inline bool flagAt(const Json& json, const char* key, const JsonPlace& place) {
    const Json* flag = json.find(key);
    if (!flag) return true;
    if (!flag->isBool()) badJson({&place, key}, "must be true or false");
    return flag->asBool();
}

}  // namespace revenant
