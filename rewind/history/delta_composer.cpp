// Over 300 lines: one algorithm, which joins two deltas, with a short function per kind of change.
#include "rewind/history/delta_composer.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace revenant {

namespace {

Words toWords(std::span<const std::uint32_t> image) {
    return {image.begin(), image.end()};
}

Words componentOf(const Words& image, std::size_t at) {
    if (at == image.size()) return {};
    const auto begin = image.begin() + static_cast<std::ptrdiff_t>(at) + 1;
    return {begin, begin + static_cast<std::ptrdiff_t>(wordsOf(image[at]))};
}

void eraseFromImage(Words& image, ComponentTypeId type) {
    const std::size_t at = findInImage(image, type);
    if (at == image.size()) return;
    const auto begin = image.begin() + static_cast<std::ptrdiff_t>(at);
    image.erase(begin, begin + static_cast<std::ptrdiff_t>(1 + wordsOf(image[at])));
}

void insertIntoImage(Words& image, ComponentTypeId type, std::span<const std::uint32_t> words) {
    std::size_t at = 0;
    while (at < image.size() && typeOf(image[at]) < type) at += 1 + wordsOf(image[at]);
    const auto place = image.begin() + static_cast<std::ptrdiff_t>(at);
    image.insert(image.insert(place, headOf(type, words.size())) + 1, words.begin(), words.end());
}

}  // namespace

DeltaComposer::MadeStep* DeltaComposer::Steps::find(EntityId id) {
    auto found = byId_.find(id);
    return found == byId_.end() ? nullptr : &found->second;
}

DeltaComposer::MadeStep* DeltaComposer::Steps::findBehind(EntityId parent, EntityId elder) {
    auto& index = elder.isNull() ? firstOf_ : behind_;
    auto found = index.find(elder.isNull() ? parent : elder);
    return found == index.end() ? nullptr : &byId_.at(found->second);
}

void DeltaComposer::Steps::put(MadeStep step) {
    erase(step.id);
    behind(step)[step.elder.isNull() ? step.parent : step.elder] = step.id;
    const EntityId id = step.id;
    byId_.emplace(id, std::move(step));
}

void DeltaComposer::Steps::erase(EntityId id) {
    auto found = byId_.find(id);
    if (found == byId_.end()) return;
    const Step& step = found->second;
    auto& index = behind(step);
    auto entry = index.find(step.elder.isNull() ? step.parent : step.elder);
    if (entry != index.end() && entry->second == id) index.erase(entry);
    byId_.erase(found);
}

std::vector<Step> DeltaComposer::Steps::takeInOrder(Delta& whole) {
    std::vector<Step> ordered;
    ordered.reserve(byId_.size());
    std::vector<EntityId> ids;
    ids.reserve(byId_.size());
    for (const auto& [id, step] : byId_) ids.push_back(id);
    std::ranges::sort(ids);
    std::unordered_set<EntityId> done;
    std::vector<EntityId> waiting;
    auto isOpen = [&](EntityId id) { return byId_.contains(id) && !done.contains(id); };
    for (const EntityId top : ids) {
        if (isOpen(top)) waiting.push_back(top);
        while (!waiting.empty()) {
            MadeStep& step = byId_.at(waiting.back());
            if (isOpen(step.parent)) {
                waiting.push_back(step.parent);
            } else if (isOpen(step.elder)) {
                waiting.push_back(step.elder);
            } else {
                waiting.pop_back();
                done.insert(step.id);
                whole.setMakeup(step, step.makeup);
                ordered.push_back(step);
            }
        }
    }
    byId_.clear();
    behind_.clear();
    firstOf_.clear();
    return ordered;
}

// The elder, in the state of `there`, of an entity that is in both states: past entities that are only here
// to the nearest elder that is in both, then past those that are only there.
EntityId DeltaComposer::elderAcross(EntityId parent, EntityId elder, Steps& here, Steps& there) {
    while (const Step* step = here.find(elder)) elder = step->elder;
    while (const Step* step = there.findBehind(parent, elder)) elder = step->id;
    return elder;
}

DeltaComposer::Component& DeltaComposer::component(std::uint32_t index, ComponentTypeId type) {
    const std::uint64_t key = componentKey(index, type);
    auto [found, isNew] = components_.try_emplace(key);
    if (isNew) componentOrder_.push_back(key);
    return found->second;
}

Makeup* DeltaComposer::arrivedMakeup(std::uint32_t index) {
    auto found = arrived_.find(index);
    return found == arrived_.end() ? nullptr : &arrivals_.find(found->second)->makeup;
}

void DeltaComposer::add(const Delta& next) {
    addStructure(next, next.words);
    addStates(next);
}

void DeltaComposer::addStructure(const Delta& next, const Words& words) {
    addWords(words);
    if (!next.hasStructure()) return;
    addRebindings(next);
    addToggles(next);
    addPlaces(next);
    addOutsides(next);
}

void DeltaComposer::addWords(const Words& words) {
    Words* target = nullptr;
    std::size_t offset = 0;
    std::uint64_t lastKey = UINT64_MAX;
    forWords(words, [&](std::uint32_t index, ComponentTypeId type, std::size_t word,
                        std::uint32_t difference) {
        if (const std::uint64_t key = componentKey(index, type); key != lastKey) {
            lastKey = key;
            offset = 0;
            if (Makeup* makeup = arrivedMakeup(index)) {
                target = &makeup->image;
                offset = findInImage(makeup->image, type) + 1;
            } else {
                Component& changed = component(index, type);
                target = changed.rebound ? &changed.after : &changed.differences;
            }
        }
        if (target->size() <= offset + word) target->resize(offset + word + 1, 0);
        (*target)[offset + word] ^= difference;
    });
}

void DeltaComposer::addRebindings(const Delta& next) {
    for (const Rebinding& rebinding : next.rebindings) {
        if (Makeup* makeup = arrivedMakeup(rebinding.id.index)) {
            eraseFromImage(makeup->image, rebinding.type);
            if (rebinding.has)
                insertIntoImage(makeup->image, rebinding.type, next.imageAt(rebinding.after));
            continue;
        }
        Component& changed = component(rebinding.id.index, rebinding.type);
        if (!changed.rebound) {
            changed.id = rebinding.id;
            changed.rebound = true;
            changed.had = rebinding.had;
            changed.before = toWords(next.imageAt(rebinding.before));
        }
        changed.has = rebinding.has;
        changed.after = toWords(next.imageAt(rebinding.after));
    }
}

void DeltaComposer::addToggles(const Delta& next) {
    for (const Toggle& toggle : next.toggles) {
        if (Makeup* makeup = arrivedMakeup(toggle.id.index)) {
            makeup->enabled = toggle.enabledAfter;
            makeup->disabled = toggle.disabledAfter;
        } else {
            setToggle(toggle.id, toggle);
        }
    }
}

void DeltaComposer::setToggle(EntityId id, const Toggle& next) {
    auto [found, isNew] = toggles_.try_emplace(id, next);
    if (isNew) toggleOrder_.push_back(id);
    found->second.enabledAfter = next.enabledAfter;
    found->second.disabledAfter = next.disabledAfter;
}

void DeltaComposer::addPlaces(const Delta& next) {
    Steps departing;
    Steps arriving;
    for (const Step& step : next.departures) departing.put({step, {}});
    for (const Step& step : next.arrivals) arriving.put({step, {}});
    std::vector<EntityId> elders;
    for (const Step& step : next.departures)
        elders.push_back(arrivals_.find(step.id)
                             ? EntityId{}
                             : elderAcross(step.parent, step.elder, arrivals_, departures_));
    moveArrivals(departing, arriving, next);
    for (std::size_t i = 0; i < next.departures.size(); ++i) {
        const Step& step = next.departures[i];
        const Step* arrived = arrivals_.find(step.id);
        if (!arrived) {
            MadeStep first{step, next.makeupOf(step)};
            first.elder = elders[i];
            departures_.put(std::move(first));
            continue;
        }
        if (!step.crosses) continue;  // it moves on
        MadeStep* first = departures_.find(step.id);
        if (arrived->crosses) {
            arrived_.erase(step.id.index);
        } else {
            first->crosses = true;
            first->rescoped = step.rescoped;
            first->makeup = next.makeupOf(step);
        }
        if (first) {
            first->detached = step.detached;
            first->outer = step.outer;
        }
        arrivals_.erase(step.id);
    }
    for (const Step& step : next.arrivals) {
        MadeStep last{step, next.makeupOf(step)};
        if (const MadeStep* arrived = arrivals_.find(step.id); arrived && !step.crosses) {
            last = *arrived;
            last.parent = step.parent;
            last.elder = step.elder;
        }
        if (last.crosses) arrived_[last.id.index] = last.id;
        arrivals_.put(std::move(last));
    }
}

// Entities that arrived earlier and stay may have other elders after `next`.
void DeltaComposer::moveArrivals(Steps& departing, Steps& arriving, const Delta& next) {
    std::vector<MadeStep> moved;
    auto note = [&](const MadeStep* step) {
        if (step && !departing.find(step->id)) moved.push_back(*step);
    };
    for (const Step& step : next.departures) note(arrivals_.findBehind(step.parent, step.id));
    for (const Step& step : next.arrivals) note(arrivals_.findBehind(step.parent, step.elder));
    for (MadeStep& step : moved)
        step.elder = elderAcross(step.parent, step.elder, departing, arriving);
    for (const MadeStep& step : moved) arrivals_.erase(step.id);
    // An entity that moves on must not be found behind an elder that it no longer has.
    for (const Step& step : next.departures)
        if (const MadeStep* arrived = arrivals_.find(step.id); arrived && !step.crosses) {
            MadeStep unplaced = *arrived;
            arrivals_.erase(step.id);
            unplaced.elder = unplaced.id;  // no entity is its own elder
            arrivals_.put(std::move(unplaced));
        }
    for (MadeStep& step : moved) arrivals_.put(std::move(step));
}

// The state of an entity before it first came, and after it last left. The outsides of a delta take precedence over
// what follows from its steps.
void DeltaComposer::addOutsides(const Delta& next) {
    for (const Outside& outside : next.outsides)
        outsides_.try_emplace(outside.id,
                              Outside{outside.id, outside.before, {}, outside.outerBefore, {}});
    for (const Step& step : next.arrivals) {
        if (!step.crosses || step.rescoped) continue;
        auto [found, isFirst] = outsides_.try_emplace(step.id, Outside{step.id, {}, {}});
        if (isFirst) found->second.before = next.makeupOf(step);
        found->second.after.reset();
        found->second.outerAfter = {};
    }
    for (const Step& step : next.departures) {
        if (!step.crosses || step.rescoped) continue;
        auto [found, isFirst] = outsides_.try_emplace(step.id, Outside{step.id, {}, {}});
        found->second.after = next.makeupOf(step);
        found->second.outerAfter = {};
    }
    for (const Outside& outside : next.outsides)
        if (outside.after) {
            Outside& whole = outsides_.at(outside.id);
            whole.after = outside.after;
            whole.outerAfter = outside.outerAfter;
        }
}

std::vector<Outside> DeltaComposer::takeOutsides() {
    std::vector<Outside> outsides;
    for (auto& [id, outside] : outsides_) {
        const MadeStep* arrival = arrivals_.find(id);
        const MadeStep* departure = departures_.find(id);
        // What follows from the steps is left out.
        using enum Outer::State;
        if (arrival && arrival->crosses && outside.before == arrival->makeup &&
            outside.outerBefore.state == Unsaid)
            outside.before.reset();
        if (departure && departure->crosses && outside.after == departure->makeup &&
            outside.outerAfter.state == Unsaid)
            outside.after.reset();
        if (outside.before || outside.after) outsides.push_back(std::move(outside));
    }
    return outsides;
}

void DeltaComposer::addStates(const Delta& next) {
    states_.insert(states_.end(), next.states.begin(), next.states.end());
    // Not every time: that would cost in proportion to everything added before.
    if (states_.size() > 4 * foldedStates_) foldStates();
}

void DeltaComposer::foldStates() {
    std::vector<std::pair<StateKey, std::size_t>> order;
    order.reserve(states_.size());
    for (const StateChange& change : states_) order.emplace_back(change.key, order.size());
    std::ranges::sort(order);
    std::vector<StateChange> folded;
    for (const auto& [key, place] : order)
        if (folded.empty() || folded.back().key != key)
            folded.push_back(std::move(states_[place]));
        else
            folded.back().after = std::move(states_[place].after);
    states_ = std::move(folded);
    foldedStates_ = states_.size();
}

void DeltaComposer::putBack(MadeStep& departure, MadeStep& arrival) {
    auto rebind = [&](ComponentTypeId type) {
        const std::size_t before = findInImage(departure.makeup.image, type);
        const std::size_t after = findInImage(arrival.makeup.image, type);
        Component& changed = component(departure.id.index, type);
        changed.id = departure.id;
        if (!changed.rebound) {
            changed.rebound = true;
            changed.had = before < departure.makeup.image.size();
            changed.before = componentOf(departure.makeup.image, before);
        }
        changed.has = after < arrival.makeup.image.size();
        changed.after = componentOf(arrival.makeup.image, after);
    };
    for (const MadeStep* step : {&departure, &arrival}) {
        const Words& image = step->makeup.image;
        for (std::size_t at = 0; at < image.size(); at += 1 + wordsOf(image[at]))
            rebind(typeOf(image[at]));
    }
    setToggle(departure.id, {departure.id, departure.makeup.enabled, arrival.makeup.enabled,
                             departure.makeup.disabled, arrival.makeup.disabled});
    for (MadeStep* step : {&departure, &arrival}) {
        step->crosses = step->rescoped = step->wasZombie = step->detached = false;
        step->outer = {};
        step->makeup = {};
    }
}

Delta DeltaComposer::finish() {
    for (const auto& [index, id] : arrived_)
        if (MadeStep* departure = departures_.find(id); departure && departure->crosses)
            putBack(*departure, *arrivals_.find(id));
    Delta whole;
    whole.outsides = takeOutsides();
    whole.departures = departures_.takeInOrder(whole);
    whole.arrivals = arrivals_.takeInOrder(whole);
    WordWriter words(whole.words);
    for (const std::uint64_t key : componentOrder_) {
        Component& changed = components_.at(key);
        const auto type = static_cast<ComponentTypeId>(key & 0xFFFF);
        if (!changed.differences.empty())
            appendDifferences(words, static_cast<std::uint32_t>(key >> 16), type,
                              changed.differences);
        const bool isSame = changed.had == changed.has && changed.before == changed.after;
        if (changed.rebound && !isSame)
            whole.rebindings.push_back({changed.id, type, changed.had, changed.has,
                                        whole.addImage(changed.before),
                                        whole.addImage(changed.after)});
    }
    for (const EntityId id : toggleOrder_) whole.toggles.push_back(toggles_.at(id));
    foldStates();
    std::erase_if(states_, [](const StateChange& each) { return each.before == each.after; });
    whole.states = std::move(states_);
    *this = {};
    return whole;
}

}  // namespace revenant
