#include "rewind/timeline.hpp"

#include <algorithm>
#include <bit>

#include "rewind/value_bytes.hpp"
#include "world/entity_record.hpp"
#include "world/error.hpp"

namespace revenant {

void Timeline::damaged(std::string_view why) const {
    fail(ErrorCode::BadArgument, "frame ", frame_, " is damaged: ", why);
}

Timeline::Timeline(const std::vector<ComponentSchema>& components, const Snapshot& snapshot,
                   std::int64_t shown)
    : components_(components), frame_(shown) {
    for (const std::string& name : snapshot.stateNames) {
        require(name.size() > 1 && (name[0] == 'r' || name[0] == 's'), "a state has no name");
        stateKinds_.push_back(name[0]);
    }
    nodes_.resize(snapshot.generations.size());
    using enum Snapshot::Whereabouts;
    for (const Snapshot::Known& known : snapshot.entities) {
        require(known.id.index < nodes_.size() && !known.id.isNull(), "an entity has no slot");
        require(known.bornAt <= snapshot.clock, "an entity is of the future");
        Node& node = nodes_[known.id.index];
        require(node.id.isNull(), "two entities have one slot");
        if (!known.parent.isNull()) {
            const Node& parent = nodeOf(known.parent);
            require(known.where != In && known.where != Unborn, "an entity hangs on another");
            require(parent.in, "an entity hangs on nobody");
        }
        node.id = known.id;
        node.in = known.where == Zombie || known.where == Detached;  // so far: it can be hung on
    }
    for (Node& node : nodes_) node.in = false;
    const Delta& whole = snapshot.whole;
    require(whole.words.empty() && whole.departures.empty() && whole.rebindings.empty() &&
                whole.toggles.empty(),
            "something leads to it from nothing");
    for (const Step& step : whole.arrivals)
        require(step.crosses && !step.rescoped, "an entity moved to it from nowhere");
    enter(whole.arrivals);
    for (const Snapshot::Known& known : snapshot.entities)
        require(nodeOf(known.id).in == (known.where == In), "an entity is neither in nor out");
    for (const Outside& outside : whole.outsides)
        require(!nodeOf(outside.id).in && !outside.before, "an entity is both in and out");
    for (const StateChange& change : whole.states)
        require(!change.before && change.after, "a state was before all");
    checkRest(whole);
}

Timeline::Node& Timeline::nodeOf(EntityId id) {
    require(!id.isNull() && id.index < nodes_.size() && nodes_[id.index].id == id,
            "it mentions an entity that is not in the table");
    return nodes_[id.index];
}

std::uint32_t Timeline::indexOf(EntityId id) {
    return id.isNull() ? none : nodeOf(id).id.index;
}

std::size_t Timeline::wordsOfType(ComponentTypeId type) const {
    require(type < components_.size(), "a component is of no known type");
    return (components_[type].size + std::size_t{3}) / 4;
}

std::vector<ComponentTypeId> Timeline::typesOf(const Makeup& makeup) const {
    std::vector<ComponentTypeId> types;
    const Words& image = makeup.image;
    for (std::size_t at = 0; at < image.size(); at += 1 + wordsOf(image[at])) {
        const ComponentTypeId type = typeOf(image[at]);
        require(types.empty() || types.back() < type, "components are out of order");
        require(wordsOf(image[at]) == wordsOfType(type), "a component has a wrong size");
        types.push_back(type);
    }
    require(types.size() <= maxComponentsPerEntity, "an entity has too many components");
    checkDisabled(makeup.disabled, types.size());
    return types;
}

void Timeline::checkDisabled(std::uint64_t disabled, std::size_t components) const {
    require(static_cast<std::size_t>(std::bit_width(disabled)) <= components,
            "a component is disabled that is not there");
}

// What is disabled, as told for one side of a frame, whose components the entities have now.
void Timeline::checkToggles(const std::vector<Toggle>& toggles, bool before) {
    for (const Toggle& toggle : toggles) {
        const Node& node = nodeOf(toggle.id);
        require(node.in, "an entity is enabled or disabled that is out");
        checkDisabled(before ? toggle.disabledBefore : toggle.disabledAfter, node.types.size());
    }
}

void Timeline::unlink(Node& node) {
    (node.elder == none ? eldestOf(node.parent) : nodes_[node.elder].younger) = node.younger;
    if (node.younger != none) nodes_[node.younger].elder = node.elder;
    node.parent = node.elder = node.younger = none;
    node.placed = false;
}

void Timeline::link(Node& node, std::uint32_t parent, std::uint32_t elder) {
    std::uint32_t& before = elder == none ? eldestOf(parent) : nodes_[elder].younger;
    node.parent = parent;
    node.elder = elder;
    node.younger = before;
    before = node.id.index;
    if (node.younger != none) nodes_[node.younger].elder = node.id.index;
    node.placed = true;
}

// Takes those that left, or moved, from where they were.
void Timeline::leave(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
        const Node& node = nodeOf(step.id);
        require(node.in && node.placed && node.parent == indexOf(step.parent) &&
                    node.elder == indexOf(step.elder),
                "an entity leaves a place where it is not");
    }
    for (const Step& step : steps) {
        Node& node = nodeOf(step.id);
        require(node.placed, "an entity leaves twice");
        unlink(node);
        if (step.crosses) {
            require(node.types == typesOf(step.makeup), "an entity leaves with other components");
            node.in = false;
        } else {
            ++floating_;
        }
    }
}

void Timeline::enter(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
        Node& node = nodeOf(step.id);
        const std::uint32_t parent = indexOf(step.parent);
        const std::uint32_t elder = indexOf(step.elder);
        require(!node.placed && node.in != step.crosses, "an entity comes that is there");
        require(parent == none || nodes_[parent].placed, "an entity comes under one that is out");
        require(elder == none || (nodes_[elder].placed && nodes_[elder].parent == parent),
                "an entity comes behind one that is not there");
        if (step.crosses) {
            node.types = typesOf(step.makeup);
            node.in = true;
        } else {
            --floating_;
            for (std::uint32_t at = parent; at != none; at = nodes_[at].parent)
                require(at != node.id.index, "an entity comes under itself");
        }
        link(node, parent, elder);
    }
}

void Timeline::finishMoves(const std::vector<Step>& left) {
    require(floating_ == 0, "an entity moved nowhere");
    for (const Step& step : left)
        if (const Node& node = nodeOf(step.id); !node.in)
            require(node.eldest == none, "an entity stays under one that left");
}

void Timeline::rebind(const std::vector<Rebinding>& rebindings, bool undone) {
    for (const Rebinding& each : rebindings) {
        Node& node = nodeOf(each.id);
        const std::size_t words = wordsOfType(each.type);
        require(each.before.size() == (each.had ? words : 0) &&
                    each.after.size() == (each.has ? words : 0),
                "a component that was bound or unbound has a wrong size");
        auto place = std::ranges::lower_bound(node.types, each.type);
        const bool isThere = place != node.types.end() && *place == each.type;
        require(node.in && isThere == (undone ? each.has : each.had),
                "a component is bound twice, or unbound that is not there");
        if (each.had == each.has) continue;
        if (isThere)
            node.types.erase(place);
        else
            node.types.insert(place, each.type);
        require(node.types.size() <= maxComponentsPerEntity, "an entity has too many components");
    }
}

// Differences are of components that were there before the frame.
void Timeline::checkWords(const Words& words) {
    const Node* node = nullptr;
    std::uint32_t lastIndex = none;
    forWords(words, [&](std::uint32_t index, ComponentTypeId type, std::size_t word,
                        std::uint32_t /*difference*/) {
        if (!node || index != lastIndex) {
            require(index < nodes_.size(), "it mentions an entity that is not in the table");
            node = &nodes_[index];
            lastIndex = index;
        }
        require(node->in && std::ranges::binary_search(node->types, type),
                "a component changes that is not there");
        require(word < wordsOfType(type), "a component changes beyond its end");
    });
}

void Timeline::checkRest(const Delta& delta) {
    for (const Outside& outside : delta.outsides) {
        nodeOf(outside.id);
        for (const auto* makeup : {&outside.before, &outside.after})
            if (*makeup) typesOf(**makeup);
    }
    for (const StateChange& change : delta.states) {
        if (!change.key.id.isNull()) {
            nodeOf(change.key.id);
            require(change.key.what < components_.size(), "a state is of no known component");
            continue;
        }
        require(change.key.what < stateKinds_.size(), "a state has no name");
        if (stateKinds_[change.key.what] != 'r') continue;
        for (const State* state : {&change.before, &change.after})
            if (*state) readValue(**state);
    }
}

void Timeline::undo(const Frame& frame) {
    frame_ = frame.number;
    leave(frame.delta.arrivals);
    enter(frame.delta.departures);
    finishMoves(frame.delta.arrivals);
    checkToggles(frame.delta.toggles, false);
    rebind(frame.delta.rebindings, true);
    checkToggles(frame.delta.toggles, true);
    checkWords(frame.delta.words);
    checkRest(frame.delta);
}

void Timeline::redo(const Frame& frame) {
    frame_ = frame.number;
    checkWords(frame.delta.words);
    checkToggles(frame.delta.toggles, true);
    rebind(frame.delta.rebindings, false);
    checkToggles(frame.delta.toggles, false);
    leave(frame.delta.departures);
    enter(frame.delta.arrivals);
    finishMoves(frame.delta.departures);
    checkRest(frame.delta);
}

}  // namespace revenant
