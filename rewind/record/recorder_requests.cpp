// What waits for the next reconcile when a frame is recorded: written down, and asked for again where play
// resumes from the frame.
#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>
#include <utility>

#include "rewind/record/recorder.hpp"
#include "rewind/record/state_hash.hpp"
#include "world/core/restorer.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

std::uint32_t placeOf(const EntityRecord& record) {
    if (!record.parent) return 0;
    const auto first = record.parent->children.begin();
    const auto own = SiblingList::s_iterator_to(const_cast<EntityRecord&>(record));
    return static_cast<std::uint32_t>(std::distance(first, own));
}

Words wordsAt(const ComponentType& type, const std::byte* slot) {
    Words words((type.schema.size + std::size_t{3}) / 4, 0);
    std::memcpy(words.data(), slot, type.schema.size);
    return words;
}

}  // namespace

Request Recorder::requestOf(const EntityRecord& record) const {
    Request request;
    request.id = record.id;
    if (record.parent) request.parent = record.parent->id;
    request.place = placeOf(record);
    request.intent = static_cast<std::uint8_t>(record.intent);
    request.managed = record.managed;
    request.moved = record.moved;
    request.enabled = record.enabled;
    request.disabled = record.disabledComponents;
    auto wasReplaced = [&](ComponentTypeId type) {
        return std::ranges::any_of(world_.components().retired(), [&](const RetiredSlot& each) {
            return each.owner == record.id.index && each.type == type;
        });
    };
    const auto& types = record.shape->types();
    for (std::size_t i = 0; i < types.size(); ++i) {
        if (record.managed && record.settledShape->has(types[i]) && !wasReplaced(types[i]))
            continue;
        const ComponentType& type = world_.components().at(types[i]);
        Request::Binding binding;
        binding.type = types[i];
        binding.words = wordsAt(type, record.slots[i]);
        if (type.hooks && type.hooks->isRewound() && type.hooks->hasRewindState(record.slots[i]))
            type.hooks->getRewindState(record.id, record.slots[i], binding.state.emplace());
        request.bindings.push_back(std::move(binding));
    }
    if (!record.managed) return request;
    for (const ComponentTypeId type : record.settledShape->types())
        if (!record.shape->has(type)) request.bindings.push_back({type, false, {}, {}});
    return request;
}

std::vector<Request> Recorder::takeRequests() const {
    std::vector<Request> requests;
    world_.forest().pending.forEach([&](const EntityRecord& record) {
        if (Forest::hasChangeWaiting(record) && isRewindable(record))
            requests.push_back(requestOf(record));
    });
    return requests;
}

// Compares what waits with what waited in the last frame.
void Recorder::noteRequests(Delta& delta) {
    if (requestsWait_) return;
    State before;
    if (const auto* known = states_.find(requestsKey)) before = known->bytes;
    State after;
    if (!world_.forest().pending.empty())
        if (const auto requests = takeRequests(); !requests.empty())
            after = writeRequests(requests);
    if (before != after) delta.states.push_back({requestsKey, before, after});
}

EntityRecord* Recorder::findAsked(const Request& request) const noexcept {
    EntityRecord* record = world_.forest().pool.find(request.id);
    return record && record->managed == request.managed ? record : nullptr;
}

void Recorder::placeAll(std::span<const Request> requests) {
    Forest& forest = world_.forest();
    std::vector<const Request*> placed;
    for (const Request& request : requests)
        if (request.moved || !request.managed) placed.push_back(&request);
    for (const Request* request : placed) {
        EntityRecord& record = *findAsked(*request);
        forest.unlinkRoot(record);
        Forest::cut(record);
    }
    // Elder siblings first.
    std::ranges::stable_sort(
        placed, {}, [](const Request* each) { return std::pair(each->parent, each->place); });
    for (const Request* request : placed) {
        EntityRecord& record = *findAsked(*request);
        EntityRecord* parent = forest.pool.find(request->parent);
        if (!parent || Forest::isAncestor(record, *parent)) continue;
        auto place = parent->children.begin();
        for (std::uint32_t i = 0; i < request->place && place != parent->children.end(); ++i)
            ++place;
        Forest::hang(record, *parent, place);
    }
}

// Makes the entity what it was asked to be.
void Recorder::carry(const Request& request, EntityRecord& record) {
    ComponentStore& components = world_.components();
    if (!record.managed) components.unbindAll(record);
    for (const Request::Binding& binding : request.bindings) {
        if (binding.type >= components.count()) continue;
        ComponentType& type = components.at(binding.type);
        if (record.shape->has(type.id)) components.unbind(record, type, world_.getClock());
        if (!binding.has || record.shape->count() == maxComponentsPerEntity) continue;
        std::byte* slot = components.bind(world_.forest().pool, record, type, world_.getClock());
        std::memcpy(slot, binding.words.data(), type.schema.size);
        if (!binding.state || !type.hooks) continue;
        try {
            type.hooks->restoreRewindState(record.id, slot, *binding.state);
        } catch (...) {
            world_.reconciler().heldErrors().add(std::current_exception());
        }
    }
    Restorer(world_).setEnabled(record, request.enabled, request.disabled);
}

void Recorder::ask(const std::vector<Request>& all) {
    Forest& forest = world_.forest();
    std::vector<Request> requests;
    for (const Request& request : all)
        if (findAsked(request)) requests.push_back(request);
    placeAll(requests);
    for (const Request& request : requests) {
        EntityRecord& record = *findAsked(request);
        carry(request, record);
        record.moved = record.managed && request.moved;
        record.toggled = record.toggled && record.managed;
        record.intent = static_cast<Intent>(request.intent);
        forest.touchLast(record);
    }
    // What was asked for together may have become something else since: a child follows its parent.
    for (const Request& request : requests) {
        EntityRecord& record = *findAsked(request);
        if (!record.wantsIn() || !record.parent || record.parent->wantsIn()) continue;
        const Intent intent = record.parent->intent;
        forSubtree(record, [&](EntityRecord& each) { forest.sendOut(each, intent); });
    }
}

void Recorder::awaitRequests() {
    // Those that were held for another frame, or for this one before, are let go last.
    const std::vector<EntityId> before = std::exchange(held_, {});
    const auto* known = states_.find(requestsKey);
    requestsWait_ = known != nullptr;
    if (requestsWait_)
        for (const Request& request : readRequests(known->bytes))
            if (EntityRecord* record = findAsked(request); record && !record->managed) {
                world_.hold(record->id);
                held_.push_back(record->id);
            }
    for (const EntityId id : before) world_.dropHold(id);
}

void Recorder::askAgain() {
    if (!requestsWait_) return;
    if (const auto* known = states_.find(requestsKey)) ask(readRequests(known->bytes));
    dropAwaited();
}

void Recorder::dropAwaited() {
    requestsWait_ = false;
    for (const EntityId id : std::exchange(held_, {})) world_.dropHold(id);
}

std::vector<Crossing> Recorder::dropRequests(const Frame& last, Clock clock) {
    std::vector<Crossing> crossings;
    if (world_.forest().pending.empty()) return crossings;
    world_.reconcileAs(ReconcileMode::Silent);
    const Frame asked = takeStructure(last.number + 1);
    Frame to = withoutDelta(last);
    to.clock = clock;
    undo(asked.delta, {}, to);
    shownClock_ = last.clock;
    appendCrossings(asked, crossings);
    return crossings;
}

void Recorder::revive(std::span<const Crossing> births) {
    Restorer restorer(world_);
    for (const Crossing& crossing : births) {
        EntityRecord* record = find(crossing.id);
        if (!record || !record->unborn) continue;
        restorer.setUnborn(*record, false);
        restorer.setZombie(*record, false);
    }
}

}  // namespace revenant
