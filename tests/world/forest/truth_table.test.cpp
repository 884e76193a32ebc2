// The truth table of an entity's life, exhaustively: every sequence of up to five add and remove
// calls on any node of a tree, from each state it can start in, against the model below.

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <span>
#include <utility>

#include "tests/world/snapshot.hpp"
#include "world/core/world_core.hpp"

using namespace revenant;

namespace {

constexpr std::size_t none = SIZE_MAX;
constexpr EventKind kinds[] = {EventKind::EntityAdded, EventKind::EntityResurrected,
                               EventKind::EntityRemoved, EventKind::EntityDestroyed};

struct Call {
    bool adds;
    std::size_t node;
};

struct Scenario {
    EntityState start;                 // of every node: Detached, Managed or Zombie
    std::vector<unsigned> retains;     // per node
    std::vector<std::size_t> parents;  // per node; parents stand before their children
};

// ---- the model: per node a fact (the start) and an intent, applied once

struct Model {
    const Scenario& scenario;
    std::vector<bool> in;

    explicit Model(const Scenario& given)
        : scenario(given), in(given.parents.size(), given.start == EntityState::Managed) {}

    std::size_t parentOf(std::size_t node) const { return scenario.parents[node]; }
    bool isParentIn(std::size_t node) const { return parentOf(node) != none && in[parentOf(node)]; }
    bool isBelow(std::size_t node, std::size_t top) const {
        for (std::size_t at = node; at != none; at = parentOf(at))
            if (at == top) return true;
        return false;
    }

    bool allows(Call call) const {
        return !call.adds || parentOf(call.node) == none || isParentIn(call.node);
    }
    void apply(Call call) {
        for (std::size_t node = 0; node < in.size(); ++node)
            if (isBelow(node, call.node)) in[node] = call.adds;
    }

    EntityState before(std::size_t node) const {
        const bool managed = scenario.start == EntityState::Managed;
        if (in[node]) return managed ? EntityState::Managed : EntityState::PendingAdd;
        return managed ? EntityState::PendingRemove : scenario.start;
    }
    EntityState after(std::size_t node) const {
        if (in[node]) return EntityState::Managed;
        if (scenario.start == EntityState::Detached) return EntityState::Detached;
        return isCounted(node) ? EntityState::Zombie : EntityState::Destroyed;
    }
    bool isCut(std::size_t node) const { return !in[node] && isParentIn(node); }
    // By itself, or by an ancestor it is not cut from.
    bool isCounted(std::size_t node) const {
        if (scenario.retains[node] > 0) return true;
        return parentOf(node) != none && !isCut(node) && isCounted(parentOf(node));
    }
    bool fires(EventKind kind, std::size_t node) const {
        switch (kind) {
            case EventKind::EntityAdded: return in[node] && scenario.start == EntityState::Detached;
            case EventKind::EntityResurrected:
                return in[node] && scenario.start == EntityState::Zombie;
            case EventKind::EntityRemoved:
                return !in[node] && scenario.start == EntityState::Managed;
            default: return after(node) == EntityState::Destroyed;
        }
    }
};

// ---- the world beside it; one world for all sequences, emptied after each

class Scene {
public:
    Scene() {
        for (const EventKind kind : kinds)
            world_.on(kind, [this, kind](const Event& event) {
                fired_.emplace_back(kind, event.entity);
            });
    }

    // Empty when the world agrees with the model.
    std::string run(const Scenario& scenario, std::span<const Call> calls) {
        problem_.clear();
        build(scenario);
        Model model(scenario);
        for (const Call& call : calls) perform(call, model);
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            expect(nodes_[i].getState() == model.before(i), "before the reconcile: state", i);
        fired_.clear();
        world_.reconcile();
        compare(model);
        clear(scenario);
        return problem_;
    }

private:
    void expect(bool holds, const char* what, std::size_t node) {
        if (!holds && problem_.empty())
            problem_ = sentence(what, " of node ", node, ", in\n", snapshot(world_));
    }

    void build(const Scenario& scenario) {
        nodes_.clear();
        for (std::size_t i = 0; i < scenario.parents.size(); ++i) {
            nodes_.push_back(world_.newEntity(names_[i]));
            if (scenario.parents[i] != none) nodes_[scenario.parents[i]].addChild(nodes_.back());
            for (unsigned times = 0; times < scenario.retains[i]; ++times) nodes_.back().retain();
        }
        if (scenario.start == EntityState::Detached) return;
        world_.addEntity(nodes_[0]);
        world_.reconcile();
        if (scenario.start == EntityState::Managed) return;
        world_.removeEntity(nodes_[0]);
        world_.reconcile();
    }

    void perform(Call call, Model& model) {
        const bool allowed = model.allows(call);
        if (allowed) model.apply(call);
        try {
            if (call.adds)
                world_.addEntity(nodes_[call.node]);
            else
                world_.removeEntity(nodes_[call.node]);
            expect(allowed, "no error for adding under a parent that is out:", call.node);
        } catch (const Error& error) {
            const std::size_t parent = model.parentOf(call.node);
            const std::string text = error.what();
            expect(!allowed && error.code() == ErrorCode::ParentIsOut &&
                       text.find(sentence("'", names_[call.node], "'")) != std::string::npos &&
                       text.find(sentence("'", names_[parent], "'")) != std::string::npos,
                   "a wrong error for an addition", call.node);
        }
    }

    void compare(const Model& model) {
        std::vector<Entity> managed;
        std::vector<Entity> zombies;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const EntityState state = model.after(i);
            expect(nodes_[i].getState() == state, "after the reconcile: state", i);
            if (state == EntityState::Managed) managed.push_back(nodes_[i]);
            if (state == EntityState::Zombie) zombies.push_back(nodes_[i]);
            for (const EventKind kind : kinds)
                expect(std::ranges::count(fired_, std::pair(kind, nodes_[i])) ==
                           (model.fires(kind, i) ? 1 : 0),
                       "events", i);
            if (nodes_[i].isValid()) compareParent(model, i);
        }
        // Parents stand before their children, and each has one line of descent: depth first.
        expect(world_.getAllManagedEntities() == managed, "managed list, starting at that", 0);
        expect(std::ranges::is_permutation(world_.getZombies(), zombies),
               "list of zombies, starting at that", 0);
    }

    void compareParent(const Model& model, std::size_t i) {
        const bool isRoot = model.parentOf(i) == none || model.isCut(i);
        expect(nodes_[i].getParent() == (isRoot ? Entity() : nodes_[model.parentOf(i)]), "parent",
               i);
        expect(!nodes_[i].isDirty(), "dirty flag", i);
    }

    void clear(const Scenario& scenario) {
        for (std::size_t i = nodes_.size(); i-- > 0;) {
            if (!nodes_[i].isValid()) continue;
            for (unsigned times = 0; times < scenario.retains[i]; ++times) nodes_[i].release();
            if (nodes_[i].getState() == EntityState::Managed) world_.removeEntity(nodes_[i]);
            if (nodes_[i].getState() == EntityState::Detached) nodes_[i].destroy();
        }
        world_.reconcile();
        expect(WorldCore::of(world_).forest().pool.alive() == 0, "something is left, perhaps", 0);
    }

    World world_;
    Names names_ = {"root", "child", "grandchild", "sibling"};
    std::vector<Entity> nodes_;
    std::vector<std::pair<EventKind, Entity>> fired_;
    std::string problem_;
};

std::string describe(const Scenario& scenario, std::span<const Call> calls) {
    std::string text = sentence("from ", nameOf(scenario.start), ", retained");
    for (const unsigned times : scenario.retains) text += sentence(" ", times);
    for (const Call& call : calls) text += sentence(call.adds ? ", add " : ", remove ", call.node);
    return text;
}

// Returns how many sequences there were.
std::size_t runAllSequences(const Scenario& scenario, std::size_t longest) {
    Scene scene;
    std::vector<Call> calls;
    const std::size_t nodes = scenario.parents.size();
    std::size_t count = 0;
    for (std::size_t length = 0, number = 1; length <= longest; ++length, number *= 2 * nodes)
        for (std::size_t code = 0; code < number; ++code, ++count) {
            calls.clear();
            for (std::size_t i = 0, rest = code; i < length; ++i, rest /= 2 * nodes)
                calls.push_back({rest % 2 == 0, rest / 2 % nodes});
            const std::string problem = scene.run(scenario, calls);
            if (!problem.empty()) FAIL(describe(scenario, calls) << ": wrong " << problem);
        }
    return count;
}

void runAllScenarios(const std::vector<std::size_t>& parents, std::size_t longest,
                     std::size_t expected) {
    const std::vector<unsigned> nobody(parents.size(), 0);
    const std::vector<unsigned> everybody(parents.size(), 1);
    std::vector<unsigned> root = nobody;
    root[0] = 2;
    for (const EntityState start :
         {EntityState::Detached, EntityState::Managed, EntityState::Zombie})
        for (const auto& retains : {nobody, root, everybody}) {
            if (start == EntityState::Zombie && retains == nobody) continue;  // nothing is left
            const std::size_t sequences = runAllSequences({start, retains, parents}, longest);
            CHECK(sequences == expected);
        }
}

}  // namespace

TEST_CASE("the truth table holds for all calls on a root, its child and its grandchild",
          "[world][truth]") {
    runAllScenarios({none, 0, 1}, 5, 1 + 6 + 36 + 216 + 1296 + 7776);
}

TEST_CASE("the truth table holds for all calls on a root with two children and a grandchild",
          "[world][truth]") {
    runAllScenarios({none, 0, 1, 0}, 4, 1 + 8 + 64 + 512 + 4096);
}
