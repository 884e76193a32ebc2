// Resources: the world's named global values. A rewound one holds a `Value` (plain data);
// others may hold anything.
#pragma once

#include <any>
#include <map>
#include <string>
#include <string_view>

#include "world/error.hpp"
#include "world/resource_options.hpp"
#include "world/value.hpp"

namespace revenant {

class Resources {
public:
    struct Resource {
        std::any value;
        bool rewind = false;
    };

    void set(std::string_view name, std::any value, ResourceOptions options);
    // Null where there is none.
    const Resource* find(std::string_view name) const noexcept;
    // A rewound resource, to change in place. Null where there is none.
    Value* change(std::string_view name);
    bool remove(std::string_view name);
    // Grows with every change of a resource that is, or was, rewound.
    std::uint64_t rewindVersion() const noexcept { return rewindVersion_; }
    void clear() noexcept { all_.clear(); }
    const std::map<std::string, Resource, std::less<>>& all() const noexcept { return all_; }

private:
    std::map<std::string, Resource, std::less<>> all_;
    std::uint64_t rewindVersion_ = 0;
};

}  // namespace revenant
