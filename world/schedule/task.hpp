// Task: what one system, or one chunk of a split loop, does in a section, in which several do so at the same time.
//
// In a section the forest, the lists and the definitions hold still. What a task asks for is kept here as commands; when all tasks
// have ended, the section's merge carries the commands out on the main thread, in the order of systems, then of chunks, then
// of the calls. So nothing depends on how many threads there were. A new entity is known by a provisional id until then.
// Random numbers come from a generator of the task's own, whose seed the world's generator gives.
//
// Owned by its Section, a chunk by the task of its system. Used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "world/component_type_id.hpp"
#include "world/core/random.hpp"
#include "world/entity.hpp"
#include "world/error.hpp"
#include "world/schedule/access_set.hpp"
#include "world/schedule/command_arena.hpp"

namespace revenant {

class Merge;
class Section;
class WorldCore;
struct ComponentType;

// A call that waits for the merge.
struct Command {
    Command* next = nullptr;
    void (*run)(Command&, Merge&) = nullptr;
    void (*destroy)(Command&) noexcept = nullptr;
};

class Task {
public:
    // A component of an entity that the task has made.
    struct Staged {
        ComponentTypeId type;
        std::byte* bytes;
        Staged* next;
    };
    struct Created {
        std::string name;
        EntityId real = {};  // after the merge
        Staged* components = nullptr;
        bool isAdded = false;
    };

    explicit Task(Section& section) : section_(section) {}
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;
    ~Task() { reset(); }

    // The task that the calling thread is busy with for this world, or nullptr.
    static Task* of(const WorldCore& world) noexcept;

    void begin(const std::string& name, std::uint32_t system, const AccessSet* access);
    void reset() noexcept;

    const std::string& name() const noexcept { return *name_; }
    bool isChunk() const noexcept { return root_ != this; }

    // Keeps call(Merge&) for the merge.
    template <class Call>
    void defer(Call call);
    // Throws if the entity is none, stale, or of another world.
    void require(const Entity& entity, const char* call) const;
    // What this task's system has made, by its provisional id; else nullptr.
    Created* findCreated(EntityId id) const noexcept;
    const std::byte* findStaged(EntityId id, ComponentTypeId type) const noexcept;

    // Calls of World and Entity that give something back.
    Entity newEntity(std::string_view name);
    void addEntity(Entity entity);
    std::byte* addComponent(Entity entity, ComponentType& type, const void* bytes,
                            std::vector<Override> later = {});
    void removeComponent(Entity entity, ComponentType& type);
    Random& random();

    // In validating builds: fails an assertion unless the system has declared it.
    void checkRead(const ComponentType& type) const {
        if (validating) checkReadSlowly(type);
    }
    void checkWrite(const ComponentType& type) const {
        if (validating) checkWriteSlowly(type);
    }

    // Splits: one task per chunk of a loop that writes `writes`; they are good until it closes.
    std::span<Task* const> openLoop(std::size_t chunks, std::vector<ComponentTypeId> writes);
    // Takes over what the chunks ask for, in their order, and the first error.
    void closeLoop();

    bool isIdle() const noexcept { return !first_ && created_.empty() && !hasDrawn_; }

    int tickDepth = 0;
    std::exception_ptr error;

private:
    friend class Merge;
    friend class Section;
    friend class TaskScope;

    void append(Command& command) noexcept {
        (last_ ? last_->next : first_) = &command;
        last_ = &command;
    }
    void checkReadSlowly(const ComponentType& type) const;
    void checkWriteSlowly(const ComponentType& type) const;
    bool isWrittenByLoop(const ComponentType& type) const noexcept;

    Section& section_;
    Task* outer_ = nullptr;  // that the thread was busy with before
    Task* root_ = this;      // of the system
    const std::string* name_ = nullptr;
    const AccessSet* access_ =
        nullptr;  // null: of a loop on the main thread, which may read everything
    std::uint32_t system_ = 0;
    std::uint32_t number_ = 0;
    CommandArena arena_;
    Command* first_ = nullptr;
    Command* last_ = nullptr;
    std::vector<Created> created_;
    Random random_;
    bool isSeeded_ = false;
    bool hasDrawn_ = false;
    // -- of a root: the chunks of its loops
    struct Loop {
        std::uint32_t first = 0;  // their numbers
        std::vector<Task*> chunks;
        std::vector<ComponentTypeId> writes;
    };
    Loop loop_;
    std::uint32_t nextNumber_ = 1;
    std::vector<std::unique_ptr<Task>> kept_;  // with what waits for the merge, ascending by number
    std::vector<std::unique_ptr<Task>> spare_;  // without
    std::vector<std::unique_ptr<Task>> busy_;
};

// While one lives, the calling thread is busy with the task.
class TaskScope {
public:
    explicit TaskScope(Task& task) noexcept;
    TaskScope(const TaskScope&) = delete;
    TaskScope& operator=(const TaskScope&) = delete;
    ~TaskScope();

private:
    Task* before_;
};

// ------------------------------------------------------------------------------------------

template <class Call>
void Task::defer(Call call) {
    struct Kept : Command {
        explicit Kept(Call&& kept) : call(std::move(kept)) {}
        Call call;
    };
    static_assert(alignof(Kept) <= CommandArena::alignment);
    auto* kept = new (arena_.take(sizeof(Kept), alignof(Kept))) Kept(std::move(call));
    kept->run = [](Command& command, Merge& merge) { static_cast<Kept&>(command).call(merge); };
    if constexpr (!std::is_trivially_destructible_v<Call>)
        kept->destroy = [](Command& command) noexcept { static_cast<Kept&>(command).~Kept(); };
    append(*kept);
}

}  // namespace revenant
