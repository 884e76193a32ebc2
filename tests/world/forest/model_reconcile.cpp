// The model's reconcile: the difference between wishes and facts, worked out from scratch.
#include <algorithm>

#include "tests/world/forest/model.hpp"

namespace revenant::model {

void Model::reconcile() {
    integrityBroken = false;
    events_.clear();
    leave();
    cut();
    shareFates();
    place();
    for (Node& node : nodes)
        if (node.fact == Fact::Managed || node.fact == Fact::Zombie) node.dropped = false;
    // What is asked for from here on is for the next reconcile.
    const auto events = events_;
    for (const Event& event : events) hear(event);
    collect();
}

void Model::leave() {
    for (const std::size_t i : order) {
        Node& node = nodes[i];
        if (node.wish == Wish::In) continue;
        for (const std::size_t type : node.seen)
            events_.push_back({EventKind::ComponentRemoved, i, type});
        events_.push_back({EventKind::EntityRemoved, i});
        node.fact = node.wish == Wish::Remove ? Fact::Zombie : Fact::Detached;
        node.active = false;
        node.seen.clear();
        node.replaced.clear();
        std::erase(roots_, i);
        if (mainCharacter == i) mainCharacter = none;
    }
}

// Unlinks entities that are out from parents that are in, and removed ones from parents that are not removed.
void Model::cut() {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Node& node = nodes[i];
        if (!isAlive(i) || node.wish == Wish::In || node.parent == none) continue;
        const Wish parents = nodes[node.parent].wish;
        const bool removed = node.fact == Fact::Zombie && node.wish == Wish::Remove;
        if (parents == Wish::In || (removed && parents != Wish::Remove)) unlink(i);
    }
}

// The others that are out share the state of their root.
void Model::shareFates() {
    for (std::size_t root = 0; root < nodes.size(); ++root) {
        if (!isAlive(root) || nodes[root].wish == Wish::In || nodes[root].parent != none) continue;
        const bool removed = nodes[root].fact == Fact::Zombie;
        for (const std::size_t node : subtree(root)) {
            // A zombie is no longer the main character.
            if (removed && nodes[node].fact != Fact::Zombie && mainCharacter == node)
                mainCharacter = none;
            nodes[node].fact = removed ? Fact::Zombie : Fact::Detached;
            nodes[node].wish = removed ? Wish::Remove : Wish::Detach;
        }
    }
}

// Roots that stay keep their places, the others come behind them in the order in which they asked.
void Model::place() {
    std::vector<std::size_t> newRoots;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (isAlive(i) && nodes[i].wish == Wish::In && nodes[i].parent == none &&
            std::ranges::find(roots_, i) == roots_.end())
            newRoots.push_back(i);
    std::ranges::sort(newRoots, {}, [this](std::size_t i) { return nodes[i].asked; });
    roots_.insert(roots_.end(), newRoots.begin(), newRoots.end());

    order.clear();
    for (const std::size_t root : roots_)
        for (const std::size_t node : subtree(root)) order.push_back(node);
    for (const std::size_t node : order) settle(node);
}

void Model::settle(std::size_t i) {
    Node& node = nodes[i];
    const bool entered = node.fact != Fact::Managed;
    if (entered)
        events_.push_back(
            {node.fact == Fact::Zombie ? EventKind::EntityResurrected : EventKind::EntityAdded, i});
    node.fact = Fact::Managed;
    for (const std::size_t type : node.seen)
        if (!node.components.contains(type) || node.replaced.contains(type))
            events_.push_back({EventKind::ComponentRemoved, i, type});
    for (const auto& [type, component] : node.components)
        if (!node.seen.contains(type) || node.replaced.contains(type))
            events_.push_back({EventKind::ComponentAdded, i, type});
    node.seen.clear();
    node.replaced.clear();
    for (const auto& [type, component] : node.components) node.seen.insert(type);

    const bool active = node.enabled && (node.parent == none || nodes[node.parent].active);
    if (!entered && active != node.active)
        events_.push_back({active ? EventKind::EntityEnabled : EventKind::EntityDisabled, i});
    node.active = active;
}

// Destroys what has no references; unlinks what is kept without its parent.
void Model::collect() {
    std::set<std::size_t> doomed;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (isAlive(i) && isDoomed(i)) doomed.insert(i);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!doomed.contains(nodes[i].parent) || doomed.contains(i)) continue;
        unlink(i);
        nodes[i].asked = ++clock_;
        // A managed one was attached by a listener: it leaves next time.
        if (nodes[i].fact == Fact::Managed) continue;
        integrityBroken = true;
        if (nodes[i].fact == Fact::Detached)
            for (const std::size_t node : subtree(i)) nodes[node].wish = Wish::Detach;
    }
    destroyAll({doomed.begin(), doomed.end()});
}

bool Model::isDoomed(std::size_t i) const {
    const Node& node = nodes[i];
    if (node.fact == Fact::Managed || node.wish == Wish::In) return false;
    // What a listener attached to a removed entity goes with it.
    const bool removed = (node.fact == Fact::Zombie && node.wish == Wish::Remove) ||
                         (node.parent != none && isDoomed(node.parent));
    if (removed && refCount(i) == 0) return true;
    std::size_t root = i;
    while (nodes[root].parent != none) root = nodes[root].parent;
    return isAbandoned(root);
}

// A detached tree lives while a member is held, referenced or asked for, or if no member was
// ever held.
bool Model::isAbandoned(std::size_t root) const {
    if (nodes[root].fact != Fact::Detached) return false;
    bool dropped = false;
    for (const std::size_t i : subtree(root)) {
        const Node& node = nodes[i];
        if (node.holds > 0 || node.refs > 0) return false;
        if (node.fact == Fact::Managed || node.wish == Wish::In) return false;
        dropped = dropped || node.dropped;
    }
    return dropped;
}

void Model::destroyAll(const std::vector<std::size_t>& doomed) {
    for (const std::size_t i : doomed) {
        unlink(i);
        nodes[i] = Node();
        nodes[i].fact = Fact::Destroyed;
        if (mainCharacter == i) mainCharacter = none;
    }
    for (const std::size_t i : doomed) hear({EventKind::EntityDestroyed, i});
}

}  // namespace revenant::model
