#include <cmath>
#include <cstdio>

#include "lua/state/plain_data.hpp"
#include "world/codec/plain_data.hpp"
#include "world/core/world_core.hpp"
#include "world/forest/entity_serial.hpp"

namespace revenant {

namespace {

using Tag = PlainTag;

// As Lua prints it, with as many digits as it takes to tell it from its neighbours.
std::string textOf(double number) {
    if (std::isnan(number)) return "nan";
    char text[32];
    for (const int digits : {14, 17}) {
        std::snprintf(text, sizeof text, "%.*g", digits, number);
        if (std::strtod(text, nullptr) == number) break;
    }
    return text;
}

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char character : text) {
        if (character == '"' || character == '\\') {
            result += '\\';
            result += character;
        } else if (static_cast<unsigned char>(character) < ' ') {
            result += sentence("\\", static_cast<int>(character));
        } else {
            result += character;
        }
    }
    return result + "\"";
}

bool isName(std::string_view text) {
    const auto isLetter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    if (text.empty() || !isLetter(text.front())) return false;
    for (const char each : text)
        if (!isLetter(each) && !(each >= '0' && each <= '9')) return false;
    return true;
}

class Describer {
public:
    Describer(const WorldCore& world, std::span<const std::byte> data)
        : world_(world), reader_(data) {}

    std::vector<StatePart> describe() {
        value("");
        return std::move(parts_);
    }

private:
    void add(const std::string& path, std::string text) {
        parts_.push_back({path.empty() ? "state" : path, std::move(text)});
    }

    void value(const std::string& path) {
        const Tag tag = reader_.tag();
        switch (tag) {
            case Tag::Table: return table(path, 0);
            case Tag::List: return table(path, reader_.take<std::uint32_t>());
            case Tag::Instance: add(path + ".class", sentence(reader_.text())); return value(path);
            case Tag::Hooked:
                add(path + ".class", sentence(reader_.text()));
                tables_.push_back(path);
                return value(path);
            default: add(path, scalar(tag));
        }
    }

    std::string scalar(Tag tag) {
        switch (tag) {
            case Tag::Nil: return "nil";
            case Tag::False: return "false";
            case Tag::True: return "true";
            case Tag::Number: return textOf(reader_.take<double>());
            case Tag::Text: return quoted(reader_.text());
            case Tag::Entity: return entity(reader_.take<EntityId>());
            case Tag::Class: return sentence("class ", reader_.text());
            case Tag::Component: {
                const PlainComponent component = reader_.component();
                return sentence("component '", component.name, "' of ", entity(component.owner));
            }
            case Tag::OwnClass: return "its own class";
            case Tag::Method: return sentence("its method ", reader_.text());
            case Tag::Again: {
                const auto number = reader_.take<std::uint32_t>();
                if (number >= tables_.size()) PlainReader::broken();
                return tables_[number].empty() ? "the component's table"
                                               : "the same table as " + tables_[number];
            }
            default: PlainReader::broken();
        }
    }

    std::string entity(EntityId id) const {
        const Forest& forest = world_.forest();
        const std::uint32_t serial = serialOf(forest, id);
        if (const EntityRecord* record = forest.pool.findKnown(id))
            return sentence("entity '", world_.components().strings().text(record->name),
                            "' (serial ", serial, ")");
        return sentence("a destroyed entity (serial ", serial, ")");
    }

    void table(const std::string& path, std::uint32_t listed) {
        tables_.push_back(path);
        bool isEmpty = listed == 0;
        for (std::uint32_t i = 1; i <= listed; ++i) value(sentence(path, "[", i, "]"));
        while (reader_.peek() != Tag::End) {
            if (reader_.atEnd()) PlainReader::broken();
            isEmpty = false;
            value(path + key());
        }
        reader_.tag();
        if (isEmpty) add(path, "{}");
    }

    std::string key() {
        const Tag tag = reader_.tag();
        if (tag != Tag::Text) return "[" + scalar(tag) + "]";
        const std::string_view name = reader_.text();
        return isName(name) ? sentence(".", name) : "[" + quoted(name) + "]";
    }

    const WorldCore& world_;
    PlainReader reader_;
    std::vector<std::string> tables_;  // paths, in the order in which they began
    std::vector<StatePart> parts_;
};

}  // namespace

std::vector<StatePart> describePlain(const World& world, std::span<const std::byte> data) {
    if (data.empty()) return {{"state", "nil"}};
    std::vector<StatePart> parts = Describer(WorldCore::of(world), data).describe();
    for (StatePart& part : parts)
        if (part.path.starts_with('.')) part.path.erase(0, 1);
    return parts;
}

}  // namespace revenant
