#include "rewind/tools/divergence.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <map>
#include <string_view>
#include <type_traits>
#include <utility>

#include "rewind/record/state_hash.hpp"
#include "world/codec/value_bytes.hpp"
#include "world/core/world_core.hpp"
#include "world/forest/entity_serial.hpp"

namespace revenant {

namespace {

std::string nameOf(const std::string& name, std::uint32_t serial) {
    return sentence("'", name, "' (serial ", serial, ")");
}

class Painter {
public:
    explicit Painter(WorldCore& world) : world_(world) {}

    WorldImage paint() {
        WorldImage image;
        for (const OrderNode& node : world_.forest().order.nodes()) {
            const EntityRecord& record = world_.forest().recordOf(node);
            if (!node.closes && isRewindable(record)) image.entities.push_back(entity(record));
        }
        const WorldGlobals globals = world_.getGlobals();
        image.globals.push_back({"", "main character", serialOf(globals.mainCharacter)});
        image.globals.push_back({"", "main camera", serialOf(globals.mainCamera)});
        image.globals.push_back({"", "time", text(globals.seconds)});
        image.globals.push_back({"", "ticks", text(globals.ticks)});
        image.globals.push_back({"", "entities made so far", text(globals.lastSerial)});
        std::string random;
        for (const std::uint64_t word : globals.random) random += text(word) + " ";
        image.globals.push_back({"", "state of the random numbers", random});
        for (const auto& [name, resource] : world_.resources().all())
            if (const auto* value = std::any_cast<Value>(&resource.value); value && resource.rewind)
                image.globals.push_back({"", sentence("resource '", name, "'"), text(*value)});
        std::vector<std::byte> state;
        for (const auto& system : world_.getSystems()) {
            if (system->getOptions().fixedStepSeconds > 0)
                image.globals.push_back(
                    {"", sentence("accumulated time of system '", system->getName(), "'"),
                     text(system->getAccumulatedSeconds())});
            if (!system->hasRewindState()) continue;
            state.clear();
            getState(*system, state);
            addState(image.globals, "", sentence("state of system '", system->getName(), "'"),
                     system->describeRewindState(hookedPart(state)), state);
        }
        return image;
    }

private:
    template <class Number>
    static std::string text(Number number) {
        if constexpr (std::is_floating_point_v<Number>) {
            std::array<char, 32> buffer{};
            std::snprintf(buffer.data(), buffer.size(), "%.*g",
                          std::numeric_limits<double>::max_digits10, static_cast<double>(number));
            return buffer.data();
        } else {
            return std::to_string(number);
        }
    }
    std::string text(const Value& value) {
        if (const auto* flag = value.as<bool>()) return *flag ? "true" : "false";
        if (const auto* whole = value.as<std::int64_t>()) return text(*whole);
        if (const auto* number = value.as<double>()) return text(*number);
        if (const auto* string = value.as<std::string>()) return *string;
        if (const auto* id = value.as<EntityId>()) return serialOf(*id);
        std::string all;
        if (const auto* values = value.as<ValueArray>())
            for (const Value& each : *values) all += text(each) + " ";
        return all;
    }
    static std::string bytes(const std::vector<std::byte>& state) {
        constexpr const char* digits = "0123456789abcdef";
        std::string out;
        for (const std::byte byte : state) {
            out += digits[std::to_integer<unsigned>(byte) >> 4U];
            out += digits[std::to_integer<unsigned>(byte) & 15U];
        }
        return out;
    }
    // The parts of a state, or its bytes where its hook names no parts.
    static void addState(std::vector<WorldImage::FieldImage>& fields, const std::string& component,
                         const std::string& what, std::vector<StatePart> parts,
                         const std::vector<std::byte>& state) {
        if (parts.empty()) parts.push_back({what.empty() ? "state" : "", bytes(state)});
        for (StatePart& part : parts)
            fields.push_back({component,
                              what.empty() || part.path.empty() ? what + part.path
                                                                : sentence(what, ", ", part.path),
                              std::move(part.value)});
    }
    std::string serialOf(EntityId id) const {
        const EntityRecord* record = world_.forest().pool.find(id);
        if (record) return nameOf(world_.components().strings().text(record->name), record->serial);
        // Destroyed entities still differ from each other.
        const std::uint32_t lost = revenant::serialOf(world_.forest(), id);
        return lost == 0 ? std::string("none") : sentence("a destroyed one (serial ", lost, ")");
    }

    WorldImage::EntityImage entity(const EntityRecord& record) {
        const Forest& forest = world_.forest();
        WorldImage::EntityImage image;
        image.serial = record.serial;
        image.name = world_.components().strings().text(record.name);
        const EntityRecord* parent = forest.settledParentOf(record);
        const EntityRecord* previous = forest.settledPreviousOf(record);
        image.fields.push_back({"", "parent", serialOf(parent ? parent->id : EntityId{})});
        image.fields.push_back(
            {"", "previous sibling", serialOf(previous ? previous->id : EntityId{})});
        image.fields.push_back({"", "enabled", record.enabled ? "true" : "false"});
        const auto& types = record.shape->types();
        std::vector<std::byte> state;
        for (std::size_t i = 0; i < types.size(); ++i) {
            const ComponentType& type = world_.components().at(types[i]);
            const std::string& name = type.schema.name;
            image.fields.push_back(
                {name, "enabled", record.disabledComponents() >> i & 1 ? "false" : "true"});
            for (const Field& field : type.schema.fields)
                image.fields.push_back(
                    {name, field.name,
                     text(readField(world_.components().strings(), field, record.slotAt(i)))});
            if (!type.hooks || !type.hooks->isRewound() ||
                !type.hooks->hasRewindState(record.slotAt(i)))
                continue;
            state.clear();
            type.hooks->getRewindState(record.id, record.slotAt(i), state);
            addState(image.fields, name, "", type.hooks->describeRewindState(state), state);
        }
        return image;
    }

    WorldCore& world_;
};

bool has(const std::vector<WorldImage::FieldImage>& fields, const WorldImage::FieldImage& named) {
    return std::ranges::any_of(fields, [&](const WorldImage::FieldImage& each) {
        return each.component == named.component && each.field == named.field;
    });
}

// The first field that only one has, or that has another value in the other.
std::optional<Divergence> compare(const std::vector<WorldImage::FieldImage>& here,
                                  const std::vector<WorldImage::FieldImage>& there) {
    for (std::size_t i = 0; i < std::max(here.size(), there.size()); ++i) {
        const bool same = i < here.size() && i < there.size() &&
                          here[i].component == there[i].component &&
                          here[i].field == there[i].field;
        if (same && here[i].value == there[i].value) continue;
        // Where both go on with different fields, one of them is missing in the other.
        const bool isHere = i < here.size() && (same || i >= there.size() || !has(there, here[i]));
        const WorldImage::FieldImage& named = isHere ? here[i] : there[i];
        Divergence found;
        found.component = named.component;
        found.field = named.field;
        found.here = isHere ? here[i].value : "absent";
        found.there = same || !isHere ? there[i].value : "absent";
        return found;
    }
    return std::nullopt;
}

using Fields = std::vector<WorldImage::FieldImage>;

// All fields that only one has, or that have another value in the other.
void compareAll(const std::string& entity, const Fields& here, const Fields& there,
                std::size_t most, std::vector<Divergence>& found) {
    using Key = std::pair<std::string_view, std::string_view>;
    std::map<Key, std::pair<const std::string*, const std::string*>> values;
    for (const auto& each : here) values[{each.component, each.field}].first = &each.value;
    for (const auto& each : there) values[{each.component, each.field}].second = &each.value;
    const auto textOf = [](const std::string* value) { return value ? *value : "absent"; };
    for (const auto& [key, pair] : values) {
        if (found.size() >= most) return;
        if (pair.first && pair.second && *pair.first == *pair.second) continue;
        found.push_back({0, entity, std::string(key.first), std::string(key.second),
                         textOf(pair.first), textOf(pair.second)});
    }
}

}  // namespace

std::string Divergence::describe() const {
    std::string what = component.empty() ? field : component + "." + field;
    if (!entity.empty()) what = entity + ", " + what;
    return sentence("frame ", frame, ": ", what, " is ", here, " here and ", there, " there");
}

WorldImage imageOf(WorldCore& world) {
    return Painter(world).paint();
}

std::optional<Divergence> firstDifference(const WorldImage& here, const WorldImage& there) {
    for (std::size_t i = 0; i < std::max(here.entities.size(), there.entities.size()); ++i) {
        if (i >= here.entities.size() || i >= there.entities.size() ||
            here.entities[i].serial != there.entities[i].serial) {
            auto name = [i](const WorldImage& image) {
                return i < image.entities.size()
                           ? nameOf(image.entities[i].name, image.entities[i].serial)
                           : std::string("none");
            };
            Divergence found;
            found.field = sentence("entity ", i + 1, " in world order");
            found.here = name(here);
            found.there = name(there);
            return found;
        }
        if (auto found = compare(here.entities[i].fields, there.entities[i].fields)) {
            found->entity = nameOf(here.entities[i].name, here.entities[i].serial);
            return found;
        }
    }
    return compare(here.globals, there.globals);
}

std::vector<Divergence> differences(const WorldImage& here, const WorldImage& there,
                                    std::size_t most) {
    std::vector<Divergence> found;
    std::map<std::uint32_t, const WorldImage::EntityImage*> others;
    for (const auto& entity : there.entities) others.emplace(entity.serial, &entity);
    for (const auto& entity : here.entities) {
        if (found.size() >= most) return found;
        const std::string name = nameOf(entity.name, entity.serial);
        const auto other = others.find(entity.serial);
        if (other == others.end()) {
            found.push_back({0, name, "", "the entity", "there", "absent"});
            continue;
        }
        compareAll(name, entity.fields, other->second->fields, most, found);
        others.erase(other);
    }
    for (const auto& [serial, entity] : others) {
        if (found.size() >= most) return found;
        found.push_back({0, nameOf(entity->name, serial), "", "the entity", "absent", "there"});
    }
    compareAll("", here.globals, there.globals, most, found);
    return found;
}

}  // namespace revenant
