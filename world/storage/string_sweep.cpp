#include "world/storage/string_sweep.hpp"

#include <algorithm>
#include <bit>

#include "world/storage/component_store.hpp"

namespace revenant {

namespace {

bool hasStrings(const ComponentSchema& schema) noexcept {
    return std::ranges::any_of(schema.fields,
                               [](const Field& field) { return field.type == FieldType::String; });
}

class Sweep {
public:
    explicit Sweep(ComponentStore& components) noexcept
        : components_(components), strings_(components.strings()) {}

    void markPool(const ComponentType& type) noexcept {
        const ComponentPool& pool = type.pool;
        for (const ComponentPool::Page* page : pool.pages())
            for (std::uint32_t first = 0; first < pool.slotsPerPage(); first += 64)
                for (std::uint64_t taken = page->taken[first / 64]; taken != 0;
                     taken &= taken - 1) {
                    const std::size_t slot =
                        first + static_cast<std::size_t>(std::countr_zero(taken));
                    mark(type.schema, page->data + slot * pool.size());
                }
    }

    void markParked(const EntityPool& entities) noexcept {
        std::size_t left = components_.parkedCount();
        for (std::uint32_t i = 0; i < entities.count() && left > 0; ++i, ++lookedAt_) {
            const EntityRecord& record = entities.at(i);
            if (!record.parked) continue;
            --left;
            const auto& types = record.shape->types();
            for (std::size_t at = 0; at < types.size(); ++at)
                mark(components_.at(types[at]).schema, record.slotAt(at));
        }
    }

    std::size_t lookedAt() const noexcept { return lookedAt_; }

private:
    void mark(const ComponentSchema& schema, const std::byte* bytes) noexcept {
        forEachString(schema, bytes, [this](StringId id) {
            strings_.mark(id);
            ++lookedAt_;
        });
    }

    ComponentStore& components_;
    StringTable& strings_;
    std::size_t lookedAt_ = 0;
};

}  // namespace

void sweepStrings(ComponentStore& components, const EntityPool& entities, std::int64_t frame,
                  std::int64_t oldest) noexcept {
    StringTable& strings = components.strings();
    strings.startSweep();
    Sweep sweep(components);
    for (std::size_t i = 0; i < components.count(); ++i)
        if (const ComponentType& type = components.at(static_cast<ComponentTypeId>(i));
            hasStrings(type.schema))
            sweep.markPool(type);
    sweep.markParked(entities);
    strings.endSweep(frame, oldest, sweep.lookedAt());
}

}  // namespace revenant
