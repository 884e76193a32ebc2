// Query: a question asked once, by tools and one-off gameplay; systems use views.
//
//     world.query().with("EnemyCMP").without("DeadCMP").where(isNear).limit(3).entities()
//
// It sees what views see: active entities and enabled components, as of the last reconcile.
// Answered from the rows of a view if one fits, else from the storage of the rarest component
// asked for; never by looking at all entities. So it needs at least one `with`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "world/callback.hpp"
#include "world/component_type_id.hpp"
#include "world/world.hpp"

namespace revenant {

class ComponentPool;
struct EntityRecord;

class Query {
public:
    using Predicate = Callback<bool(Entity)>;
    using Key = Callback<double(Entity)>;

    explicit Query(World& world) : world_(world) {}

    Query& with(std::string_view component);
    Query& without(std::string_view component);
    template <class T>
    Query& with();
    template <class T>
    Query& without();
    Query& where(Predicate predicate);  // several: all must hold
    Query& orderBy(Key key);            // ascending; equal keys, and without it all: world order
    Query& limit(std::size_t most);
    // Skips the first `count` entities with these components; predicates do not see them.
    Query& skip(std::size_t count);

    std::vector<Entity> entities() const;
    Entity first() const;  // no entity where nothing matches
    std::size_t count() const { return entities().size(); }

private:
    // Calls visit(id) for each match, in world order, until that returns false.
    template <class Visit>
    void forMatches(Visit visit) const;
    bool findInOrder(std::size_t most, std::vector<EntityId>& ids) const;
    std::vector<const EntityRecord*> matchesInStorage() const;
    const ComponentPool& rarestPool() const;
    std::string_view nameOfTied(std::size_t cppType) const;

    World& world_;
    std::vector<ComponentTypeId> with_;  // both ascending
    std::vector<ComponentTypeId> without_;
    std::vector<Predicate> predicates_;
    Key key_;
    std::size_t limit_ = SIZE_MAX;
    std::size_t skip_ = 0;
};

template <class T>
Query& Query::with() {
    return with(nameOfTied(cppTypeIndex<T>()));
}

template <class T>
Query& Query::without() {
    return without(nameOfTied(cppTypeIndex<T>()));
}

}  // namespace revenant
