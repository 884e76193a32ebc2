#include "world/schedule/section.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "world/core/world_core.hpp"
#include "world/schedule/provisional_id.hpp"

namespace revenant {

void Section::begin(std::size_t systems, std::uint32_t stamp) {
    if (systems >> ProvisionalId::systemBits != 0)
        fail(ErrorCode::LimitReached, "more than ", 1 << ProvisionalId::systemBits,
             " systems are to tick beside each other");
    while (tasks_.size() < systems) tasks_.push_back(std::make_unique<Task>(*this));
    count_ = systems;
    stamp_ = stamp;
    randomState_ = world_.randomState();
}

bool Section::hasMade() const noexcept {
    for (std::size_t i = 0; i < count_; ++i)
        if (const Task& task = *tasks_[i];
            !task.created_.empty() || std::ranges::any_of(task.kept_, [](const auto& chunk) {
                return !chunk->created_.empty();
            }))
            return true;
    return false;
}

void Section::merge(const std::vector<bool>& written) {
    bool hasDrawn = false;
    for (std::size_t i = 0; i < count_; ++i) {
        Task& task = *tasks_[i];
        runCommands(task);
        hasDrawn = hasDrawn || task.hasDrawn_;
    }
    // The next section draws other numbers.
    if (hasDrawn) world_.drawRandom();
    if (hasMade()) resolveWritten(written);
}

void Section::runCommands(Task& task) {
    Merge merge(*this);
    for (Command* command = task.first_; command; command = command->next) {
        try {
            command->run(*command, merge);
        } catch (const Error& thrown) {
            if (!task.error)
                task.error = std::make_exception_ptr(
                    Error(thrown.code(), sentence("system '", task.name(), "': ", thrown.what())));
        } catch (...) {
            if (!task.error) task.error = std::current_exception();
        }
    }
}

// A system may have written the id of an entity that it made through a view: looks through all that was written in this tick.
void Section::resolveWritten(const std::vector<bool>& written) {
    const Merge merge(*this);
    const Clock now = world_.getClock();
    for (std::size_t id = 0; id < written.size(); ++id) {
        if (!written[id]) continue;
        ComponentType& type = world_.components().at(static_cast<ComponentTypeId>(id));
        if (std::ranges::find(type.schema.fields, FieldType::Entity, &Field::type) ==
            type.schema.fields.end())
            continue;
        for (ComponentPool::Page* page : type.pool.pages())
            for (std::uint32_t first = 0; first < type.pool.slotsPerPage(); first += 64)
                for (std::uint64_t taken = page->taken[first / 64]; taken != 0;
                     taken &= taken - 1) {
                    const auto slot = first + static_cast<std::uint32_t>(std::countr_zero(taken));
                    if (page->openedAt != now && page->blockChangedAt[slot / blockSlots] != now)
                        continue;
                    merge.resolve(type, page->data + std::size_t{slot} * type.pool.size());
                }
    }
}

Merge::Merge(Section& section) noexcept
    : world(section.world().world()), core(section.world()), section_(section) {}

Task::Created* Merge::find(EntityId id) const noexcept {
    const auto [stamp, system, number, count] = ProvisionalId::unpack(id);
    if (stamp != section_.stamp_ || system >= section_.count_) return nullptr;
    return section_.tasks_[system]->findCreated(id);
}

EntityId Merge::real(EntityId id) const noexcept {
    if (!ProvisionalId::isOne(id)) return id;
    const Task::Created* created = find(id);
    return created ? created->real : id;
}

void Merge::setReal(EntityId provisional, EntityId id) noexcept {
    if (Task::Created* created = find(provisional)) created->real = id;
}

Value Merge::real(Value value) const {
    if (const auto* id = value.as<EntityId>()) return real(*id);
    if (auto* values = std::get_if<ValueArray>(&value))
        for (Value& each : *values) each = real(std::move(each));
    return value;
}

void Merge::resolve(const ComponentType& type, std::byte* component) const noexcept {
    for (const Field& field : type.schema.fields) {
        if (field.type != FieldType::Entity) continue;
        for (std::uint32_t i = 0; i < field.count; ++i) {
            std::byte* place = component + field.offset + i * sizeof(EntityId);
            EntityId id;
            std::memcpy(&id, place, sizeof id);
            if (!ProvisionalId::isOne(id)) continue;
            id = real(id);
            std::memcpy(place, &id, sizeof id);
        }
    }
}

}  // namespace revenant
