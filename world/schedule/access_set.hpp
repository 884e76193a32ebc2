// AccessSet: the component types that a system may read and write, as its SystemAccess says. Plain data.
#pragma once

#include <vector>

#include "world/component_type_id.hpp"

namespace revenant {

struct AccessSet {
    std::vector<bool> reads;  // by component type; what is written may be read
    std::vector<bool> writes;

    bool mayRead(ComponentTypeId type) const noexcept { return type < reads.size() && reads[type]; }
    bool mayWrite(ComponentTypeId type) const noexcept {
        return type < writes.size() && writes[type];
    }
};

}  // namespace revenant
