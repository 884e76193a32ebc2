#include "tests/fuzz/save_mutator.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "tests/fuzz/history_mutator.hpp"

namespace revenant::fuzz {

template <class T>
void SaveMutator::change(T& number) {
    static constexpr std::array<std::uint64_t, 10> telling{
        0, 1, 2, 0x7F, 0x80, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, UINT64_MAX, INT64_MAX};
    switch (below(5)) {
        case 0: number = static_cast<T>(number + 1); break;
        case 1: number = static_cast<T>(number - 1); break;
        case 2: number = static_cast<T>(telling[below(telling.size())]); break;
        case 3: number = static_cast<T>(below(12)); break;
        default: number = static_cast<T>(number ^ std::uint64_t{1} << below(8 * sizeof(T)));
    }
}

void SaveMutator::mutate(SaveImage& image) {
    for (std::uint64_t count = 1 + below(3); count > 0; --count) switch (below(4)) {
            case 0: mutateEntities(image); break;
            case 1: mutateComponents(image); break;
            case 2: mutateMakeups(image); break;
            default: mutateRest(image);
        }
}

void SaveMutator::mutateEntities(SaveImage& image) {
    if (image.entities.empty()) return;
    SavedEntity& entity = any(image.entities);
    switch (below(8)) {
        case 0: change(entity.name); break;
        case 1: change(entity.parent); break;
        case 2: change(entity.serial); break;
        case 3: change(entity.makeup); break;
        case 4: entity.enabled = !entity.enabled; break;
        case 5: entity.rewindable = !entity.rewindable; break;
        case 6: std::swap(entity, any(image.entities)); break;
        default: std::swap(entity.parent, any(image.entities).parent);
    }
    // The writer counts from the child back.
    entity.parent = std::min(entity.parent, static_cast<std::uint32_t>(image.entities.size()));
}

void SaveMutator::mutateComponents(SaveImage& image) {
    if (image.components.empty()) return;
    SavedComponent& component = any(image.components);
    switch (below(12)) {
        case 0: change(component.version); break;
        case 1: component.name = any(image.components).name; break;
        case 2: component.stateKind = static_cast<StateKind>(below(4)); break;
        case 3:
            if (!component.fields.empty()) any(component.fields).type = FieldType(below(10));
            break;
        case 4:
            if (!component.fields.empty()) any(component.fields).count = below(4);
            break;
        case 5:
            if (!component.fields.empty()) any(component.fields).isArray = below(2) == 0;
            break;
        case 6:
            if (!component.fields.empty()) component.fields.push_back(any(component.fields));
            break;
        case 7:
            if (!component.fields.empty()) component.fields.pop_back();
            break;
        case 8:
        case 9:
            if (!component.rows.empty()) wound(component.rows, random_);
            break;
        default:
            if (component.states.empty()) break;
            SavedState& state = any(component.states);
            if (below(6) == 0)
                any(component.stateOfRow) = below(2) == 0 ? 0 : 1;
            else if (below(6) == 0)
                state.make += "x";
            else if (below(6) == 0)
                state.bytes = any(component.states).bytes;
            else
                wound(state.bytes, random_);
    }
    layOut(component);
    component.rows.resize(std::size_t{component.rowCount} * component.rowBytes);
}

void SaveMutator::mutateMakeups(SaveImage& image) {
    if (image.makeups.empty()) return;
    SavedMakeup& makeup = any(image.makeups);
    switch (below(5)) {
        case 0: change(makeup.disabled); break;
        case 1: makeup.components.push_back(static_cast<std::uint32_t>(below(6))); break;
        case 2:
            if (!makeup.components.empty()) makeup.components.pop_back();
            break;
        case 3:
            if (!makeup.components.empty()) change(any(makeup.components));
            break;
        default: image.makeups.push_back(makeup);
    }
}

void SaveMutator::mutateRest(SaveImage& image) {
    switch (below(9)) {
        case 0: change(image.globals.random[below(4)]); break;
        case 1: change(image.globals.lastSerial); break;
        case 2:
            if (below(2) == 0)
                change(image.globals.mainCharacter.index);
            else
                change(image.globals.mainCharacter.generation);
            break;
        case 3: change(image.globals.draws); break;
        case 4: change(image.globals.ticks); break;
        case 5:
            if (!image.strings.empty()) any(image.strings) = any(image.strings);
            break;
        case 6:
            image.resources["r"] = ValueArray{Value(EntityId{static_cast<std::uint32_t>(below(9)),
                                                             static_cast<std::uint32_t>(below(5))}),
                                              Value(static_cast<double>(below(9)))};
            break;
        case 7:
            if (!image.systems.empty()) wound(any(image.systems).state, random_);
            break;
        default:
            if (!image.systems.empty()) any(image.systems).stateKind = StateKind(below(3));
    }
}

void SaveMutator::mutate(Bytes& bytes) {
    wound(bytes, random_);
}

const Json& SaveMutator::anyPart(const Json& json) {
    if (!json.is_structured() || json.empty() || below(4) == 0) return json;
    return anyPart(*std::next(json.begin(), static_cast<std::ptrdiff_t>(below(json.size()))));
}

void SaveMutator::mutate(Json& json, const Json& donor) {
    if (json.is_structured() && !json.empty() && below(8) > 0) {
        auto place = std::next(json.begin(), static_cast<std::ptrdiff_t>(below(json.size())));
        if (below(10) == 0) {
            json.erase(place);
            return;
        }
        return mutate(*place, donor);
    }
    static const Json odd[] = {nullptr,
                               true,
                               -1,
                               0,
                               1.5,
                               1e300,
                               "",
                               "nan",
                               Json::array(),
                               Json::object(),
                               UINT64_MAX,
                               Json{{"$again", 0}},
                               Json{{"$table", {{1, 2}}}},
                               Json{{"$entity", 1}}};
    switch (below(4)) {
        case 0: json = odd[below(std::size(odd))]; break;
        case 1: json = Json(anyPart(donor)); break;
        case 2:
            if (json.is_array()) json.push_back(anyPart(donor));
            if (json.is_object()) json["x"] = anyPart(donor);
            break;
        default:
            if (json.is_number()) json = below(20);
    }
}

}  // namespace revenant::fuzz
