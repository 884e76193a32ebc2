#include "world/schedule/task.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "world/core/world_core.hpp"
#include "world/schedule/provisional_id.hpp"
#include "world/schedule/section.hpp"

namespace revenant {

namespace {

thread_local Task* current = nullptr;

// A seed for the task's own random numbers, from the world's generator as the section found it.
std::uint64_t seedOf(const std::array<std::uint64_t, 4>& state, const std::string& name,
                     std::uint32_t number) noexcept {
    std::uint64_t seed = 0xCBF29CE484222325U;
    const auto mix = [&seed](std::uint64_t word) {
        seed = (seed ^ word) * 0x9E3779B97F4A7C15U;
        seed ^= seed >> 29;
    };
    for (const std::uint64_t word : state) mix(word);
    for (const char letter : name) mix(static_cast<unsigned char>(letter));
    mix(number);
    return seed;
}

}  // namespace

Task* Task::of(const WorldCore& world) noexcept {
    for (Task* task = current; task; task = task->outer_)
        if (&task->section_.world() == &world) return task;
    return nullptr;
}

TaskScope::TaskScope(Task& task) noexcept : before_(current) {
    task.outer_ = before_;
    current = &task;
}

TaskScope::~TaskScope() {
    current->outer_ = nullptr;
    current = before_;
}

void Task::begin(const std::string& name, std::uint32_t system, const AccessSet* access) {
    name_ = &name;
    system_ = system;
    access_ = access;
    nextNumber_ = 1;
}

void Task::reset() noexcept {
    for (Command* command = first_; command;) {
        Command* next = command->next;
        if (command->destroy) command->destroy(*command);
        command = next;
    }
    first_ = last_ = nullptr;
    arena_.reset();
    created_.clear();
    isSeeded_ = hasDrawn_ = false;
    error = nullptr;
    for (auto& chunk : kept_) {
        chunk->first_ = chunk->last_ = nullptr;  // its commands were this task's
        chunk->reset();
    }
    spare_.insert(spare_.end(), std::make_move_iterator(kept_.begin()),
                  std::make_move_iterator(kept_.end()));
    kept_.clear();
}

Random& Task::random() {
    if (!isSeeded_) random_.setSeed(seedOf(section_.randomState(), *name_, number_));
    isSeeded_ = hasDrawn_ = true;
    return random_;
}

void Task::require(const Entity& entity, const char* call) const {
    if (entity.getWorld() == &section_.world().world() && findCreated(entity.getId())) return;
    section_.world().requireRecord(entity, call);
}

Task::Created* Task::findCreated(EntityId id) const noexcept {
    if (!ProvisionalId::isOne(id)) return nullptr;
    const auto [stamp, system, number, count] = ProvisionalId::unpack(id);
    if (stamp != section_.stamp() || system != system_) return nullptr;
    const Task* maker = nullptr;
    if (number == number_) {
        maker = this;
    } else if (number == 0) {
        maker = root_;
    } else if (!root_->loop_.chunks.empty() && number >= root_->loop_.first) {
        return nullptr;  // of a chunk that runs at the same time
    } else {
        const auto found = std::ranges::lower_bound(root_->kept_, number, {},
                                                    [](const auto& task) { return task->number_; });
        if (found != root_->kept_.end() && (*found)->number_ == number) maker = found->get();
    }
    if (!maker || count >= maker->created_.size()) return nullptr;
    return const_cast<Created*>(&maker->created_[count]);
}

const std::byte* Task::findStaged(EntityId id, ComponentTypeId type) const noexcept {
    const Created* created = findCreated(id);
    for (const Staged* each = created ? created->components : nullptr; each; each = each->next)
        if (each->type == type) return each->bytes;
    return nullptr;
}

Entity Task::newEntity(std::string_view name) {
    const std::size_t count = created_.size();
    if (count >> ProvisionalId::countBits != 0 || number_ >> ProvisionalId::taskBits != 0)
        fail(ErrorCode::LimitReached, "newEntity: system '", *name_,
             "' makes more entities in one tick than a system that ticks beside others can; spread "
             "them over several ticks, "
             "or set SystemOptions::onMainThread");
    const ProvisionalId id{section_.stamp(), system_, number_, static_cast<std::uint32_t>(count)};
    created_.push_back({std::string(name)});
    try {
        defer([id = id.pack(), created = std::string(name)](Merge& merge) {
            merge.setReal(id, merge.world.newEntity(created).getId());
        });
    } catch (...) {
        created_.pop_back();
        throw;
    }
    return {section_.world().world(), id.pack()};
}

void Task::addEntity(Entity entity) {
    require(entity, "addEntity");
    defer([entity](Merge& merge) { merge.world.addEntity(merge.real(entity)); });
    if (Created* created = findCreated(entity.getId())) created->isAdded = true;
}

std::byte* Task::addComponent(Entity entity, ComponentType& type, const void* bytes,
                              std::vector<Override> later) {
    require(entity, "addComponent");
    const EntityId id = entity.getId();
    if (findStaged(id, type.id))
        fail(ErrorCode::DuplicateComponent, "addComponent: ", describe(entity),
             " already has component '", type.schema.name, "'");
    std::byte* staged = arena_.take(type.schema.size, type.schema.alignment);
    std::memcpy(staged, bytes, type.schema.size);
    defer([id, staged, &type, later = std::move(later)](Merge& merge) {
        merge.resolve(type, staged);
        Entity target(merge.world, merge.real(id));
        std::byte* bound = target.addComponent(type, staged);
        for (const Override& each : later)
            writeField(merge.core.components().strings(), type.schema,
                       type.schema.requireField(each.field), bound, merge.real(each.value));
    });
    if (Created* created = findCreated(id))
        created->components = new (arena_.take(sizeof(Staged), alignof(Staged)))
            Staged{type.id, staged, created->components};
    return staged;
}

void Task::removeComponent(Entity entity, ComponentType& type) {
    require(entity, "removeComponent");
    defer([entity, &type](Merge& merge) { merge.real(entity).removeComponent(type); });
    if (Created* created = findCreated(entity.getId()))
        for (Staged** at = &created->components; *at; at = &(*at)->next)
            if ((*at)->type == type.id) {
                *at = (*at)->next;
                break;
            }
}

bool Task::isWrittenByLoop(const ComponentType& type) const noexcept {
    return isChunk() &&
           std::ranges::find(root_->loop_.writes, type.id) != root_->loop_.writes.end();
}

void Task::checkReadSlowly(const ComponentType& type) const {
    REVENANT_ASSERT(!access_ || access_->mayRead(type.id), "system '", *name_,
                    "' reads component '", type.schema.name,
                    "', which it did not declare: hold a view of it (System::view), or name it in "
                    "SystemOptions::access");
    REVENANT_ASSERT(!isWrittenByLoop(type), "parallelEach of system '", *name_,
                    "' reads component '", type.schema.name,
                    "' of another row, which the loop may write at the same time; read it in a "
                    "loop of its own before");
}

void Task::checkWriteSlowly(const ComponentType& type) const {
    REVENANT_ASSERT(!access_ || access_->mayWrite(type.id), "system '", *name_,
                    "' writes component '", type.schema.name,
                    "', which it did not declare: hold a view of it (System::view), or name it in "
                    "SystemOptions::access");
    REVENANT_ASSERT(!isChunk(), "parallelEach of system '", *name_, "' writes component '",
                    type.schema.name,
                    "' other than through the loop's arguments, where another chunk may do the "
                    "same; use setField, which waits "
                    "for the merge, or a loop of its own");
}

std::span<Task* const> Task::openLoop(std::size_t chunks, std::vector<ComponentTypeId> writes) {
    loop_.writes = std::move(writes);
    loop_.first = nextNumber_;
    loop_.chunks.reserve(chunks);
    kept_.reserve(kept_.size() + chunks);
    for (std::size_t i = 0; i < chunks; ++i) {
        if (spare_.empty()) spare_.push_back(std::make_unique<Task>(section_));
        busy_.push_back(std::move(spare_.back()));
        spare_.pop_back();
        Task& chunk = *busy_.back();
        chunk.begin(*name_, system_, access_);
        chunk.root_ = this;
        chunk.number_ = nextNumber_ + static_cast<std::uint32_t>(i);
        loop_.chunks.push_back(&chunk);
    }
    nextNumber_ += static_cast<std::uint32_t>(chunks);
    return loop_.chunks;
}

void Task::closeLoop() {
    for (auto& chunk : busy_) {
        if (chunk->error && !error) error = chunk->error;
        chunk->error = nullptr;
        if (chunk->isIdle()) {
            chunk->reset();
            spare_.push_back(std::move(chunk));
            continue;
        }
        hasDrawn_ = hasDrawn_ || chunk->hasDrawn_;
        if (chunk->first_) {
            (last_ ? last_->next : first_) = chunk->first_;
            last_ = chunk->last_;
        }
        kept_.push_back(std::move(chunk));
    }
    busy_.clear();
    loop_.chunks.clear();
    loop_.writes.clear();
}

}  // namespace revenant
