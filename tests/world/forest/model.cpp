#include "tests/world/forest/model.hpp"

#include <algorithm>

namespace revenant::model {

std::size_t Model::newEntity() {
    nodes.emplace_back();
    return nodes.size() - 1;
}

Outcome Model::addEntity(std::size_t node) {
    if (!isAlive(node)) return ErrorCode::StaleEntity;
    const std::size_t parent = nodes[node].parent;
    if (parent != none && nodes[parent].wish != Wish::In) return ErrorCode::ParentIsOut;
    bringIn(node);
    return {};
}

void Model::bringIn(std::size_t top) {
    for (const std::size_t node : subtree(top)) {
        if (nodes[node].wish == Wish::In) continue;
        nodes[node].wish = Wish::In;
        if (nodes[node].fact != Fact::Managed) nodes[node].asked = ++clock_;
    }
}

Outcome Model::removeEntity(std::size_t top) {
    if (!isAlive(top)) return ErrorCode::StaleEntity;
    for (const std::size_t node : subtree(top)) {
        const bool wasIn = nodes[node].fact == Fact::Managed || nodes[node].fact == Fact::Zombie;
        const bool asksForNothing =
            nodes[node].fact != Fact::Managed && nodes[node].wish != Wish::In;
        if (!asksForNothing) nodes[node].wish = wasIn ? Wish::Remove : Wish::Detach;
    }
    return {};
}

Outcome Model::addChild(std::size_t parent, std::size_t child) {
    if (!isAlive(parent) || !isAlive(child)) return ErrorCode::StaleEntity;
    if (nodes[child].parent == parent) return {};
    if (isBelow(parent, child)) return ErrorCode::Cycle;
    unlink(child);
    nodes[child].parent = parent;
    nodes[parent].children.push_back(child);
    if (nodes[parent].wish == Wish::In)
        bringIn(child);
    else
        for (const std::size_t node : subtree(child)) nodes[node].wish = nodes[parent].wish;
    return {};
}

Outcome Model::removeChild(std::size_t parent, std::size_t child) {
    if (!isAlive(parent) || !isAlive(child)) return ErrorCode::StaleEntity;
    if (nodes[child].parent != parent) return ErrorCode::NotAChild;
    unlink(child);
    nodes[child].asked = ++clock_;
    // Out before and after, it no longer shares its parent's fate.
    if (nodes[child].fact != Fact::Managed && nodes[child].wish != Wish::In)
        for (const std::size_t node : subtree(child))
            nodes[node].wish = nodes[child].fact == Fact::Zombie ? Wish::Remove : Wish::Detach;
    return {};
}

Outcome Model::destroy(std::size_t top) {
    if (!isAlive(top)) return ErrorCode::StaleEntity;
    const auto doomed = subtree(top);
    for (const std::size_t node : doomed)
        if (stateOf(node) != EntityState::Detached || nodes[node].refs > 0)
            return ErrorCode::WrongState;
    destroyAll(doomed);
    return {};
}

Outcome Model::retain(std::size_t node) {
    if (!isAlive(node)) return ErrorCode::StaleEntity;
    ++nodes[node].refs;
    return {};
}

Outcome Model::release(std::size_t node) {
    if (!isAlive(node)) return ErrorCode::StaleEntity;
    if (nodes[node].refs == 0) return ErrorCode::ReleaseBelowZero;
    if (--nodes[node].refs == 0 && nodes[node].fact == Fact::Detached) nodes[node].dropped = true;
    return {};
}

Outcome Model::hold(std::size_t node) {
    if (!isAlive(node)) return ErrorCode::StaleEntity;
    ++nodes[node].holds;
    return {};
}

void Model::drop(std::size_t node) {
    if (!isAlive(node) || nodes[node].holds == 0) return;
    if (--nodes[node].holds == 0 && nodes[node].fact == Fact::Detached) nodes[node].dropped = true;
}

Outcome Model::setEnabled(std::size_t node, bool on) {
    if (!isAlive(node)) return ErrorCode::StaleEntity;
    nodes[node].enabled = on;
    return {};
}

Outcome Model::addComponent(std::size_t node, std::size_t type, std::uint8_t fill) {
    if (!isAlive(node)) return ErrorCode::StaleEntity;
    if (nodes[node].components.contains(type)) return ErrorCode::DuplicateComponent;
    nodes[node].components[type].fill = fill;
    return {};
}

Outcome Model::removeComponent(std::size_t node, std::size_t type) {
    if (!isAlive(node)) return ErrorCode::StaleEntity;
    if (nodes[node].components.erase(type) == 0) return ErrorCode::MissingComponent;
    if (nodes[node].seen.contains(type)) nodes[node].replaced.insert(type);
    return {};
}

Outcome Model::setComponentEnabled(std::size_t node, std::size_t type, bool on) {
    if (!isAlive(node)) return ErrorCode::StaleEntity;
    if (!nodes[node].components.contains(type)) return ErrorCode::MissingComponent;
    nodes[node].components[type].enabled = on;
    return {};
}

Outcome Model::setMainCharacter(std::size_t node) {
    if (!isAlive(node)) return ErrorCode::StaleEntity;
    mainCharacter = node;
    return {};
}

std::size_t Model::getMainCharacter() const {
    const bool managed = mainCharacter != none && nodes[mainCharacter].fact == Fact::Managed;
    return managed ? mainCharacter : none;
}

EntityState Model::stateOf(std::size_t node) const {
    const bool in = nodes[node].wish == Wish::In;
    switch (nodes[node].fact) {
        case Fact::Detached: return in ? EntityState::PendingAdd : EntityState::Detached;
        case Fact::Managed: return in ? EntityState::Managed : EntityState::PendingRemove;
        case Fact::Zombie: return in ? EntityState::PendingAdd : EntityState::Zombie;
        default: return EntityState::Destroyed;
    }
}

unsigned Model::refCount(std::size_t node) const {
    const std::size_t parent = nodes[node].parent;
    return nodes[node].refs + (parent == none ? 0 : refCount(parent));
}

std::vector<std::size_t> Model::subtree(std::size_t top) const {
    std::vector<std::size_t> all{top};
    for (const std::size_t child : nodes[top].children) {
        const auto below = subtree(child);
        all.insert(all.end(), below.begin(), below.end());
    }
    return all;
}

bool Model::isBelow(std::size_t node, std::size_t top) const {
    return node == top || (nodes[node].parent != none && isBelow(nodes[node].parent, top));
}

void Model::unlink(std::size_t node) {
    if (nodes[node].parent != none) std::erase(nodes[nodes[node].parent].children, node);
    std::erase(roots_, node);
    nodes[node].parent = none;
}

}  // namespace revenant::model
