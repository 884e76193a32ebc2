// Model: what a World must mean, written to be read instead of to be fast: plain vectors,
// recursion, and a reconcile that works everything out from scratch. Entities are numbers, in the
// order in which they were made. Each call returns the error that the world's call must throw.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "world/core/listeners.hpp"
#include "world/entity.hpp"
#include "world/error.hpp"

namespace revenant::model {

constexpr std::size_t none = SIZE_MAX;

enum class Fact { Detached, Managed, Zombie, Destroyed };  // as of the last reconcile
enum class Wish { In, Detach, Remove };                    // for the next one

struct Component {
    std::uint8_t fill = 0;  // each of its bytes
    bool enabled = true;
};

struct Node {
    Fact fact = Fact::Detached;
    Wish wish = Wish::Detach;
    std::size_t parent = none;
    std::vector<std::size_t> children;
    unsigned refs = 0;  // own
    unsigned holds = 0;
    bool dropped = false;  // its last hold or reference went while it was out
    bool enabled = true;
    bool active = false;
    std::size_t asked = 0;  // when it last asked for a place among the roots
    std::map<std::size_t, Component> components;
    std::set<std::size_t> seen;      // component types that are defined in the world
    std::set<std::size_t> replaced;  // of those: removed since, perhaps added again
};

struct Event {
    EventKind kind;
    std::size_t node;
    std::size_t component = none;

    friend auto operator<=>(const Event&, const Event&) = default;
};

using Outcome = std::optional<ErrorCode>;  // none: the call succeeds

class Model {
public:
    std::vector<Node> nodes;
    std::vector<std::size_t> order;  // of the managed
    std::size_t mainCharacter = none;
    bool integrityBroken = false;  // at the last reconcile a child was kept without its parent
    std::function<void(const Event&)> hear = [](const Event&) {};

    std::size_t newEntity();
    Outcome addEntity(std::size_t node);
    Outcome removeEntity(std::size_t node);
    Outcome addChild(std::size_t parent, std::size_t child);
    Outcome removeChild(std::size_t parent, std::size_t child);
    Outcome destroy(std::size_t node);
    Outcome retain(std::size_t node);
    Outcome release(std::size_t node);
    Outcome hold(std::size_t node);
    void drop(std::size_t node);
    Outcome setEnabled(std::size_t node, bool on);
    Outcome addComponent(std::size_t node, std::size_t type, std::uint8_t fill);
    Outcome removeComponent(std::size_t node, std::size_t type);
    Outcome setComponentEnabled(std::size_t node, std::size_t type, bool on);
    Outcome setMainCharacter(std::size_t node);
    void reconcile();

    EntityState stateOf(std::size_t node) const;
    unsigned refCount(std::size_t node) const;
    bool isAlive(std::size_t node) const { return nodes[node].fact != Fact::Destroyed; }
    std::size_t getMainCharacter() const;
    const std::vector<std::size_t>& roots() const { return roots_; }

private:
    std::vector<std::size_t> subtree(std::size_t top) const;  // depth first
    bool isBelow(std::size_t node, std::size_t top) const;
    void unlink(std::size_t node);
    void bringIn(std::size_t top);

    // reconcile
    void leave();
    void cut();
    void shareFates();
    void place();
    void settle(std::size_t node);
    void collect();
    bool isDoomed(std::size_t node) const;
    bool isAbandoned(std::size_t root) const;
    void destroyAll(const std::vector<std::size_t>& doomed);

    std::vector<std::size_t> roots_;  // managed ones
    std::vector<Event> events_;
    std::size_t clock_ = 0;
};

}  // namespace revenant::model
