#include "save/json/json_parts.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "world/error.hpp"

namespace revenant {

namespace {

// Deeper than any save that was written: a table of plain data takes four levels at most.
constexpr std::size_t deepestJson = 1000;
// How deep a part is nested.
constexpr std::size_t partDepth = 2;

using Parser = nlohmann::json;

// What the parser calls.
class PartReader {
public:
    explicit PartReader(JsonParts& parts) : parts_(parts) {}

    bool null() { return add(Json()); }
    bool boolean(bool value) { return add(Json(value)); }
    bool number_integer(Parser::number_integer_t value) { return add(Json(value)); }
    bool number_unsigned(Parser::number_unsigned_t value) { return add(Json(value)); }
    bool number_float(Parser::number_float_t value, const std::string& /*text*/) {
        return add(Json(value));
    }
    bool string(std::string& value) { return add(Json(std::move(value))); }
    bool binary(Parser::binary_t& /*value*/) { return false; }

    bool start_object(std::size_t /*size*/) { return open(false); }
    bool start_array(std::size_t /*size*/) { return open(true); }
    bool key(std::string& name) {
        Level& level = levels_.back();
        level.key = std::move(name);
        if (levels_.size() <= partDepth && !level.keys.insert(level.key).second) twice(level.key);
        return true;
    }
    bool end_object() {
        if (const Json* json = levels_.back().json) expectDifferentKeys(*json);
        return close();
    }
    bool end_array() { return close(); }

    template <class Exception>
    bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                     const Exception& error) {
        // Without the library's number of the error.
        const std::string_view said = error.what();
        fail(ErrorCode::BadArgument, "it is not JSON: ",
             shortened(said.substr(std::min(said.size(), said.find("] ") + 2))));
    }

private:
    struct Level {
        bool isArray = false;
        std::size_t count = 0;                 // of an array, so far
        std::string key;                       // of an object, the last one
        std::unordered_set<std::string> keys;  // outside of parts
        Json* json = nullptr;                  // inside of a part that is read
    };

    // Where the next value goes.
    std::string keyHere() const {
        const Level& level = levels_.back();
        return level.isArray ? "[" + std::to_string(level.count) + "]" : level.key;
    }
    [[noreturn]] void refuse(const std::string& why) const {
        std::string place = "the save";
        for (const Level& level : levels_)
            place += level.isArray ? "[" + std::to_string(level.count) + "]" : "." + level.key;
        badJson({nullptr, place}, why);
    }
    [[noreturn]] void twice(const std::string& key) {
        levels_.back().key = key;
        refuse("is there twice");
    }
    void expectDifferentKeys(const Json& object) {
        const Json::Object& members = object.members();
        constexpr std::size_t few = 12;
        if (members.size() <= few) {
            for (auto each = members.begin(); each != members.end(); ++each)
                for (auto other = members.begin(); other != each; ++other)
                    if (each->first == other->first) twice(each->first);
            return;
        }
        std::vector<std::string_view> keys;
        for (const auto& member : members) keys.emplace_back(member.first);
        std::ranges::sort(keys);
        if (const auto found = std::ranges::adjacent_find(keys); found != keys.end())
            twice(std::string(*found));
    }

    // Whether values here are built. Counts them.
    bool isBuilt() {
        if (!isWanted_) return false;
        if (levels_.size() == partDepth) values_ = 0;
        if (++values_ > mostPartValues)
            refuse(sentence("is part of more than ", mostPartValues,
                            " values; keep so many in binary saves"));
        return true;
    }
    Json* put(Json value) {
        Level& level = levels_.back();
        if (levels_.size() == partDepth) {
            part_ = std::move(value);
            return &part_;
        }
        if (level.isArray) return &level.json->add(std::move(value));
        return &level.json->add(level.key, std::move(value));
    }

    bool add(Json value) {
        if (levels_.empty()) notObject();
        if (levels_.size() == 1) {
            isWanted_ = parts_.wants(levels_[0].key);
            if (isWanted_) parts_.takeValue(levels_[0].key, value);
        } else if (isBuilt()) {
            put(std::move(value));
            if (levels_.size() == partDepth) takePart();
        }
        ++levels_.back().count;
        return true;
    }
    bool open(bool isArray) {
        if (levels_.size() >= deepestJson)
            fail(ErrorCode::BadArgument, "the JSON is nested more than ", deepestJson, " deep");
        Level next;
        next.isArray = isArray;
        if (levels_.empty()) {
            if (isArray) notObject();
        } else if (levels_.size() == 1) {
            isWanted_ = parts_.wants(levels_[0].key);
            if (isWanted_) parts_.begin(levels_[0].key, isArray);
        } else if (isBuilt()) {
            next.json = put(isArray ? Json(Json::Array()) : Json(Json::Object()));
        }
        levels_.push_back(std::move(next));
        return true;
    }
    bool close() {
        levels_.pop_back();
        if (levels_.size() == partDepth && isWanted_) takePart();
        if (!levels_.empty()) ++levels_.back().count;
        return true;
    }
    void takePart() { parts_.takePart(levels_[0].key, keyHere(), std::move(part_)); }
    [[noreturn]] static void notObject() { badJson({nullptr, "the save"}, "must be an object"); }

    JsonParts& parts_;
    std::vector<Level> levels_;  // what is open
    bool isWanted_ = false;      // the member of the save that is being read
    Json part_;
    std::size_t values_ = 0;  // of the part
};

}  // namespace

void readParts(std::span<const std::byte> text, JsonParts& parts) {
    const auto* first = reinterpret_cast<const char*>(text.data());
    // The parser takes it for the end.
    if (const auto zero = std::ranges::find(text, std::byte{0}); zero != text.end())
        fail(ErrorCode::BadArgument, "it is not JSON: it has a zero byte, behind ",
             zero - text.begin(), " others");
    PartReader reader(parts);
    Parser::sax_parse(first, first + text.size(), &reader);
}

}  // namespace revenant
