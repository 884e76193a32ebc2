// WorldLinks: the links of all Lua states to one world.
#include <algorithm>
#include <utility>

#include "lua/state/world_link.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

WorldLinks::~WorldLinks() {
    for (WorldLink* link : links_) link->forgetWorld();
}

void WorldLinks::onReconcile(const ChangeSet& changes) {
    for (WorldLink* link : links_) link->onReconcile(changes);
}

void WorldLinks::onClockRaised() {
    for (const Belongings& left : std::exchange(orphans_, {})) {
        unregisterAll(world_.world(), left.systems);
        takeAway(world_, left);
    }
    for (WorldLink* link : links_) link->onClockRaised();
}

// By copy: what is called may open and close links.
void WorldLinks::onChangesTold(ErrorList& errors) {
    for (WorldLink* link : std::vector(links_))
        if (std::ranges::find(links_, link) != links_.end()) link->onChangesTold(errors);
}

void WorldLinks::onDestroyedTold(ErrorList& errors) {
    for (WorldLink* link : std::vector(links_))
        if (std::ranges::find(links_, link) != links_.end()) link->onDestroyedTold(errors);
}

bool WorldLinks::mayAct() const noexcept {
    return std::ranges::any_of(links_, [](const WorldLink* link) { return link->mayAct(); });
}

// One of several states may have classes that the others do not.
void WorldLinks::checkReplacement(const std::map<std::string, Value>& resources) {
    for (const auto& [name, value] : resources)
        for (std::size_t i = 0; i < links_.size(); ++i) try {
                links_[i]->checkResource(name, value);
                break;
            } catch (const Error&) {
                if (i + 1 == links_.size()) throw;
            }
}

void WorldLinks::onReplace() {
    for (WorldLink* link : links_) link->onReplace();
}

void WorldLinks::onReset() {
    for (WorldLink* link : links_) link->onReset();
}

}  // namespace revenant
