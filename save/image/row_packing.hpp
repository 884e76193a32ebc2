// RowPacking: how the bytes of a component become a row of a save: its fields without padding, strings and
// entities by what refers to them there.
#pragma once

#include <cstring>
#include <vector>

#include "save/image/save_image.hpp"

namespace revenant {

class RowPacking {
public:
    RowPacking(const ComponentSchema& schema, SavedComponent& component) {
        for (const Field& field : schema.fields)
            component.fields.push_back({field.name, field.type, field.count, field.isArray, 0});
        layOut(component);
        for (std::size_t i = 0; i < schema.fields.size(); ++i)
            add(schema.fields[i], component.fields[i]);
    }

    // REQUIRES: room for a row at `row`.
    template <class NumberOfString, class ReferenceTo>
    void pack(const std::byte* component, std::byte* row, NumberOfString stringOf,
              ReferenceTo entityOf) const {
        for (const Step& step : steps_) {
            const std::byte* from = component + step.from;
            std::byte* to = row + step.to;
            if (step.kind == FieldType::String)
                for (std::uint32_t i = 0; i < step.count; ++i) {
                    StringId id;
                    std::memcpy(&id, from + i * sizeof id, sizeof id);
                    const std::uint32_t number = stringOf(id);
                    std::memcpy(to + i * sizeof number, &number, sizeof number);
                }
            else if (step.kind == FieldType::Entity)
                for (std::uint32_t i = 0; i < step.count; ++i) {
                    EntityId id;
                    std::memcpy(&id, from + i * sizeof id, sizeof id);
                    const std::uint64_t reference = entityOf(id);
                    std::memcpy(to + i * sizeof reference, &reference, sizeof reference);
                }
            else
                std::memcpy(to, from, step.count);
        }
    }

private:
    struct Step {
        FieldType kind;  // of numbers: U8, and `count` bytes
        std::uint32_t from;
        std::uint32_t to;
        std::uint32_t count;
    };

    void add(const Field& field, const SavedField& saved) {
        if (field.type == FieldType::String || field.type == FieldType::Entity) {
            steps_.push_back({field.type, field.offset, saved.offset, field.count});
            return;
        }
        if (!steps_.empty()) {
            Step& last = steps_.back();
            if (last.kind == FieldType::U8 && last.from + last.count == field.offset &&
                last.to + last.count == saved.offset) {
                last.count += saved.bytes();
                return;
            }
        }
        steps_.push_back({FieldType::U8, field.offset, saved.offset, saved.bytes()});
    }

    std::vector<Step> steps_;
};

}  // namespace revenant
