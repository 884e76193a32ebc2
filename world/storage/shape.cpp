#include "world/storage/shape.hpp"

#include <algorithm>

namespace revenant {

const Shape* ShapeTable::find(const std::vector<ComponentTypeId>& ascendingTypes) {
    if (auto found = byTypes_.find(ascendingTypes); found != byTypes_.end()) return found->second;
    Shape shape;
    shape.id_ = static_cast<std::uint32_t>(shapes_.size());
    shape.types_ = ascendingTypes;
    if (!ascendingTypes.empty())
        shape.positions_.assign(std::size_t{ascendingTypes.back()} + 1, Shape::absent);
    for (std::size_t i = 0; i < ascendingTypes.size(); ++i) {
        shape.positions_[ascendingTypes[i]] = static_cast<std::int16_t>(i);
        const auto& [pool, alignment] = types_[ascendingTypes[i]];
        const std::size_t offset = (shape.parkedBytes_ + alignment - 1) / alignment * alignment;
        shape.columns_.push_back({pool, offset});
        shape.parkedBytes_ = offset + pool->size();
    }
    auto made = byTypes_.emplace(ascendingTypes, nullptr).first;
    try {
        return made->second = &shapes_.emplace_back(std::move(shape));
    } catch (...) {
        byTypes_.erase(made);
        throw;
    }
}

const Shape* ShapeTable::makeNeighbour(const Shape* shape, ComponentTypeId type) {
    auto types = shape->types_;
    auto place = std::ranges::lower_bound(types, type);
    if (place != types.end() && *place == type)
        types.erase(place);
    else
        types.insert(place, type);
    const Shape* neighbour = find(types);
    // Shapes are handed out as const; the cache of neighbours is not part of what they mean.
    auto link = [&](const Shape* from, const Shape* to) {
        auto& neighbours = shapes_[from->id_].neighbours_;
        if (neighbours.size() <= type) neighbours.resize(std::size_t{type} + 1);
        neighbours[type] = to;
    };
    link(shape, neighbour);
    link(neighbour, shape);
    return neighbour;
}

}  // namespace revenant
