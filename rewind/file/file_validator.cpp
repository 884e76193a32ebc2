#include "rewind/file/file_validator.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "world/error.hpp"

namespace revenant {

void FileValidator::damaged(std::string_view why) const {
    fail(ErrorCode::BadArgument, "frame ", frame_, " is damaged: ", why);
}

FileValidator::FileValidator(const HistoryFile& file, bool checksHashes)
    : file_(file), checksHashes_(checksHashes), frame_(file.shown) {
    prepareSchemas();
    const Snapshot& snapshot = file.snapshot;
    readTable(snapshot);
    readSerials();
    const Delta& whole = snapshot.whole;
    require(whole.words.empty() && whole.departures.empty() && whole.rebindings.empty() &&
                whole.toggles.empty(),
            "it begins with changes instead of a whole state");
    for (const Step& step : whole.arrivals)
        require(step.crosses && !step.rescoped && !step.wasZombie && !step.detached,
                "an entity moved to it from nowhere");
    enter(whole, whole.arrivals);
    for (const Snapshot::Known& known : snapshot.entities)
        require(nodeOf(known.id).isIn == (known.where == Snapshot::Whereabouts::In),
                "an entity is both in the world and outside");
    checkOutsides(whole.outsides);
    for (const Outside& outside : whole.outsides)
        require(!nodeOf(outside.id).isIn && !outside.before,
                "an entity is both in the world and outside");
    changeStates(whole.states, false);
    isBeginning_ = false;
}

// The table of entities: parents come before their children.
void FileValidator::readTable(const Snapshot& snapshot) {
    using enum Snapshot::Whereabouts;
    nodes_.resize(snapshot.generations.size());
    std::unordered_map<EntityId, Snapshot::Whereabouts> whereabouts;
    for (const Snapshot::Known& known : snapshot.entities) {
        require(known.id.index < nodes_.size() && !known.id.isNull(), "an entity has no slot");
        require(known.bornAt <= snapshot.clock, "an entity is older than the world");
        require(known.serial != 0, "an entity has no serial");
        Node& node = nodes_[known.id.index];
        require(node.id.isNull(), "two entities have one slot");
        if (!known.parent.isNull()) {
            const auto parent = whereabouts.find(known.parent);
            require(parent != whereabouts.end(), "the parent of an entity is not in the table");
            require(
                known.where == parent->second && (known.where == Zombie || known.where == Detached),
                "an entity outside the world has a parent in another state");
        }
        node.id = known.id;
        whereabouts.emplace(known.id, known.where);
    }
}

FileValidator::Node& FileValidator::nodeOf(EntityId id) {
    require(!id.isNull() && id.index < nodes_.size() && nodes_[id.index].id == id,
            "it mentions an entity that is not in the table");
    return nodes_[id.index];
}

std::uint32_t FileValidator::indexOf(EntityId id) {
    return id.isNull() ? none : nodeOf(id).id.index;
}

void FileValidator::noteChange(std::uint32_t index) {
    if (!checksHashes_ || index == none || nodes_[index].isChanged) return;
    nodes_[index].isChanged = true;
    changed_.push_back(index);
}

void FileValidator::unlink(Node& node) {
    noteChange(node.id.index);
    noteChange(node.next);
    (node.previous == none ? firstChildOf(node.parent) : nodes_[node.previous].next) = node.next;
    if (node.next != none) nodes_[node.next].previous = node.previous;
    node.parent = node.previous = node.next = none;
    node.isPlaced = false;
}

void FileValidator::link(Node& node, std::uint32_t parent, std::uint32_t previous) {
    std::uint32_t& before = previous == none ? firstChildOf(parent) : nodes_[previous].next;
    node.parent = parent;
    node.previous = previous;
    node.next = before;
    before = node.id.index;
    if (node.next != none) nodes_[node.next].previous = node.id.index;
    node.isPlaced = true;
    noteChange(node.id.index);
    noteChange(node.next);
}

void FileValidator::checkSteps(const Delta& delta) {
    std::unordered_set<EntityId> leaving;
    for (const Step& step : delta.departures) {
        require(!step.wasZombie && (step.crosses || (!step.rescoped && !step.detached)),
                "an entity leaves in an unknown way");
        if (step.crosses) leaving.insert(step.id);
    }
    for (const Step& step : delta.arrivals) {
        require(!step.detached && (step.crosses || (!step.wasZombie && !step.rescoped)),
                "an entity moves in an unknown way");
        require(!step.crosses || !leaving.contains(step.id), "an entity both comes and leaves");
    }
    checkOrder(delta.departures);
    checkOrder(delta.arrivals);
}

// Parents and previous siblings come before those that name them.
void FileValidator::checkOrder(const std::vector<Step>& steps) {
    std::unordered_map<EntityId, std::size_t> places;
    for (std::size_t i = 0; i < steps.size(); ++i)
        require(places.emplace(steps[i].id, i).second, "an entity moves twice");
    for (std::size_t i = 0; i < steps.size(); ++i)
        for (const EntityId before : {steps[i].parent, steps[i].previous})
            if (const auto found = places.find(before); found != places.end())
                require(found->second < i, "an entity comes before its parent or sibling");
}

// Removes the entities that left, or moved, from their old places.
void FileValidator::leave(const Delta& delta, const std::vector<Step>& steps) {
    for (const Step& step : steps) {
        const Node& node = nodeOf(step.id);
        require(node.isIn && node.isPlaced && node.parent == indexOf(step.parent) &&
                    node.previous == indexOf(step.previous),
                "an entity leaves a place where it is not");
    }
    for (const Step& step : steps) {
        Node& node = nodeOf(step.id);
        unlink(node);
        if (step.crosses) {
            require(node.makeup == delta.makeupOf(step), "an entity leaves with other components");
            node.makeup = {};
            node.isIn = false;
        } else {
            ++moving_;
        }
    }
}

void FileValidator::enter(const Delta& delta, const std::vector<Step>& steps) {
    for (const Step& step : steps) {
        Node& node = nodeOf(step.id);
        const std::uint32_t parent = indexOf(step.parent);
        const std::uint32_t previous = indexOf(step.previous);
        require(!node.isPlaced && node.isIn != step.crosses,
                "an entity comes that is there already");
        require(parent == none || nodes_[parent].isPlaced,
                "an entity comes under a parent that is out");
        require(
            previous == none || (nodes_[previous].isPlaced && nodes_[previous].parent == parent),
            "an entity comes behind a sibling that is not there");
        if (step.crosses) {
            node.makeup = delta.makeupOf(step);
            checkMakeup(node.makeup);
            node.isIn = true;
        } else {
            --moving_;
            for (std::uint32_t at = parent; at != none; at = nodes_[at].parent)
                require(at != node.id.index, "an entity comes under itself");
        }
        link(node, parent, previous);
    }
    for (const Step& step : steps)
        require(nodeOf(step.id).previous == indexOf(step.previous),
                "two entities come to the same place");
}

void FileValidator::finishMoves(const std::vector<Step>& left) {
    require(moving_ == 0, "an entity moved nowhere");
    for (const Step& step : left)
        if (const Node& node = nodeOf(step.id); !node.isIn)
            require(node.firstChild == none, "an entity stays under a parent that left");
}

void FileValidator::undo(const Frame& frame) {
    frame_ = frame.number;
    const Delta& delta = frame.delta;
    checkSteps(delta);
    leave(delta, delta.arrivals);
    enter(delta, delta.departures);
    finishMoves(delta.arrivals);
    rebind(delta, true);
    toggle(delta.toggles, true);
    applyWords(delta.words);
    checkOutsides(delta.outsides);
    changeStates(delta.states, true);
}

void FileValidator::redo(const Frame& frame) {
    frame_ = frame.number;
    const Delta& delta = frame.delta;
    checkSteps(delta);
    applyWords(delta.words);
    rebind(delta, false);
    toggle(delta.toggles, false);
    leave(delta, delta.departures);
    enter(delta, delta.arrivals);
    finishMoves(delta.departures);
    checkOutsides(delta.outsides);
    changeStates(delta.states, false);
}

}  // namespace revenant
