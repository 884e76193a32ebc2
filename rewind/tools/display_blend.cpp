#include "rewind/tools/display_blend.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "world/core/world_core.hpp"

namespace revenant {

namespace {

double blend(double now, double next, double part, Blend how) noexcept {
    double way = next - now;
    // Blends angles the short way round.
    if (how == Blend::Angle) way = std::remainder(way, 2 * std::numbers::pi);
    return now + way * part;
}

template <class Number>
void blendNumber(std::byte* now, const std::byte* next, double part, Blend how) noexcept {
    Number from;
    Number to;
    std::memcpy(&from, now, sizeof from);
    std::memcpy(&to, next, sizeof to);
    if (!std::isfinite(static_cast<double>(from)) || !std::isfinite(static_cast<double>(to)))
        return;
    const auto between =
        static_cast<Number>(blend(static_cast<double>(from), static_cast<double>(to), part, how));
    std::memcpy(now, &between, sizeof between);
}

}  // namespace

void blendComponent(const ComponentSchema& schema, std::byte* now, const std::byte* next,
                    double part) {
    for (const Field& field : schema.fields) {
        if (field.blend == Blend::None) continue;
        for (std::uint32_t i = 0; i < field.count; ++i) {
            const std::size_t at = field.offset + i * sizeOf(field.type);
            switch (field.type) {
                case FieldType::F32:
                    blendNumber<float>(now + at, next + at, part, field.blend);
                    break;
                case FieldType::F64:
                    blendNumber<double>(now + at, next + at, part, field.blend);
                    break;
                case FieldType::I32:
                    blendNumber<std::int32_t>(now + at, next + at, part, field.blend);
                    break;
                default: break;  // nothing lies between
            }
        }
    }
}

void DisplayBlend::build(const WorldCore& world, const Delta& delta, double part) {
    clear();
    if (part <= 0) return;
    blendWords(world, delta.words, part);
    for (const StateChange& change : delta.states)
        if (change.before.isIn() && change.after.isIn())
            states_.emplace(change.key, StatePair(*change.before, *change.after));
}

void DisplayBlend::blendWords(const WorldCore& world, const Words& words, double part) {
    std::vector<std::byte> next;
    std::uint64_t last = UINT64_MAX;
    const ComponentSchema* schema = nullptr;
    std::size_t place = 0;
    auto finish = [&] {
        if (schema) blendComponent(*schema, bytes_.data() + place, next.data(), part);
        schema = nullptr;
    };
    forWords(words, [&](std::uint32_t index, ComponentTypeId type, std::size_t word,
                        std::uint32_t difference) {
        if (const std::uint64_t key = std::uint64_t{index} << 16 | type; key != last) {
            finish();
            last = key;
            const ComponentType& found = world.components().at(type);
            const EntityRecord& record = world.forest().pool.at(index);
            const std::byte* slot = record.managed ? record.slotOf(type) : nullptr;
            const bool blends = std::ranges::any_of(
                found.schema.fields, [](const Field& field) { return field.blend != Blend::None; });
            if (!slot || !blends) return;
            schema = &found.schema;
            next.assign(slot, slot + schema->size);
            place = (bytes_.size() + 15) / 16 * 16;
            bytes_.resize(place);
            bytes_.insert(bytes_.end(), next.begin(), next.end());
            copies_.emplace(key, place);
        }
        if (!schema) return;
        const std::size_t at = word * 4;
        const std::size_t count = std::min<std::size_t>(4, schema->size - at);
        std::uint32_t value = 0;
        std::memcpy(&value, next.data() + at, count);
        value ^= difference;
        std::memcpy(next.data() + at, &value, count);
    });
    finish();
}

}  // namespace revenant
