// Shape: a set of component types, interned: entities with the same set share one Shape.
// Which views an entity concerns, and where among its slots a component is, are questions to
// its shape, answered once per shape instead of once per entity.
// A ShapeTable owns its shapes; they live as long as it does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "world/component_type_id.hpp"
#include "world/storage/component_pool.hpp"
#include "world/storage/make_room.hpp"

namespace revenant {

class Shape {
public:
    static constexpr int absent = -1;

    std::uint32_t id() const noexcept { return id_; }
    const std::vector<ComponentTypeId>& types() const noexcept { return types_; }  // ascending
    std::size_t count() const noexcept { return types_.size(); }
    int positionOf(ComponentTypeId type) const noexcept {
        return type < positions_.size() ? positions_[type] : absent;
    }
    bool has(ComponentTypeId type) const noexcept { return positionOf(type) != absent; }
    // Of the type at a position: its components.
    ComponentPool& poolAt(std::size_t position) const noexcept { return *columns_[position].pool; }
    // Where its component is in a block of all of them, as a history keeps those of entities that are out; and the size of
    // the block.
    std::size_t parkedOffset(std::size_t position) const noexcept {
        return columns_[position].offset;
    }
    std::size_t parkedBytes() const noexcept { return parkedBytes_; }

private:
    friend class ShapeTable;

    struct ColumnOf {
        ComponentPool* pool;
        std::size_t offset;
    };

    std::uint32_t id_ = 0;
    std::vector<ComponentTypeId> types_;
    std::vector<std::int16_t> positions_;  // by type id
    std::vector<ColumnOf> columns_;        // by position
    std::size_t parkedBytes_ = 0;
    std::vector<const Shape*> neighbours_;  // by type id: this shape with the type toggled
};

class ShapeTable {
public:
    ShapeTable() { find({}); }
    ShapeTable(const ShapeTable&) = delete;
    ShapeTable& operator=(const ShapeTable&) = delete;

    // Types are made known in the order of their ids, before shapes have them. The pool outlives the table. Allocates
    // only in reserveType.
    void reserveType() { makeRoom(types_); }
    void addType(ComponentPool& pool, std::size_t alignment) {
        types_.push_back({&pool, alignment});
    }
    const Shape* empty() const noexcept { return &shapes_.front(); }
    // The shape with `type` added if it is absent, removed if it is there.
    const Shape* toggled(const Shape* shape, ComponentTypeId type) {
        if (type < shape->neighbours_.size() && shape->neighbours_[type])
            return shape->neighbours_[type];
        return makeNeighbour(shape, type);
    }
    const Shape* find(const std::vector<ComponentTypeId>& ascendingTypes);
    const std::deque<Shape>& all() const noexcept { return shapes_; }

private:
    const Shape* makeNeighbour(const Shape* shape, ComponentTypeId type);

    struct Type {
        ComponentPool* pool;
        std::size_t alignment;
    };
    std::vector<Type> types_;   // by id
    std::deque<Shape> shapes_;  // a deque: shapes are pointed to
    std::map<std::vector<ComponentTypeId>, const Shape*> byTypes_;
};

}  // namespace revenant
