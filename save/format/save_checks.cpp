#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_set>

#include "save/format/save_bytes.hpp"
#include "save/image/entity_references.hpp"
#include "world/forest/forest.hpp"
#include "world/storage/entity_record.hpp"

namespace revenant {

namespace {

template <class... Parts>
[[noreturn]] void damaged(const Parts&... why) {
    fail(ErrorCode::BadArgument, "the save is damaged: ", why...);
}

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
                        "' is an empty array, or has several elements but is no array");
        }
    }
    for (std::size_t i = 0; i < image.makeups.size(); ++i) {
        const SavedMakeup& makeup = image.makeups[i];
        if (makeup.components.size() > maxComponentsPerEntity)
            damaged("entities of makeup ", i, " have too many components");
        std::unordered_set<std::uint32_t> seen;
        for (const std::uint32_t component : makeup.components)
            if (component >= image.components.size() || !seen.insert(component).second)
                damaged("entities of makeup ", i, " have component ", component,
                        ", which is not there, or have it twice");
        const std::size_t count = makeup.components.size();
        if (count < maxComponentsPerEntity && makeup.disabled >> count != 0)
            damaged("in makeup ", i, " a component is disabled that is not there");
    }
}

// An entity as error messages name it; its name only if it has one.
std::string describe(const SaveImage& image, std::size_t index) {
    const std::uint32_t name = image.entities[index].name;
    return name < image.strings.size()
               ? sentence("entity ", index + 1, " '", image.strings[name], "'")
               : sentence("entity ", index + 1);
}

// Two entities with the same serial, for an error message.
std::string describeTwins(const SaveImage& image, std::uint32_t serial) {
    std::string both;
    for (std::size_t i = 0; i < image.entities.size(); ++i)
        if (image.entities[i].serial == serial)
            both += (both.empty() ? "" : " and ") + describe(image, i);
    return both;
}

// Checks that entities come depth first, parents before children, and that no two have the same serial.
void checkEntities(const SaveImage& image) {
    if (image.entities.size() > mostEntities) damaged("it has too many entities");
    std::vector<std::uint32_t> serials;
    std::vector<std::uint32_t> path;  // from a root to the entity before
    for (std::size_t i = 0; i < image.entities.size(); ++i) {
        const SavedEntity& entity = image.entities[i];
        if (entity.name >= image.strings.size()) damaged(describe(image, i), " has no name");
        if (entity.makeup >= image.makeups.size()) damaged(describe(image, i), " has no makeup");
        if (entity.parent > i)
            damaged(describe(image, i), " has a parent that does not come before it");
        while (!path.empty() && path.back() != entity.parent) path.pop_back();
        if (entity.parent != 0 && path.empty())
            damaged(describe(image, i), " does not follow its siblings, or their children");
        path.push_back(static_cast<std::uint32_t>(i + 1));
        serials.push_back(entity.serial);
    }
    std::ranges::sort(serials);
    if (const auto twin = std::ranges::adjacent_find(serials); twin != serials.end())
        damaged(describeTwins(image, *twin), " have one serial, ", *twin);
    // Serials count up from the last one; entities that outlived a rewind to before their creation, or were created in the
    // past, count down from the end.
    constexpr std::uint32_t mostSerial = UINT32_MAX - (1U << 28);
    for (const std::uint32_t serial : serials) {
        const bool isStray = serial > mostSerial && serial <= Forest::firstStraySerial;
        if (serial == 0 || (serial > image.globals.lastSerial && !isStray))
            damaged(describeTwins(image, serial), " has serial ", serial,
                    ", which is not from 1 to the last serial, ", image.globals.lastSerial);
    }
    if (image.globals.lastSerial > mostSerial)
        damaged("its last serial, ", image.globals.lastSerial, ", leaves none for new entities");
}

// The entity that a row belongs to.
std::size_t ownerOf(const SaveImage& image, const SavedComponent& component, std::uint32_t row) {
    const auto number = static_cast<std::uint32_t>(&component - image.components.data());
    for (std::size_t i = 0; i < image.entities.size(); ++i) {
        const auto& has = image.makeups[image.entities[i].makeup].components;
        if (std::ranges::find(has, number) != has.end() && row-- == 0) return i;
    }
    return 0;
}

bool isReference(const SaveImage& image, EntityId id) noexcept {
    if (id.index == 0) return id.generation == 0;
    return id.generation == SavedReference::there
               ? id.index <= image.entities.size()
               : id.generation == SavedReference::gone || id.generation == SavedReference::unknown;
}

bool isPackedReference(const SaveImage& image, std::uint64_t packed) noexcept {
    const EntityId id = SavedReference::unpack(packed);
    return isReference(image, id) && SavedReference::pack(id) == packed;
}

void checkElements(const SaveImage& image, const SavedComponent& component, const SavedField& field,
                   std::uint32_t row) {
    const std::byte* at =
        component.rows.data() + std::size_t{row} * component.rowBytes + field.offset;
    for (std::uint32_t i = 0; i < field.count; ++i, at += sizeOf(field.type)) {
        std::uint64_t value = 0;
        std::memcpy(&value, at, sizeOf(field.type));
        const bool isFine = field.type == FieldType::String   ? value < image.strings.size()
                            : field.type == FieldType::Entity ? isPackedReference(image, value)
                                                              : value <= 1;
        if (!isFine)
            damaged(describe(image, ownerOf(image, component, row)), ", component '",
                    component.name, "', field '", field.name, "' is ", value, ", which is no ",
                    nameOf(field.type), " of the save");
    }
}

void checkRows(const SaveImage& image, const SavedComponent& component) {
    for (const SavedField& field : component.fields) {
        if (field.type != FieldType::String && field.type != FieldType::Entity &&
            field.type != FieldType::Bool)
            continue;
        for (std::uint32_t row = 0; row < component.rowCount; ++row)
            checkElements(image, component, field, row);
    }
}

// Errors begin with what `place()` says.
template <class Place, class Work>
void behind(Place place, Work work) {
    try {
        work();
    } catch (const Error& error) {
        error.throwBehind(place());
    }
}

void checkReferences(const SaveImage& image) {
    const EntityTranslation same = [&](EntityId id) {
        if (!isReference(image, id)) damaged("it names entity ", id.index, ", which is not there");
        return id;
    };
    for (const SavedComponent& component : image.components)
        for (std::uint32_t row = 0;
             component.stateKind == StateKind::Plain && row < component.rowCount; ++row)
            if (const SavedState* state = component.findState(row))
                behind(
                    [&] {
                        return sentence(describe(image, ownerOf(image, component, row)),
                                        ", component '", component.name, "': ");
                    },
                    [&] { translatePlain(state->bytes, same); });
    std::unordered_set<std::string_view> systems;
    for (const SavedSystem& system : image.systems)
        behind([&] { return sentence("system '", system.name, "': "); },
               [&] {
                   if (!systems.insert(system.name).second) damaged("it is there twice");
                   if (system.stateKind == StateKind::Plain) translatePlain(system.state, same);
                   if (!std::isfinite(system.accumulatedSeconds))
                       damaged("it has a time that is no number");
               });
    for (const auto& resource : image.resources) {  // clang 14 captures no structured bindings
        if (resource.first.empty()) damaged("a resource has no name");
        behind([&] { return sentence("resource '", resource.first, "': "); },
               [&] { translateValue(resource.second, same); });
    }
    behind([] { return std::string("the main character: "); },
           [&] { same(image.globals.mainCharacter); });
    behind([] { return std::string("the main camera: "); },
           [&] { same(image.globals.mainCamera); });
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
