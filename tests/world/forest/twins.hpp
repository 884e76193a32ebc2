// Twins: a world and its model, which do the same and must stay the same.
#pragma once

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "tests/world/forest/model.hpp"
#include "tests/world/operation.hpp"
#include "world/world.hpp"

namespace revenant {

class Twins {
public:
    // Without listeners a reconcile takes other ways: nothing can change while it is under way.
    explicit Twins(bool listens);

    // Does it on both sides and compares. A sentence about the first difference, or nothing.
    std::string perform(Operation operation);
    // What was done, with the numbers of the entities it was done to.
    const std::string& script() const noexcept { return script_; }

private:
    // The events and calls of one side.
    struct Log {
        std::vector<std::string> lines;
        std::vector<std::size_t> destroyed;  // as a set: in no order that matters
        std::deque<Operation> armed;         // for listeners
    };

    void resolve(Operation& operation) const;
    model::Outcome applyToWorld(const Operation& operation);
    model::Outcome applyToModel(const Operation& operation);
    void doInWorld(const Operation& operation);
    template <class Apply>
    void hear(Log& log, EventKind kind, std::size_t entity, std::string_view component,
              Apply apply);
    std::size_t indexOf(const Entity& entity) const;
    std::vector<std::size_t> indicesOf(const std::vector<Entity>& entities) const;

    std::string difference();
    std::string differenceOfEntity(std::size_t i);
    std::string differenceOfComponents(std::size_t i);
    std::string differenceOfLists();
    std::string differenceOfLogs();

    World world_;
    model::Model model_;
    std::vector<Entity> entities_;
    std::vector<std::vector<HeldEntity>> holds_;
    std::vector<std::vector<std::byte*>> slots_;  // per entity and component type
    Log worldLog_;
    Log modelLog_;
    std::string script_;
};

}  // namespace revenant
