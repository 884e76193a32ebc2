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

Words componentOf(std::span<const std::uint32_t> image, std::size_t at) {
    if (at == image.size()) return {};
    return toWords(image.subspan(at + 1, wordsOf(image[at])));
}

}  // namespace

Step* DeltaComposer::Steps::findBehind(EntityId parent, EntityId previous) noexcept {
    const EntityId* found = previous.isNull() ? firstOf_.find(parent) : behind_.find(previous);
    return found ? byId_.find(*found) : nullptr;
}

void DeltaComposer::Steps::put(const Step& step) {
    erase(step.id);
    behind(step)[step.previous.isNull() ? step.parent : step.previous] = step.id;
    byId_[step.id] = step;
}

void DeltaComposer::Steps::erase(EntityId id) noexcept {
    const Step* step = byId_.find(id);
    if (!step) return;
    const EntityId place = step->previous.isNull() ? step->parent : step->previous;
    const EntityId* entry = behind(*step).find(place);
    if (entry && *entry == id) behind(*step).erase(place);
    byId_.erase(id);
}

std::vector<Step> DeltaComposer::Steps::takeInOrder() {
    std::vector<Step> ordered;
    ordered.reserve(byId_.size());
    std::vector<EntityId> ids;
    ids.reserve(byId_.size());
    byId_.forEach([&](EntityId id, const Step&) { ids.push_back(id); });
    std::ranges::sort(ids);
    std::vector<EntityId> waiting;
    for (const EntityId top : ids) {
        if (byId_.contains(top)) waiting.push_back(top);
        while (!waiting.empty()) {
            const Step& step = byId_.at(waiting.back());
            if (byId_.contains(step.parent)) {
                waiting.push_back(step.parent);
            } else if (byId_.contains(step.previous)) {
                waiting.push_back(step.previous);
            } else {
                waiting.pop_back();
                ordered.push_back(step);
                byId_.erase(ordered.back().id);
            }
        }
    }
    *this = {};
    return ordered;
}

// ------------------------------------------------------------------------------------------

ImagePart DeltaComposer::addImage(std::span<const std::uint32_t> words) {
    const ImagePart part{static_cast<std::uint32_t>(images_.size()),
                         static_cast<std::uint32_t>(words.size())};
    images_.insert(images_.end(), words.begin(), words.end());
    return part;
}

void DeltaComposer::eraseFromImage(Step& step, ComponentTypeId type) {
    const auto image = imageAt(step.image);
    const std::size_t at = findInImage(image, type);
    if (at == image.size()) return;
    const std::size_t words = 1 + wordsOf(image[at]);
    std::ranges::copy(image.subspan(at + words), image.begin() + static_cast<std::ptrdiff_t>(at));
    step.image.words -= static_cast<std::uint32_t>(words);
}

void DeltaComposer::insertIntoImage(Step& step, ComponentTypeId type,
                                    std::span<const std::uint32_t> words) {
    const Words before = toWords(imageAt(step.image));
    std::size_t at = 0;
    while (at < before.size() && typeOf(before[at]) < type) at += 1 + wordsOf(before[at]);
    const std::span<const std::uint32_t> all(before);
    const std::uint32_t head = headOf(type, words.size());
    step.image = addImage(all.first(at));
    for (const auto& part : {std::span(&head, 1), words, all.subspan(at)})
        step.image.words += addImage(part).words;
}

// A word of the image, which is as long as need be after this.
std::uint32_t& DeltaComposer::imageWord(Step& step, std::size_t word) {
    if (word >= step.image.words) {
        Words longer = toWords(imageAt(step.image));
        longer.resize(word + 1, 0);
        step.image = addImage(longer);
    }
    return images_[step.image.begin + word];
}

// The step, with its image here.
Step DeltaComposer::adopted(const Step& step, const Delta& from) {
    Step own = step;
    own.image = addImage(from.imageAt(step.image));
    return own;
}

DeltaComposer::Look DeltaComposer::lookOf(const Step& step, const Delta& from) {
    return {true, step.enabled, step.disabled, addImage(from.imageAt(step.image))};
}

DeltaComposer::Look DeltaComposer::lookOf(const std::optional<Makeup>& makeup) {
    if (!makeup) return {};
    return {true, makeup->enabled, makeup->disabled, addImage(makeup->image)};
}

bool DeltaComposer::isLookOf(const Look& look, const Step& step) noexcept {
    return look.isSet && look.enabled == step.enabled && look.disabled == step.disabled &&
           std::ranges::equal(imageAt(look.image), imageAt(step.image));
}

Makeup DeltaComposer::makeupOf(const Look& look) {
    return {toWords(imageAt(look.image)), look.disabled, look.enabled};
}

// The previous sibling, in the state of `there`, of an entity that is in both states: past entities that are only here
// to the nearest previous sibling that is in both, then past those that are only there.
EntityId DeltaComposer::previousAcross(EntityId parent, EntityId previous, Steps& here,
                                       Steps& there) {
    while (const Step* step = here.find(previous)) previous = step->previous;
    while (const Step* step = there.findBehind(parent, previous)) previous = step->id;
    return previous;
}

Step* DeltaComposer::arrivedStep(std::uint32_t index) noexcept {
    const EntityId* found = arrived_.find(index);
    return found ? arrivals_.find(*found) : nullptr;
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
    Step* arrived = nullptr;
    Words* differences = nullptr;
    bool isGone = false;
    std::size_t offset = 0;
    std::uint64_t lastKey = UINT64_MAX;
    forWords(words, [&](std::uint32_t index, ComponentTypeId type, std::size_t word,
                        std::uint32_t difference) {
        if (const std::uint64_t key = componentKey(index, type); key != lastKey) {
            lastKey = key;
            arrived = arrivedStep(index);
            if (arrived) {
                // Journal::take gives arrivals the image of now, in which a component may be removed already.
                const auto image = imageAt(arrived->image);
                const std::size_t at = findInImage(image, type);
                isGone = at == image.size();
                offset = at + 1;
            } else {
                Component& changed = component(index, type);
                differences = changed.rebound ? &changed.after : &changed.differences;
            }
        }
        if (arrived) {
            if (!isGone) imageWord(*arrived, offset + word) ^= difference;
        } else {
            if (differences->size() <= word) differences->resize(word + 1, 0);
            (*differences)[word] ^= difference;
        }
    });
}

void DeltaComposer::addRebindings(const Delta& next) {
    for (const Rebinding& rebinding : next.rebindings) {
        if (Step* arrived = arrivedStep(rebinding.id.index)) {
            eraseFromImage(*arrived, rebinding.type);
            if (rebinding.has)
                insertIntoImage(*arrived, rebinding.type, next.imageAt(rebinding.after));
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
        if (Step* arrived = arrivedStep(toggle.id.index)) {
            arrived->enabled = toggle.enabledAfter;
            arrived->disabled = toggle.disabledAfter;
        } else {
            setToggle(toggle.id, toggle);
        }
    }
}

void DeltaComposer::setToggle(EntityId id, const Toggle& next) {
    auto [toggle, isNew] = toggles_.add(id);
    if (isNew) toggle = next;
    toggle.id = id;
    toggle.enabledAfter = next.enabledAfter;
    toggle.disabledAfter = next.disabledAfter;
}

void DeltaComposer::addPlaces(const Delta& next) {
    Steps departing;
    Steps arriving;
    for (const Step& step : next.departures) departing.put(step);
    for (const Step& step : next.arrivals) arriving.put(step);
    std::vector<EntityId> previous;
    for (const Step& step : next.departures)
        previous.push_back(arrivals_.find(step.id) ? EntityId{}
                                                   : previousAcross(step.parent, step.previous,
                                                                    arrivals_, departures_));
    moveArrivals(departing, arriving, next);
    for (std::size_t i = 0; i < next.departures.size(); ++i) {
        const Step& step = next.departures[i];
        const Step* arrived = arrivals_.find(step.id);
        if (!arrived) {
            Step first = adopted(step, next);
            first.previous = previous[i];
            departures_.put(first);
            continue;
        }
        if (!step.crosses) continue;  // it moves on
        Step* first = departures_.find(step.id);
        if (arrived->crosses) {
            arrived_.erase(step.id.index);
        } else {
            first->crosses = true;
            first->rescoped = step.rescoped;
            first->enabled = step.enabled;
            first->disabled = step.disabled;
            first->image = addImage(next.imageAt(step.image));
        }
        if (first) {
            first->detached = step.detached;
            first->outer = step.outer;
        }
        arrivals_.erase(step.id);
    }
    for (const Step& step : next.arrivals) {
        Step last;
        if (const Step* arrived = arrivals_.find(step.id); arrived && !step.crosses) {
            last = *arrived;
            last.parent = step.parent;
            last.previous = step.previous;
        } else {
            last = adopted(step, next);
        }
        if (last.crosses) arrived_[last.id.index] = last.id;
        arrivals_.put(last);
    }
}

// Entities that arrived earlier and stay may have other previous siblings after `next`.
void DeltaComposer::moveArrivals(Steps& departing, Steps& arriving, const Delta& next) {
    std::vector<Step> moved;
    auto note = [&](const Step* step) {
        if (step && !departing.find(step->id)) moved.push_back(*step);
    };
    for (const Step& step : next.departures) note(arrivals_.findBehind(step.parent, step.id));
    for (const Step& step : next.arrivals) note(arrivals_.findBehind(step.parent, step.previous));
    for (Step& step : moved)
        step.previous = previousAcross(step.parent, step.previous, departing, arriving);
    for (const Step& step : moved) arrivals_.erase(step.id);
    // An entity that moves on must not be found behind a previous sibling that it no longer has.
    for (const Step& step : next.departures)
        if (const Step* arrived = arrivals_.find(step.id); arrived && !step.crosses) {
            Step unplaced = *arrived;
            arrivals_.erase(step.id);
            unplaced.previous = unplaced.id;  // no entity is its own previous sibling
            arrivals_.put(unplaced);
        }
    for (const Step& step : moved) arrivals_.put(step);
}

// The state of an entity before it first came, and after it last left. The outsides of a delta take precedence over
// what follows from its steps.
void DeltaComposer::addOutsides(const Delta& next) {
    for (const Outside& outside : next.outsides) {
        auto [sides, isFirst] = outsides_.add(outside.id);
        if (!isFirst) continue;
        sides.before = lookOf(outside.before);
        sides.outerBefore = outside.outerBefore;
    }
    for (const Step& step : next.arrivals) {
        if (!step.crosses || step.rescoped) continue;
        auto [sides, isFirst] = outsides_.add(step.id);
        if (isFirst) sides.before = lookOf(step, next);
        sides.after = {};
        sides.outerAfter = {};
    }
    for (const Step& step : next.departures) {
        if (!step.crosses || step.rescoped) continue;
        Sides& sides = outsides_[step.id];
        sides.after = lookOf(step, next);
        sides.outerAfter = {};
    }
    for (const Outside& outside : next.outsides)
        if (outside.after) {
            Sides& sides = outsides_.at(outside.id);
            sides.after = lookOf(outside.after);
            sides.outerAfter = outside.outerAfter;
        }
}

std::vector<Outside> DeltaComposer::takeOutsides() {
    std::vector<Outside> outsides;
    outsides_.forEach([&](EntityId id, Sides& sides) {
        const Step* arrival = arrivals_.find(id);
        const Step* departure = departures_.find(id);
        // What follows from the steps is left out.
        using enum Outer::State;
        if (arrival && arrival->crosses && isLookOf(sides.before, *arrival) &&
            sides.outerBefore.state == Unsaid)
            sides.before.isSet = false;
        if (departure && departure->crosses && isLookOf(sides.after, *departure) &&
            sides.outerAfter.state == Unsaid)
            sides.after.isSet = false;
        if (!sides.before.isSet && !sides.after.isSet) return;
        Outside& outside =
            outsides.emplace_back(Outside{id, {}, {}, sides.outerBefore, sides.outerAfter});
        if (sides.before.isSet) outside.before = makeupOf(sides.before);
        if (sides.after.isSet) outside.after = makeupOf(sides.after);
    });
    std::ranges::sort(outsides, {}, &Outside::id);
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

void DeltaComposer::putBack(Step& departure, Step& arrival) {
    auto rebind = [&](ComponentTypeId type) {
        const auto departed = imageAt(departure.image);
        const auto arrived = imageAt(arrival.image);
        const std::size_t before = findInImage(departed, type);
        const std::size_t after = findInImage(arrived, type);
        Component& changed = component(departure.id.index, type);
        changed.id = departure.id;
        if (!changed.rebound) {
            changed.rebound = true;
            changed.had = before < departed.size();
            changed.before = componentOf(departed, before);
        }
        changed.has = after < arrived.size();
        changed.after = componentOf(arrived, after);
    };
    for (const Step* step : {&departure, &arrival}) {
        const auto image = imageAt(step->image);
        for (std::size_t at = 0; at < image.size(); at += 1 + wordsOf(image[at]))
            rebind(typeOf(image[at]));
    }
    setToggle(departure.id, {departure.id, departure.enabled, arrival.enabled, departure.disabled,
                             arrival.disabled});
    for (Step* step : {&departure, &arrival}) {
        step->crosses = step->rescoped = step->wasZombie = step->detached = false;
        step->outer = {};
        step->enabled = true;
        step->disabled = 0;
        step->image = {};
    }
}

void DeltaComposer::takeSteps(Steps& steps, std::vector<Step>& into, Delta& whole) {
    into = steps.takeInOrder();
    for (Step& step : into) step.image = whole.addImage(imageAt(step.image));
}

Delta DeltaComposer::finish() {
    arrived_.forEach([this](std::uint32_t, EntityId id) {
        if (Step* departure = departures_.find(id); departure && departure->crosses)
            putBack(*departure, *arrivals_.find(id));
    });
    Delta whole;
    whole.outsides = takeOutsides();
    takeSteps(departures_, whole.departures, whole);
    takeSteps(arrivals_, whole.arrivals, whole);
    WordWriter words(whole.words);
    components_.forEach([&](std::uint64_t key, const Component& changed) {
        const auto type = static_cast<ComponentTypeId>(key & 0xFFFF);
        if (!changed.differences.empty())
            appendDifferences(words, static_cast<std::uint32_t>(key >> 16), type,
                              changed.differences);
        const bool isSame = changed.had == changed.has && changed.before == changed.after;
        if (changed.rebound && !isSame)
            whole.rebindings.push_back({changed.id, type, changed.had, changed.has,
                                        whole.addImage(changed.before),
                                        whole.addImage(changed.after)});
    });
    toggles_.forEach([&](EntityId, const Toggle& toggle) { whole.toggles.push_back(toggle); });
    foldStates();
    std::erase_if(states_, [](const StateChange& each) { return each.before == each.after; });
    whole.states = std::move(states_);
    *this = {};
    return whole;
}

}  // namespace revenant
