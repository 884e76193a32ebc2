// The half of Outsiders that restores what the other half recorded.
#include <iterator>
#include <unordered_map>
#include <utility>

#include "rewind/record/makeup.hpp"
#include "rewind/record/outsiders.hpp"
#include "world/core/restorer.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

void Outsiders::restore(const Delta& delta, Clock clock, bool before) {
    anyChanged_ = true;
    std::vector<const Outside*> placed;
    for (const Outside& outside : delta.outsides) {
        const auto& makeup = before ? outside.before : outside.after;
        const Outer& outer = before ? outside.outerBefore : outside.outerAfter;
        const bool isSaid = outer.state != Outer::State::Unsaid;
        EntityRecord* record = known_.find(outside.id);
        if (!record) {
            const auto watched = watched_.find(outside.id);
            if (makeup && watched != watched_.end()) {
                const Outer now = isSaid ? outer : watched->second.outer;
                watch(outside.id, *makeup, now);
            }
            continue;
        }
        if (record->managed) continue;
        restoreBirth(outside, *record, clock, before);
        if (!makeup) continue;
        const bool isBorn = record->bornAt < clock;
        if (isBorn && record->unborn) Restorer(world_).setUnborn(*record, false);
        unwatch(record->id);
        makeUp(*record, *makeup, world_);
        parking_.park(*record);
        if (isSaid && isBorn) placed.push_back(&outside);
    }
    hangAll(placed, before);
}

void Outsiders::restoreBirth(const Outside& outside, EntityRecord& record, Clock clock,
                             bool before) {
    const bool isBound = outside.outerAfter.isBound();
    // It was never in the world: its birth lies before that.
    if (isBound && before)
        births_.await(record, outside.outerBefore.parent);
    else if (isBound)
        births_.stopAwaiting(record);
    if (!before) return;
    // Its parent when it was made, whatever parent it came in with.
    if (outside.outerBefore.state != Outer::State::Unsaid)
        births_.setParent(record, outside.outerBefore.parent);
    if (isBound && record.bornAt >= clock && !record.unborn) {
        parking_.park(record);
        Restorer(world_).setUnborn(record, true);
    }
}

// Previous siblings first.
void Outsiders::hangAll(const std::vector<const Outside*>& all, bool before) {
    auto outerOf = [before](const Outside& each) -> const Outer& {
        return before ? each.outerBefore : each.outerAfter;
    };
    std::unordered_map<EntityId, const Outside*> open;
    for (const Outside* each : all) {
        Forest::cut(*known_.find(each->id));
        open.emplace(each->id, each);
    }
    std::vector<const Outside*> waiting;
    for (const Outside* top : all) {
        if (open.contains(top->id)) waiting.push_back(top);
        while (!waiting.empty()) {
            const Outside& each = *waiting.back();
            if (const auto previous = open.find(outerOf(each).previous);
                previous != open.end() && waiting.size() <= all.size()) {
                waiting.push_back(previous->second);
                continue;
            }
            waiting.pop_back();
            if (open.erase(each.id) > 0) hang(*known_.find(each.id), outerOf(each));
        }
    }
    // All members of a tree have one state.
    Restorer restorer(world_);
    for (const Outside* each : all)
        if (EntityRecord& record = *known_.find(each->id); !record.parent)
            restorer.setZombie(record, outerOf(*each).state == Outer::State::Zombie);
    for (const Outside* each : all)
        if (EntityRecord& record = *known_.find(each->id); record.parent)
            restorer.setZombie(record, record.root().removed);
}

void Outsiders::hang(EntityRecord& record, const Outer& outer) {
    EntityRecord* parent = world_.forest().pool.find(outer.parent);
    const EntityRecord* previous = world_.forest().pool.find(outer.previous);
    if (!parent || !parent->isOut() || Forest::isAncestor(record, *parent)) return;
    SiblingList& children = world_.forest().pool.makeRest(*parent).children;
    auto place = outer.previous.isNull() ? children.begin() : children.end();
    if (previous && previous->parent == parent)
        place = std::next(SiblingList::s_iterator_to(const_cast<EntityRecord&>(*previous)));
    Forest::hang(record, *parent, place);
}

void Outsiders::revert() {
    anyChanged_ = true;
    parking_.forWritten([this](EntityRecord& record) {
        makeUp(record, parking_.makeupOf(known_.of(record)), world_);
    });
}

}  // namespace revenant
