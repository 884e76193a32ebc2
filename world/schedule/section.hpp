// Section: a part of a tick in which several tasks run at the same time, and its merge, which carries out what they asked for.
// Owned by Concurrency and used again. Begun and merged on the main thread.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "world/schedule/access_set.hpp"
#include "world/schedule/task.hpp"

namespace revenant {

class Section {
public:
    explicit Section(WorldCore& world) : world_(world) {}

    WorldCore& world() const noexcept { return world_; }
    // Starts with a task for each of so many systems.
    void begin(std::size_t systems, std::uint32_t stamp);
    Task& task(std::size_t system) noexcept { return *tasks_[system]; }
    std::uint32_t stamp() const noexcept { return stamp_; }
    const std::array<std::uint64_t, 4>& randomState() const noexcept { return randomState_; }

    // Carries out all commands. What they throw goes to the error of their task, if that has none. Provisional ids in components
    // of the types `written` become those of the entities.
    void merge(const std::vector<bool>& written);
    // Whether a task has made entities.
    bool hasMade() const noexcept;

private:
    friend class Merge;

    void runCommands(Task& task);
    void resolveWritten(const std::vector<bool>& written);

    WorldCore& world_;
    std::uint32_t stamp_ = 0;
    std::array<std::uint64_t, 4> randomState_{};
    std::size_t count_ = 0;
    std::vector<std::unique_ptr<Task>> tasks_;
};

// Merge: what a command sees of the section when it is carried out.
class Merge {
public:
    explicit Merge(Section& section) noexcept;

    World& world;
    WorldCore& core;

    // The entity that a provisional id came to be; others as they are.
    EntityId real(EntityId id) const noexcept;
    Entity real(Entity entity) const noexcept { return {world, real(entity.getId())}; }
    Value real(Value value) const;
    void setReal(EntityId provisional, EntityId id) noexcept;
    // In the entity fields of a component.
    void resolve(const ComponentType& type, std::byte* component) const noexcept;

private:
    Task::Created* find(EntityId id) const noexcept;

    Section& section_;
};

}  // namespace revenant
