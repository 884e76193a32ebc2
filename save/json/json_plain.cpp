// Over 300 lines: both directions of one format, kept side by side so that they stay alike.
#include "save/json/json_plain.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "save/image/entity_references.hpp"
#include "world/codec/plain_data.hpp"
#include "world/error.hpp"

namespace revenant {

namespace {

using Tag = PlainTag;

// Which tables occur more than once: only those get an id.
class SharedTables {
public:
    explicit SharedTables(std::span<const std::byte> data) : reader_(data) {
        while (!reader_.atEnd()) next();
    }
    bool has(std::uint32_t table) const { return shared_.contains(table); }

private:
    void next() {
        switch (reader_.tag()) {
            case Tag::Number:
            case Tag::Entity: reader_.take<std::uint64_t>(); return;
            case Tag::List: reader_.take<std::uint32_t>(); return;
            case Tag::Again: shared_.insert(reader_.take<std::uint32_t>()); return;
            case Tag::Text:
            case Tag::Class:
            case Tag::Instance:
            case Tag::Hooked: reader_.text(); return;
            default: return;
        }
    }

    PlainReader reader_;
    std::set<std::uint32_t> shared_;
};

// Bytes that no script wrote may name a key twice.
bool hasRepeatedKey(const Json& pairs) {
    std::vector<std::string_view> keys;
    for (const Json& pair : pairs) keys.emplace_back(pair[0].get_ref<const std::string&>());
    std::ranges::sort(keys);
    return std::ranges::adjacent_find(keys) != keys.end();
}

class PlainWriter {
public:
    explicit PlainWriter(std::span<const std::byte> data) : reader_(data), shared_(data) {}

    Json value() {
        switch (reader_.tag()) {
            case Tag::False: return false;
            case Tag::True: return true;
            case Tag::Number: return numberOf(reader_.take<double>());
            case Tag::Text: return textToJson(reader_.text());
            case Tag::Entity: return Json{{"$entity", reader_.take<EntityId>().index}};
            case Tag::Again: return Json{{"$again", reader_.take<std::uint32_t>()}};
            case Tag::Class: return Json{{"$theClass", textToJson(reader_.text())}};
            case Tag::OwnClass: return Json{{"$theClass", nullptr}};
            case Tag::Table: return marked(tables_++, {}, Tag::Table);
            case Tag::List: return marked(tables_++, {}, Tag::List);
            case Tag::Instance: {
                Json name = textToJson(reader_.text());
                return marked(tables_++, Json{{"$class", std::move(name)}}, reader_.tag());
            }
            case Tag::Hooked: {
                Json result{{"$hooked", textToJson(reader_.text())}};
                if (shared_.has(tables_)) result["$id"] = tables_;
                ++tables_;
                result["state"] = value();
                return result;
            }
            default: return nullptr;
        }
    }

private:
    // Only bare numbers are valid JSON; others would be read as text.
    static Json numberOf(double number) {
        Json json = number == number ? numberToJson(number) : Json("nan");  // a script has only one
        return json.is_string() ? Json{{"$number", std::move(json)}} : json;
    }

    Json marked(std::uint32_t table, Json head, Tag tag) {
        if (shared_.has(table)) head["$id"] = table;
        Json content = tag == Tag::List ? list() : pairs(Json::array());
        if (head.is_null()) return content;
        head["table"] = std::move(content);
        return head;
    }
    Json list() {
        Json values = Json::array();
        for (auto count = reader_.take<std::uint32_t>(); count > 0; --count)
            values.push_back(value());
        if (reader_.peek() == Tag::End) {
            reader_.tag();
            return values;
        }
        // A list that has other keys, too.
        return pairs(std::move(values));
    }
    Json pairs(Json values) {
        Json all = Json::array();
        bool isObject = values.empty();
        while (reader_.peek() != Tag::End) {
            const bool isText = reader_.peek() == Tag::Text;
            Json key = value();
            Json each = value();
            isObject = isObject && isText && key.is_string() &&
                       !key.get_ref<const std::string&>().starts_with('$');
            all.push_back(Json::array({std::move(key), std::move(each)}));
        }
        reader_.tag();
        // Pairs that are nothing stay: a table in them may be named again.
        if (isObject && !hasRepeatedKey(all)) {
            Json object = Json::object();
            // Not by [], which looks at all the others.
            auto& members = object.get_ref<Json::object_t&>();
            for (Json& pair : all)
                members.emplace_back(pair[0].get<std::string>(), std::move(pair[1]));
            return object;
        }
        Json result{{"$table", std::move(all)}};
        if (!values.empty()) result["list"] = std::move(values);
        return result;
    }

    PlainReader reader_;
    SharedTables shared_;
    std::uint32_t tables_ = 0;
};

class PlainParser {
public:
    std::vector<std::byte> run(const Json& json, const JsonPlace& place) {
        value(json, place, 0);
        return std::move(out_);
    }

private:
    void put(Tag tag) { out_.push_back(static_cast<std::byte>(tag)); }
    template <class T>
    void put(Tag tag, const T& content) {
        put(tag);
        const auto bytes = std::as_bytes(std::span(&content, 1));
        out_.insert(out_.end(), bytes.begin(), bytes.end());
    }
    void put(Tag tag, const std::string& text) {
        put(tag, static_cast<std::uint32_t>(text.size()));
        const auto bytes = std::as_bytes(std::span(text));
        out_.insert(out_.end(), bytes.begin(), bytes.end());
    }

    void value(const Json& json, const JsonPlace& place, int depth) {
        switch (json.type()) {
            case Json::value_t::null: return put(Tag::Nil);
            case Json::value_t::boolean: return put(json.get<bool>() ? Tag::True : Tag::False);
            case Json::value_t::string: return put(Tag::Text, json.get_ref<const std::string&>());
            case Json::value_t::array: return table({}, json, place, depth);
            case Json::value_t::object: return object(json, place, depth);
            default: return put(Tag::Number, numberFromJson(json, place));
        }
    }

    void object(const Json& json, const JsonPlace& place, int depth) {
        if (json.empty() || !json.begin().key().starts_with('$'))
            return table({}, json, place, depth);
        const std::string& mark = json.begin().key();
        const Json& content = *json.begin();
        const JsonPlace inner{&place, mark};
        expectParts(json, mark, place);
        if (mark == "$number") return put(Tag::Number, numberFromJson(content, inner));
        if (mark == "$bytes") return put(Tag::Text, textFromJson(json, place));
        if (mark == "$entity") return put(Tag::Entity, EntityId{whole(content, inner), 1});
        if (mark == "$again") return again(whole(content, inner), inner);
        if (mark == "$theClass")
            return content.is_null() ? put(Tag::OwnClass)
                                     : put(Tag::Class, textFromJson(content, inner));
        if (mark == "$table") return table({}, json, place, depth);
        const bool isHooked = mark == "$hooked";
        if (!isHooked && mark != "$class" && mark != "$id")
            badJson(inner, "is not known; keys that begin with $ are the save's own");
        const char* part = isHooked ? "state" : "table";
        if (!json.contains(part)) badJson(place, std::string("has no ") + part);
        const Json* id = json.contains("$id") ? &json["$id"] : nullptr;
        if (id && !ids_.emplace(whole(*id, inner), tables_).second)
            badJson({&place, "$id"}, "is there twice");
        if (isHooked) {
            put(Tag::Hooked, textFromJson(content, inner));
            ++tables_;
            expectShallow(place, depth);
            const JsonPlace below{&place, part};
            return value(json[part], below, depth + 1);
        }
        const JsonPlace below{&place, part};
        table(mark == "$class" ? textFromJson(content, inner) : std::string(), json[part], below,
              depth);
    }

    // The members that are allowed beside a mark.
    static void expectParts(const Json& json, const std::string& mark, const JsonPlace& place) {
        for (const auto& [key, value] : json.items()) {
            const bool isKnown = key == mark || (mark == "$table" && key == "list") ||
                                 ((mark == "$class" || mark == "$id") && key == "table") ||
                                 (mark == "$hooked" && key == "state") ||
                                 ((mark == "$class" || mark == "$hooked") && key == "$id");
            if (!isKnown) badJson({&place, key}, "does not belong beside " + mark);
        }
    }
    static void expectShallow(const JsonPlace& place, int depth) {
        if (depth >= deepestPlain)
            badJson(place, "is nested more than " + std::to_string(deepestPlain) + " deep");
    }

    std::uint32_t whole(const Json& json, const JsonPlace& place) {
        if (!json.is_number_unsigned() || json.get<std::uint64_t>() > UINT32_MAX)
            badJson(place, "must be a whole number, 0 or more");
        return json.get<std::uint32_t>();
    }
    void again(std::uint32_t id, const JsonPlace& place) {
        const auto found = ids_.find(id);
        if (found == ids_.end()) badJson(place, "names a table that does not come before it");
        put(Tag::Again, found->second);
    }

    void table(const std::string& className, const Json& json, const JsonPlace& place, int depth) {
        expectShallow(place, depth);
        if (!className.empty()) put(Tag::Instance, className);
        ++tables_;
        if (json.is_array()) {
            put(Tag::List, static_cast<std::uint32_t>(json.size()));
            elements(json, place, depth);
        } else if (json.is_object() && json.contains("$table")) {
            const bool hasList = json.contains("list");
            if (hasList && !json["list"].is_array()) badJson(place, "has a list that is none");
            if (hasList) {
                put(Tag::List, static_cast<std::uint32_t>(json["list"].size()));
                elements(json["list"], {&place, "list"}, depth);
            } else {
                put(Tag::Table);
            }
            expectParts(json, "$table", place);
            pairs(json["$table"], {&place, "$table"}, depth);
        } else if (json.is_object()) {
            put(Tag::Table);
            for (const auto& [key, each] : json.items()) {
                const JsonPlace below{&place, key};
                if (key.starts_with('$')) badJson(below, "is not known here");
                put(Tag::Text, key);
                value(each, below, depth + 1);
            }
        } else {
            badJson(place, "must be a table: an array or an object");
        }
        put(Tag::End);
    }
    void elements(const Json& json, const JsonPlace& place, int depth) {
        for (std::size_t i = 0; i < json.size(); ++i)
            value(json[i], {&place, "[" + std::to_string(i) + "]"}, depth + 1);
    }
    void pairs(const Json& json, const JsonPlace& place, int depth) {
        if (!json.is_array()) badJson(place, "must be pairs of keys and values");
        for (std::size_t i = 0; i < json.size(); ++i) {
            const JsonPlace below{&place, "[" + std::to_string(i) + "]"};
            const Json& pair = json[i];
            if (!pair.is_array() || pair.size() != 2) badJson(below, "must be a key and a value");
            if (pair[0].is_array() ||
                (pair[0].is_object() && !pair[0].contains("$bytes") &&
                 !pair[0].contains("$entity") && !pair[0].contains("$number")))
                badJson(below, "has a key that is a table");
            if (pair[0].is_object() && pair[0].contains("$number") &&
                std::isnan(numberFromJson(pair[0]["$number"], below)))
                badJson(below, "has a key that is no number");
            value(pair[0], below, depth + 1);
            value(pair[1], below, depth + 1);
        }
    }

    std::vector<std::byte> out_;
    std::map<std::uint32_t, std::uint32_t> ids_;  // of the JSON -> of the bytes
    std::uint32_t tables_ = 0;
};

}  // namespace

Json plainToJson(std::span<const std::byte> data) {
    return PlainWriter(data).value();
}

std::vector<std::byte> plainFromJson(const Json& json, const JsonPlace& place) {
    return PlainParser().run(json, place);
}

}  // namespace revenant
