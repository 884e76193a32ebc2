// StringId: a string as a small number, unique within its world, so that a component with a string in it
// is still plain bytes. Zero is the empty string, so that zeroed bytes read as "".
#pragma once

#include <cstdint>

namespace revenant {

struct StringId {
    std::uint32_t value = 0;

    friend constexpr bool operator==(StringId, StringId) noexcept = default;
};

}  // namespace revenant
