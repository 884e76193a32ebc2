#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_set>

#include "save/format/save_bytes.hpp"
#include "save/image/entity_references.hpp"
#include "world/storage/entity_record.hpp"

namespace revenant {

namespace {

template <class... Parts>
[[noreturn]] void damaged(const Parts&... why) {
    fail(ErrorCode::BadArgument, "the save is damaged: ", why...);
}

// A world has room for this many.
constexpr std::size_t mostEntities = std::size_t{1} << 24;

void checkComponents(const SaveImage& image) {
    std::unordered_set<std::string_view> names;
    for (const SavedComponent& component : image.components) {
        if (component.name.empty()) damaged("a component has no name");
        if (!names.insert(component.name).second)
            damaged("component '", component.name, "' is there twice");
        if (component.version == 0) damaged("component '", component.name, "' has no version");
        std::unordered_set<std::string_view> fields;
        for (const SavedField& field : component.fields) {
            if (field.name.empty() || !fields.insert(field.name).second)
                damaged("component '", component.name, "' has a field without name, or twice");
            if (field.count == 0 || (field.count > 1 && !field.isArray))
                damaged("component '", component.name, "', field '", field.name,
                        "' is an empty array, or many but no array");
        }
    }
    for (const SavedMakeup& makeup : image.makeups) {
        if (makeup.components.size() > maxComponentsPerEntity)
            damaged("an entity has too many components");
        std::unordered_set<std::uint32_t> seen;
        for (const std::uint32_t component : makeup.components)
            if (component >= image.components.size() || !seen.insert(component).second)
                damaged("an entity has a component that is not there, or one twice");
        const std::size_t count = makeup.components.size();
        if (count < maxComponentsPerEntity && makeup.disabled >> count != 0)
            damaged("a component is disabled that is not there");
    }
}

// Depth first, parents before children; serials are those of different entities.
void checkEntities(const SaveImage& image) {
    if (image.entities.size() > mostEntities) damaged("it has too many entities");
    std::vector<std::uint32_t> serials;
    std::vector<std::uint32_t> path;  // from a root to the entity before
    for (std::size_t i = 0; i < image.entities.size(); ++i) {
        const SavedEntity& entity = image.entities[i];
        if (entity.name >= image.strings.size()) damaged("an entity has no name");
        if (entity.makeup >= image.makeups.size()) damaged("an entity has no makeup");
        if (entity.parent > i) damaged("a parent does not come before its child");
        while (!path.empty() && path.back() != entity.parent) path.pop_back();
        if (entity.parent != 0 && path.empty()) damaged("a child does not follow its siblings");
        path.push_back(static_cast<std::uint32_t>(i + 1));
        serials.push_back(entity.serial);
    }
    std::ranges::sort(serials);
    if (std::ranges::adjacent_find(serials) != serials.end())
        damaged("two entities have one serial");
    if (!serials.empty() && (serials.front() == 0 || serials.back() > image.globals.lastSerial))
        damaged("a serial is out of range");
}

void checkElements(const SaveImage& image, const SavedComponent& component, const SavedField& field,
                   const std::byte* at) {
    for (std::uint32_t i = 0; i < field.count; ++i, at += sizeOf(field.type)) {
        std::uint64_t value = 0;
        std::memcpy(&value, at, sizeOf(field.type));
        const bool isFine = field.type == FieldType::String   ? value < image.strings.size()
                            : field.type == FieldType::Entity ? value <= image.entities.size()
                                                              : value <= 1;
        if (!isFine)
            damaged("component '", component.name, "', field '", field.name,
                    "' has a value that is none of its type");
    }
}

void checkRows(const SaveImage& image, const SavedComponent& component) {
    for (const SavedField& field : component.fields) {
        if (field.type != FieldType::String && field.type != FieldType::Entity &&
            field.type != FieldType::Bool)
            continue;
        for (std::uint32_t row = 0; row < component.rowCount; ++row)
            checkElements(
                image, component, field,
                component.rows.data() + std::size_t{row} * component.rowBytes + field.offset);
    }
}

void checkReferences(const SaveImage& image) {
    const EntityTranslation same = [&](EntityId id) {
        if (id.index > image.entities.size() || id.isNull() != (id.index == 0))
            damaged("an entity that something names is not there");
        return id;
    };
    for (const SavedComponent& component : image.components)
        if (component.stateKind == StateKind::Plain)
            for (const SavedState& state : component.states)
                if (state.isThere) translatePlain(state.bytes, same);
    for (const SavedSystem& system : image.systems) {
        if (system.stateKind == StateKind::Plain) translatePlain(system.state, same);
        if (!std::isfinite(system.accumulatedSeconds))
            damaged("a system has a time that is no number");
    }
    for (const auto& [name, value] : image.resources) {
        if (name.empty()) damaged("a resource has no name");
        translateValue(value, same);
    }
    same(image.globals.mainCharacter);
    same(image.globals.mainCamera);
    if (!std::isfinite(image.globals.seconds)) damaged("the world's time is no number");
}

}  // namespace

void checkImage(const SaveImage& image) {
    checkComponents(image);
    checkEntities(image);
    for (const SavedComponent& component : image.components) checkRows(image, component);
    checkReferences(image);
}

}  // namespace revenant
