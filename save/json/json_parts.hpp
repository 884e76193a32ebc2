// Reads the text of a save as JSON part by part, so that it is never in memory as a whole: a tree of JSON takes many times
// its text. A part is a member of a member of the save: one component's definition, one entity, one resource.
//
// Refused with their place: text that is not JSON, zero bytes, duplicate keys, values that are nested too deeply, and parts
// of more values than mostPartValues.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "save/json/json_plain.hpp"

namespace revenant {

// The most values of one part, itself included.
inline constexpr std::size_t mostPartValues = std::size_t{1} << 20;

// What is read of a save. Keys are those of the save's members: "entities".
class JsonParts {
public:
    virtual ~JsonParts() = default;

    // Whether to read it; what is not read is only looked at as text.
    virtual bool wants(const std::string& top) = 0;
    // A member that is neither an array nor an object.
    virtual void takeValue(const std::string& top, const Json& value) = 0;
    // A member that is one begins; its parts follow.
    virtual void begin(const std::string& top, bool isArray) = 0;
    // `key`: of an object; "[3]": the fourth of an array.
    virtual void takePart(const std::string& top, const std::string& key, Json part) = 0;
};

void readParts(std::span<const std::byte> text, JsonParts& parts);

}  // namespace revenant
