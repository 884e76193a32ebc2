// ViewModel: one live view beside the naive answer to its request, worked out from the entities
// alone. Each check returns a sentence for the first thing that is wrong, or an empty string.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "views/components_view.hpp"
#include "views/rows/view_rows.hpp"
#include "world/world.hpp"

namespace naive {

using namespace revenant;

inline const std::vector<std::string>& componentNames() {
    static const std::vector<std::string> names = {"WaterCMP", "EarthCMP", "AirCMP",
                                                   "FireCMP",  "StoneCMP", "BarkCMP"};
    return names;
}

inline void defineComponents(World& world) {
    // From 1 byte to 400, so that pages hold between few and many.
    const std::uint32_t counts[] = {2, 1, 7, 1, 100, 1};
    for (std::size_t i = 0; i < componentNames().size(); ++i) {
        FieldSpec spec;
        spec.name = "values";
        spec.type = i == 3 ? FieldType::U8 : FieldType::I32;
        spec.count = counts[i];
        spec.isArray = true;
        world.defineComponent(componentNames()[i], {spec});
    }
}

// A number that tells one value of a component from the next.
using Stamp = std::uint32_t;

inline std::size_t stampBytes(const ComponentSchema& schema) {
    return std::min<std::size_t>(schema.size, sizeof(Stamp));
}
inline Stamp readStamp(const ComponentSchema& schema, const std::byte* component) {
    Stamp stamp = 0;
    std::memcpy(&stamp, component, stampBytes(schema));
    return stamp;
}
inline void writeStamp(const ComponentSchema& schema, std::byte* component, Stamp stamp) {
    std::memcpy(component, &stamp, stampBytes(schema));
}

// A managed entity as the public interface tells it, in the world's order.
struct Seen {
    Entity entity;
    bool active = true;
    std::vector<std::byte*> components;  // enabled ones, by number; null: absent or disabled
};

inline std::vector<Seen> look(const World& world) {
    std::vector<Seen> all;
    for (const Entity& entity : world.getAllManagedEntities()) {
        Seen seen{entity, true, {}};
        for (Entity at = entity; at.isValid(); at = at.getParent())
            seen.active = seen.active && at.isEnabled();
        for (const std::string& name : componentNames()) {
            const bool on = entity.hasComponent(name) && entity.isComponentEnabled(name);
            seen.components.push_back(on ? entity.getComponent(name) : nullptr);
        }
        all.push_back(std::move(seen));
    }
    return all;
}

struct Row {
    Entity entity;
    std::vector<const std::byte*> pointers;  // by column
    Clock addedAt = 0;

    bool showsSame(const Row& other) const {
        return entity == other.entity && pointers == other.pointers;
    }
};

class ViewModel {
public:
    ViewModel(World& world, const Requirements& requirements)
        : requirements_(requirements), view_(world.getComponentsView(requirements)) {
        for (const Column& column : view_->getColumns()) columns_.push_back(&column);
    }

    const ComponentsView& view() const { return *view_; }
    const std::vector<Row>& shown() const { return shown_; }

    // Takes the rows as they are for what is to be shown until the next reconcile.
    void remember() {
        shown_ = rows();
        stamps_.clear();
        eachComponent([this](const ComponentSchema& schema, const std::byte* component) {
            stamps_[component] = readStamp(schema, component);
        });
        passes_ = view_->getStats().passes;
    }
    void noteWrite(const std::byte* component, Stamp stamp) {
        if (auto found = stamps_.find(component); found != stamps_.end()) found->second = stamp;
    }
    void noteDirty() { wasDirty_ = view_->isDirty(); }

    // Between reconciles nothing changes, what was unbound included.
    std::string checkUnchanged() const {
        const std::vector<Row> now = rows();
        if (!std::ranges::equal(now, shown_, &Row::showsSame)) return "changed between reconciles";
        std::string problem;
        eachComponent([&](const ComponentSchema& schema, const std::byte* component) {
            if (readStamp(schema, component) != stamps_.at(component))
                problem = "a component of '" + schema.name + "' lost its bytes before reconcile";
        });
        return problem;
    }

    // What the reconcile that just took place made of it. `moves`: entities may have been moved
    // to where they were.
    std::string checkAfterReconcile(const std::vector<Seen>& all, Clock tick, bool moves) const {
        const std::vector<Row> now = rows();
        const bool changed = !std::ranges::equal(now, shown_, &Row::showsSame);
        const auto passes = view_->getStats().passes - passes_;
        if (changed && !wasDirty_) return "changed without having been dirty";
        if (!changed && wasDirty_ && !moves) return "was dirty, yet did not change";
        if (changed ? passes != 1 : passes > (moves ? 1 : 0))
            return sentence("took ", passes, " passes, changed: ", changed);
        std::map<EntityId, Clock> addedBefore;
        for (const Row& row : shown_) addedBefore[row.entity.getId()] = row.addedAt;
        for (const Row& row : now) {
            const auto before = addedBefore.find(row.entity.getId());
            if (row.addedAt != (before == addedBefore.end() ? tick : before->second))
                return sentence("says ", describe(row.entity), " was added at ", row.addedAt);
        }
        return checkAgainst(all);
    }

    std::string checkAgainst(const std::vector<Seen>& all) const {
        const std::vector<Row> now = rows();
        std::size_t row = 0;
        for (const Seen& seen : all) {
            if (!isWanted(seen)) {
                if (view_->rowOf(seen.entity) != -1)
                    return sentence("has a row for ", describe(seen.entity));
                continue;
            }
            if (row >= now.size() || now[row].entity != seen.entity)
                return sentence("row ", row, " is not that of ", describe(seen.entity));
            if (view_->rowOf(seen.entity) != static_cast<std::ptrdiff_t>(row))
                return sentence("rowOf ", describe(seen.entity), " is not ", row);
            for (std::size_t i = 0; i < columns_.size(); ++i) {
                const std::byte* component = seen.components[numberOf(columns_[i]->getName())];
                const std::byte* wanted = component ? component : emptyComponent.bytes;
                if (now[row].pointers[i] != wanted)
                    return sentence("row ", row, " has the wrong '", columns_[i]->getName(), "'");
            }
            ++row;
        }
        if (row != now.size()) return sentence("has ", now.size(), " rows instead of ", row);
        return checkSegments();
    }

private:
    static std::size_t numberOf(const std::string& name) {
        const auto& all = componentNames();
        return static_cast<std::size_t>(std::ranges::find(all, name) - all.begin());
    }

    bool isWanted(const Seen& seen) const {
        if (!seen.active) return false;
        for (const auto& [name, desc] : requirements_) {
            const bool has = seen.components[numberOf(name)] != nullptr;
            if (desc.presence == Presence::MustHave && !has) return false;
            if (desc.presence == Presence::Without && has) return false;
        }
        return true;
    }

    std::vector<Row> rows() const {
        std::vector<Row> rows;
        for (const Entity& entity : view_->getEntities()) {
            Row row{entity, {}, ViewRows::of(*view_).addedAt(rows.size())};
            for (const Column* column : columns_) row.pointers.push_back(column->read(rows.size()));
            rows.push_back(std::move(row));
        }
        return rows;
    }

    template <class Visit>
    void eachComponent(Visit visit) const {
        for (const Row& row : shown_)
            for (std::size_t i = 0; i < columns_.size(); ++i)
                if (!isEmpty(static_cast<const void*>(row.pointers[i])))
                    visit(columns_[i]->getSchema(), row.pointers[i]);
    }

    // Segments cover the rows, and those that say so are plain arrays or in step.
    std::string checkSegments() const {
        std::size_t covered = 0;
        const ViewRows& rows = ViewRows::of(*view_);
        for (const Segment& segment : rows.segments()) {
            if (segment.count == 0 || rows.rowAt(segment.first) != covered)
                return "has a gap in its segments";
            covered += segment.count;
            if (segment.layout == RowLayout::Scattered) continue;
            const Column* guide = nullptr;
            for (const Column* column : columns_) {
                if (column->isOptional()) continue;
                if (!guide) guide = column;
                for (std::size_t i = 0; i < segment.count; ++i)
                    if (segment.layout == RowLayout::Contiguous
                            ? distance(*column, segment, i) !=
                                  static_cast<std::ptrdiff_t>(i * column->getSchema().size)
                            : distance(*column, segment, i) != distance(*guide, segment, i))
                        return "has a segment that does not lie as it says";
            }
        }
        return covered == view_->count() ? "" : "has rows outside its segments";
    }
    // How far row i of a segment is from its first in a column.
    std::ptrdiff_t distance(const Column& column, const Segment& segment, std::size_t i) const {
        const std::size_t row = ViewRows::of(*view_).rowAt(segment.first);
        return column.read(row + i) - column.read(row);
    }

    Requirements requirements_;
    std::shared_ptr<ComponentsView> view_;
    std::vector<const Column*> columns_;
    std::vector<Row> shown_;
    std::map<const std::byte*, Stamp> stamps_;
    std::uint64_t passes_ = 0;
    bool wasDirty_ = false;
};

}  // namespace naive
