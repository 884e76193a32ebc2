// StrayWrite: a write without a change mark: through a reference, a row or a run that was kept from
// an earlier tick. Marks are set where a component is fetched for writing, so fetch it anew in each tick.
// Plain data.
#pragma once

#include <string>

#include "world/entity_id.hpp"

namespace revenant {

struct StrayWrite {
    EntityId entity;
    std::string component;
    std::string field;  // the first that differs
};

}  // namespace revenant
