#include "world/core/resources.hpp"

namespace revenant {

void Resources::set(std::string_view name, std::any value, ResourceOptions options) {
    if (name.empty()) fail(ErrorCode::BadArgument, "a resource needs a name");
    if (options.rewind && !std::any_cast<Value>(&value))
        fail(ErrorCode::WrongType, "resource '", name, "' is rewound, so it must be a plain Value");
    auto found = all_.find(name);
    if (found == all_.end()) found = all_.emplace(std::string(name), Resource{}).first;
    if (options.rewind || found->second.rewind) ++rewindVersion_;
    found->second = {std::move(value), options.rewind};
}

const Resources::Resource* Resources::find(std::string_view name) const noexcept {
    auto found = all_.find(name);
    return found == all_.end() ? nullptr : &found->second;
}

Value* Resources::change(std::string_view name) {
    auto found = all_.find(name);
    if (found == all_.end() || !found->second.rewind) return nullptr;
    ++rewindVersion_;
    return std::any_cast<Value>(&found->second.value);
}

bool Resources::remove(std::string_view name) {
    auto found = all_.find(name);
    if (found == all_.end()) return false;
    if (found->second.rewind) ++rewindVersion_;
    all_.erase(found);
    return true;
}

}  // namespace revenant
