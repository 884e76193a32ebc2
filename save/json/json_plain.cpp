// Over 300 lines: both directions of one format, side by side so that they stay alike.
#include "save/json/json_plain.hpp"

#include <algorithm>
#include <cmath>
#include <map>
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
            case Tag::Method:
            case Tag::Instance:
            case Tag::Hooked: reader_.text(); return;
            case Tag::Component: reader_.component(); return;
            default: return;
        }
    }

    PlainReader reader_;
    std::set<std::uint32_t> shared_;
};

// Bytes that no script wrote may name a key twice.
bool hasRepeatedKey(const Json::Array& pairs) {
    std::vector<std::string_view> keys;
    for (const Json& pair : pairs) keys.emplace_back(pair.elements()[0].asText());
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
            case Tag::Entity: return referenceToJson(reader_.take<EntityId>());
            case Tag::Again: return {"$again", reader_.take<std::uint32_t>()};
            case Tag::Class: return {"$theClass", textToJson(reader_.text())};
            case Tag::OwnClass: return {"$theClass", Json()};
            case Tag::Method: return {"$method", textToJson(reader_.text())};
            case Tag::Component: {
                const PlainComponent component = reader_.component();
                Json result("$component", textToJson(component.name));
                result.add("of", shortReferenceToJson(component.owner));
                if (component.table == PlainComponent::lostTable) result.add("lost", true);
                return result;
            }
            case Tag::Table: return marked(tables_++, {}, Tag::Table);
            case Tag::List: return marked(tables_++, {}, Tag::List);
            case Tag::Instance: {
                Json name = textToJson(reader_.text());
                return marked(tables_++, {"$class", std::move(name)}, reader_.tag());
            }
            case Tag::Hooked: {
                Json result("$hooked", textToJson(reader_.text()));
                if (shared_.has(tables_)) result.add("$id", tables_);
                ++tables_;
                result.add("state", value());
                return result;
            }
            default: return {};
        }
    }

private:
    // Only bare numbers are valid JSON; others would be read as text.
    static Json numberOf(double number) {
        Json json = number == number ? numberToJson(number) : Json("nan");  // a script has only one
        return json.isText() ? Json("$number", std::move(json)) : std::move(json);
    }

    Json marked(std::uint32_t table, Json head, Tag tag) {
        if (shared_.has(table)) {
            if (head.isNull()) head = Json::Object();
            head.add("$id", table);
        }
        Json content = tag == Tag::List ? list() : pairs({});
        if (head.isNull()) return content;
        head.add("table", std::move(content));
        return head;
    }
    Json list() {
        Json::Array values;
        for (auto count = reader_.take<std::uint32_t>(); count > 0; --count)
            values.push_back(value());
        if (reader_.peek() == Tag::End) {
            reader_.tag();
            return values;
        }
        // A list that has other keys, too.
        return pairs(std::move(values));
    }
    Json pairs(Json::Array values) {
        Json::Array all;
        bool isObject = values.empty();
        while (reader_.peek() != Tag::End) {
            const bool isText = reader_.peek() == Tag::Text;
            Json key = value();
            Json each = value();
            isObject = isObject && isText && key.isText() && !key.asText().starts_with('$');
            Json& pair = all.emplace_back(Json::Array());
            pair.add(std::move(key));
            pair.add(std::move(each));
        }
        reader_.tag();
        // Pairs that are nothing stay: a table in them may be named again.
        if (isObject && !hasRepeatedKey(all)) {
            Json::Object object;
            for (Json& pair : all)
                object.emplace_back(pair.elements()[0].asText(), std::move(pair.elements()[1]));
            return object;
        }
        Json result("$table", std::move(all));
        if (!values.empty()) result.add("list", std::move(values));
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
        if (json.isNull()) return put(Tag::Nil);
        if (json.isBool()) return put(json.asBool() ? Tag::True : Tag::False);
        if (json.isText()) return put(Tag::Text, json.asText());
        if (json.isArray()) return table({}, json, place, depth);
        if (json.isObject()) return object(json, place, depth);
        put(Tag::Number, numberFromJson(json, place));
    }

    void object(const Json& json, const JsonPlace& place, int depth) {
        if (json.members().empty() || !json.members()[0].first.starts_with('$'))
            return table({}, json, place, depth);
        const auto& [mark, content] = json.members()[0];
        const JsonPlace inner{&place, mark};
        expectParts(json, mark, place);
        if (mark == "$number") return put(Tag::Number, numberFromJson(content, inner));
        if (mark == "$bytes") return put(Tag::Text, textFromJson(json, place));
        if (const EntityId id = referenceFromJson(json, place); !id.isNull())
            return put(Tag::Entity, id);
        if (mark == "$again") return again(whole(content, inner), inner);
        if (mark == "$theClass")
            return content.isNull() ? put(Tag::OwnClass)
                                    : put(Tag::Class, textFromJson(content, inner));
        if (mark == "$method") return put(Tag::Method, textFromJson(content, inner));
        if (mark == "$component") return component(json, content, place);
        if (mark == "$table") return table({}, json, place, depth);
        const bool isHooked = mark == "$hooked";
        if (!isHooked && mark != "$class" && mark != "$id")
            badJson(inner, "is not known; keys that begin with $ are the save's own");
        const char* part = isHooked ? "state" : "table";
        const Json* found = json.find(part);
        if (!found) badJson(place, std::string("has no ") + part);
        const Json* id = json.find("$id");
        if (id && !ids_.emplace(whole(*id, inner), tables_).second)
            badJson({&place, "$id"}, "is there twice");
        if (isHooked) {
            put(Tag::Hooked, textFromJson(content, inner));
            ++tables_;
            expectShallow(place, depth);
            const JsonPlace below{&place, part};
            return value(*found, below, depth + 1);
        }
        const JsonPlace below{&place, part};
        table(mark == "$class" ? textFromJson(content, inner) : std::string(), *found, below,
              depth);
    }

    void component(const Json& json, const Json& name, const JsonPlace& place) {
        const Json* of = json.find("of");
        if (!of) badJson(place, "has no of");
        put(Tag::Component, shortReferenceFromJson(*of, {&place, "of"}));
        const std::string text = textFromJson(name, {&place, "$component"});
        const auto put = [this](const void* bytes, std::size_t count) {
            const auto* first = static_cast<const std::byte*>(bytes);
            out_.insert(out_.end(), first, first + count);
        };
        const Json* lost = json.find("lost");
        if (lost && !lost->isBool()) badJson({&place, "lost"}, "must be true or false");
        const std::uint64_t table =
            lost && lost->asBool() ? PlainComponent::lostTable : PlainComponent::unknownTable;
        const auto length = static_cast<std::uint32_t>(text.size());
        put(&table, sizeof table);
        put(&length, sizeof length);
        put(text.data(), text.size());
    }

    // The members that are allowed beside a mark.
    static void expectParts(const Json& json, const std::string& mark, const JsonPlace& place) {
        for (const auto& [key, value] : json.members()) {
            const bool isKnown = key == mark || (mark == "$table" && key == "list") ||
                                 ((mark == "$class" || mark == "$id") && key == "table") ||
                                 (mark == "$hooked" && key == "state") ||
                                 (mark == "$component" && (key == "of" || key == "lost")) ||
                                 ((mark == "$class" || mark == "$hooked") && key == "$id");
            if (!isKnown) badJson({&place, key}, "does not belong beside " + mark);
        }
    }
    static void expectShallow(const JsonPlace& place, int depth) {
        if (depth >= deepestPlain)
            badJson(place, "is nested more than " + std::to_string(deepestPlain) + " deep");
    }

    std::uint32_t whole(const Json& json, const JsonPlace& place) {
        if (!json.isUnsigned() || json.asUnsigned() > UINT32_MAX)
            badJson(place, "must be a whole number, 0 or more");
        return static_cast<std::uint32_t>(json.asUnsigned());
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
        if (json.isArray()) {
            elements(json, place, depth);
        } else if (const Json* all = json.find("$table")) {
            const Json* list = json.find("list");
            if (list && !list->isArray()) badJson(place, "has a list that is no array");
            if (list) {
                elements(*list, {&place, "list"}, depth);
            } else {
                put(Tag::Table);
            }
            expectParts(json, "$table", place);
            pairs(*all, {&place, "$table"}, depth);
        } else if (json.isObject()) {
            put(Tag::Table);
            for (const auto& [key, each] : json.members()) {
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
    void elements(const Json& list, const JsonPlace& place, int depth) {
        put(Tag::List, static_cast<std::uint32_t>(list.elements().size()));
        std::size_t index = 0;
        for (const Json& each : list.elements())
            value(each, {&place, "[" + std::to_string(index++) + "]"}, depth + 1);
    }
    void pairs(const Json& json, const JsonPlace& place, int depth) {
        if (!json.isArray()) badJson(place, "must be pairs of keys and values");
        std::size_t index = 0;
        for (const Json& pair : json.elements()) {
            const JsonPlace below{&place, "[" + std::to_string(index++) + "]"};
            if (!pair.isArray() || pair.elements().size() != 2)
                badJson(below, "must be a key and a value");
            const Json& key = pair.elements()[0];
            const Json* number = key.find("$number");
            if (key.isArray() ||
                (key.isObject() && !number && !key.contains("$bytes") &&
                 referenceFromJson(key, below).isNull() && !key.contains("$component")))
                badJson(below, "has a key that is a table");
            if (number && std::isnan(numberFromJson(*number, below)))
                badJson(below, "has a key that is no number");
            value(key, below, depth + 1);
            value(pair.elements()[1], below, depth + 1);
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
