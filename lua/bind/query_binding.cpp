// Query: which entities match. Predicates and keys are applied by the Lua half.

#include <sol/sol.hpp>

#include "lua/bind/binding.hpp"
#include "lua/state/session.hpp"
#include "lua/state/world_link.hpp"
#include "views/query.hpp"

namespace revenant {

void bindQuery(sol::table& native) {
    // Returns how many match, at most `most` behind the first `skipped`; takeList gives their ids.
    native.set_function("query", [](std::uint32_t number, const sol::table& with,
                                    const sol::table& without, double skipped, double most) {
        WorldLink& link = WorldLink::require(number);
        Query query(link.world());
        for (std::size_t i = 1; i <= with.size(); ++i) query.with(with.get<std::string>(i));
        for (std::size_t i = 1; i <= without.size(); ++i)
            query.without(without.get<std::string>(i));
        query.skip(static_cast<std::size_t>(skipped));
        query.limit(static_cast<std::size_t>(most));
        link.list.clear();
        for (const Entity& entity : query.entities()) link.list.push_back(entity.getId());
        return static_cast<double>(link.list.size());
    });
}

}  // namespace revenant
