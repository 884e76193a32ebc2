// Plain data and values as JSON that people can read, and back, losing nothing: see
// docs/save_file_format.md for what `$` stands for.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "save/json/json_tree.hpp"
#include "world/component_schema.hpp"
#include "world/value.hpp"

namespace revenant {

// Where something stands in the JSON, for sentences: a chain that ends on the stack.
struct JsonPlace {
    const JsonPlace* above;
    std::string key;

    std::string text() const;
};

[[noreturn]] void badJson(const JsonPlace& place, const std::string& why);
// For messages: a long text without its middle.
std::string shortened(std::string_view text);

// ---- texts that are not UTF-8 are {"$bytes": hexadecimal}, those among keys get a table of pairs
bool isUtf8(std::string_view text) noexcept;
Json textToJson(std::string_view text);
std::string textFromJson(const Json& json, const JsonPlace& place);
std::string hexOf(std::span<const std::byte> bytes);
std::vector<std::byte> bytesFromHex(const std::string& text, const JsonPlace& place);
// Names of fields, components, resources and systems as keys. Names that are not UTF-8, and names that
// a save uses itself, are [bytes]; no other name begins with a bracket.
std::string keyOf(const std::string& name);
std::string nameOfKey(const std::string& key, const JsonPlace& place);

// ---- numbers that JSON does not have are "nan", "inf", "-inf", or "nan:" and the bits
Json numberToJson(double number);
Json numberToJson(float number);  // as short as possible
double numberFromJson(const Json& json, const JsonPlace& place);

// ---- references to entities: {"$entity": number}, {"$gone": serial} or {"$unknown": number}
Json referenceToJson(EntityId id);
// A null id where it is none of these.
EntityId referenceFromJson(const Json& json, const JsonPlace& place);
// As fields have them: the number alone for one that is in the save, null for none.
Json shortReferenceToJson(EntityId id);
EntityId shortReferenceFromJson(const Json& json, const JsonPlace& place);

// ---- states of scripts
Json plainToJson(std::span<const std::byte> data);
std::vector<std::byte> plainFromJson(const Json& json, const JsonPlace& place);

// ---- resources
Json valueToJson(const Value& value);
Value valueFromJson(const Json& json, const JsonPlace& place, int depth = 0);

}  // namespace revenant
