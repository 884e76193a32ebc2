// The second half of FileValidator: the content of entities, and states.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <unordered_set>

#include "rewind/file/file_validator.hpp"
#include "world/codec/value_bytes.hpp"
#include "world/storage/entity_record.hpp"

namespace revenant {

namespace {

// Whether all are different. Sorts them.
template <class Key>
bool areDistinct(std::vector<Key>& keys) {
    std::ranges::sort(keys);
    return std::ranges::adjacent_find(keys) == keys.end();
}

template <class Range, class KeyOf>
auto keysOf(const Range& range, KeyOf keyOf) {
    std::vector<decltype(keyOf(*range.begin()))> keys;
    keys.reserve(range.size());
    for (const auto& each : range) keys.push_back(keyOf(each));
    return keys;
}

}  // namespace

void FileValidator::prepareSchemas() {
    for (const ComponentSchema& schema : file_.components) {
        std::vector<Strict>& strict = strict_.emplace_back();
        for (const Field& field : schema.fields)
            if (field.type == FieldType::String || field.type == FieldType::Bool)
                strict.push_back({field.type, field.offset, field.count});
        Words defaults((schema.defaults.size() + 3) / 4, 0);
        std::memcpy(defaults.data(), schema.defaults.data(), schema.defaults.size());
        checkComponent(static_cast<ComponentTypeId>(strict_.size() - 1), defaults.data());
    }
}

std::size_t FileValidator::wordsOfType(ComponentTypeId type) const {
    require(type < file_.components.size(), "a component is of no known type");
    return (file_.components[type].size + std::size_t{3}) / 4;
}

// REQUIRES: as many words as the type has.
void FileValidator::checkComponent(ComponentTypeId type, const std::uint32_t* words) const {
    const std::size_t size = file_.components[type].size;
    if (const std::size_t last = size % 4; last != 0)
        require(words[size / 4] >> (last * 8) == 0, "a component goes on beyond its end");
    const auto* bytes = reinterpret_cast<const std::byte*>(words);
    for (const Strict& field : strict_[type])
        for (std::uint32_t i = 0; i < field.count; ++i) {
            if (field.type == FieldType::Bool) {
                const auto value = static_cast<std::uint8_t>(bytes[field.offset + i]);
                require(value <= 1, "a field of type bool is neither true nor false");
            } else {
                std::uint32_t id = 0;
                std::memcpy(&id, bytes + field.offset + i * sizeof id, sizeof id);
                const bool isThere =
                    id < file_.strings.size() && (id == 0 || !file_.strings[id].empty());
                require(isThere, "a string is not in the table");
            }
        }
}

void FileValidator::checkDisabled(std::uint64_t disabled, const Words& image) const {
    std::size_t components = 0;
    for (std::size_t at = 0; at < image.size(); at += 1 + wordsOf(image[at])) ++components;
    require(components <= maxComponentsPerEntity, "an entity has too many components");
    require(static_cast<std::size_t>(std::bit_width(disabled)) <= components,
            "a component is disabled that is not there");
}

void FileValidator::checkMakeup(const Makeup& makeup) const {
    const Words& image = makeup.image;
    bool isFirst = true;
    ComponentTypeId last = 0;
    for (std::size_t at = 0; at < image.size(); at += 1 + wordsOf(image[at])) {
        const ComponentTypeId type = typeOf(image[at]);
        require(isFirst || last < type, "components are out of order");
        require(wordsOf(image[at]) == wordsOfType(type), "a component has a wrong size");
        checkComponent(type, &image[at + 1]);
        isFirst = false;
        last = type;
    }
    checkDisabled(makeup.disabled, image);
}

void FileValidator::rebind(const Delta& delta, bool isUndone) {
    auto keys = keysOf(delta.rebindings,
                       [](const Rebinding& each) { return std::pair(each.id, each.type); });
    require(areDistinct(keys), "a component is bound or unbound twice");
    std::unordered_set<EntityId> toggled;
    for (const Toggle& toggle : delta.toggles) toggled.insert(toggle.id);
    for (const Rebinding& each : delta.rebindings) {
        Node& node = nodeOf(each.id);
        const std::size_t words = wordsOfType(each.type);
        require(each.before.words == (each.had ? words : 0) &&
                    each.after.words == (each.has ? words : 0),
                "a component that was bound or unbound has a wrong size");
        noteChange(each.id.index);
        require(toggled.contains(each.id),
                "a component is bound without being enabled or disabled");
        Words& image = node.makeup.image;
        const std::size_t at = findInImage(image, each.type);
        const auto from = delta.imageAt(isUndone ? each.after : each.before);
        const auto to = delta.imageAt(isUndone ? each.before : each.after);
        const bool isThere = at < image.size();
        require(node.isIn && isThere == (isUndone ? each.has : each.had),
                "a component is bound twice, or unbound that is not there");
        require(!isThere || std::equal(from.begin(), from.end(), &image[at + 1]),
                "a component is unbound that has other values");
        if (isThere) {
            const auto begin = image.begin() + static_cast<std::ptrdiff_t>(at);
            image.erase(begin, begin + static_cast<std::ptrdiff_t>(1 + words));
        }
        if (isUndone ? !each.had : !each.has) continue;
        checkComponent(each.type, to.data());
        std::size_t place = 0;
        while (place < image.size() && typeOf(image[place]) < each.type)
            place += 1 + wordsOf(image[place]);
        const auto head = image.insert(image.begin() + static_cast<std::ptrdiff_t>(place),
                                       headOf(each.type, words));
        image.insert(head + 1, to.begin(), to.end());
    }
}

void FileValidator::toggle(const std::vector<Toggle>& toggles, bool isUndone) {
    auto keys = keysOf(toggles, [](const Toggle& each) { return each.id; });
    require(areDistinct(keys), "an entity is enabled or disabled twice");
    for (const Toggle& each : toggles) {
        Node& node = nodeOf(each.id);
        noteChange(each.id.index);
        Makeup& makeup = node.makeup;
        require(node.isIn, "an entity is enabled or disabled that is out");
        require(makeup.enabled == (isUndone ? each.enabledAfter : each.enabledBefore) &&
                    makeup.disabled == (isUndone ? each.disabledAfter : each.disabledBefore),
                "an entity is enabled or disabled from a state that it is not in");
        makeup.enabled = isUndone ? each.enabledBefore : each.enabledAfter;
        makeup.disabled = isUndone ? each.disabledBefore : each.disabledAfter;
        checkDisabled(makeup.disabled, makeup.image);
    }
}

// Differences belong to components that were there before the frame. REQUIRES: the masks lead from one
// component to the next, which unpacking has checked.
void FileValidator::applyWords(const Words& words) {
    for (WordCursor at(words); !at.isAtEnd(); at.next()) {
        const std::uint32_t index = at.index();
        const ComponentTypeId type = at.type();
        const std::size_t size = wordsOfType(type);
        require(index < nodes_.size() && nodes_[index].isIn,
                "a component of an entity that is out changes");
        Words& image = nodes_[index].makeup.image;
        const std::size_t head = findInImage(image, type);
        require(head < image.size(), "a component changes that is not there");
        const std::uint32_t* change = at.words().data();
        for (std::size_t group = 0; group < at.masks().size(); ++group)
            for (std::uint32_t bits = at.masks()[group]; bits != 0; bits &= bits - 1, ++change) {
                const std::size_t word =
                    group * maskBits + static_cast<std::size_t>(std::countr_zero(bits));
                require(word < size, "a component changes beyond its end");
                image[head + 1 + word] ^= *change;
            }
        checkComponent(type, &image[head + 1]);
        noteChange(index);
    }
}

// A frame may still have the content of entities that no frame brings back any more; it is not
// used.
void FileValidator::checkOutsides(const std::vector<Outside>& outsides) {
    auto keys = keysOf(outsides, [](const Outside& each) { return each.id; });
    require(areDistinct(keys), "an entity outside the world is there twice");
    for (const Outside& outside : outsides) {
        require(!outside.id.isNull(), "an entity outside the world is invalid");
        for (const auto* makeup : {&outside.before, &outside.after})
            if (*makeup) checkMakeup(**makeup);
    }
}

void FileValidator::changeStates(const std::vector<StateChange>& changes, bool isUndone) {
    auto keys = keysOf(changes, [](const StateChange& each) { return each.key; });
    require(areDistinct(keys), "a state changes twice");
    for (const StateChange& change : changes) {
        const State& from = isUndone ? change.after : change.before;
        const State& to = isUndone ? change.before : change.after;
        // One that was never in, or that no frame brings back any more: a reader passes over it.
        if (!from.isIn() && !to.isIn() && !change.key.id.isNull() && !isKnown(change.key.id)) {
            require(change.key.what < file_.components.size(), "a state is of no known component");
            continue;
        }
        const auto found = states_.find(change.key);
        require(from ? found != states_.end() && found->second == from : found == states_.end(),
                "a state changes from one that it was not");
        checkState(change.key, to);
        if (change.key == requestsKey) checkAsked(change);
        if (from.isIn()) countState(change.key, *from, false);
        if (to.isIn()) countState(change.key, *to, true);
        if (to)
            states_.insert_or_assign(change.key, to);
        else if (found != states_.end())
            states_.erase(found);
    }
}

// Requests that make no sense where play resumes are not repeated: only the content they bring is checked.
void FileValidator::checkRequests(const std::vector<Request>& requests) {
    std::vector<EntityId> ids;
    for (const Request& request : requests) {
        ids.push_back(request.id);
        for (const Request::Binding& binding : request.bindings) {
            const std::size_t words = wordsOfType(binding.type);
            require(binding.has ? binding.words.size() == words : binding.words.empty(),
                    "a component that waits has another size");
            if (binding.has) checkComponent(binding.type, binding.words.data());
        }
        auto types = keysOf(request.bindings, [](const auto& each) { return each.type; });
        require(types.size() <= maxComponentsPerEntity && areDistinct(types),
                "an entity waits for one component twice");
    }
    require(areDistinct(ids), "there are two requests for one entity");
}

// Entities that a frame brings, or takes away, are kept for it.
void FileValidator::checkAsked(const StateChange& change) {
    if (isBeginning_) return;
    for (const State* state : {&change.before, &change.after})
        if (*state)
            for (const Request& request : readRequests(**state)) nodeOf(request.id);
}

void FileValidator::checkState(const StateKey& key, const State& state) {
    if (!key.id.isNull()) {
        const Node& node = nodeOf(key.id);
        require(key.what < file_.components.size(), "a state is of no known component");
        if (state.isOut()) return;
        const Words& image = node.makeup.image;
        const bool isThere =
            node.isIn && findInImage(image, static_cast<ComponentTypeId>(key.what)) < image.size();
        require(!state || isThere, "a state is of a component that is not there");
        return;
    }
    require(!state.isOut(), "a state of no entity is of one that is out");
    if (key == requestsKey) {
        if (state) checkRequests(readRequests(*state));
        return;
    }
    require(key.what < file_.snapshot.stateNames.size(), "a state has no name");
    if (!state) return;
    if (file_.snapshot.stateNames[key.what][0] == 'r') {
        readValue(*state);
        return;
    }
    double seconds = 0;
    require(state->size() >= sizeof seconds, "the state of a system has no time");
    std::memcpy(&seconds, state->data(), sizeof seconds);
    require(std::isfinite(seconds) && seconds >= 0, "the state of a system has a wrong time");
}

}  // namespace revenant
