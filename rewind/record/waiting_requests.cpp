#include "rewind/record/waiting_requests.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>
#include <utility>

#include "rewind/record/makeup.hpp"
#include "rewind/record/state_hash.hpp"
#include "world/core/restorer.hpp"

namespace revenant {

namespace {

std::uint32_t placeOf(const EntityRecord& record) {
    if (!record.parent) return 0;
    const auto first = record.parent->children().begin();
    const auto own = SiblingList::s_iterator_to(record);
    return static_cast<std::uint32_t>(std::distance(first, own));
}

}  // namespace

Request WaitingRequests::requestOf(const EntityRecord& record) const {
    Request request;
    request.id = record.id;
    if (record.parent) request.parent = record.parent->id;
    request.place = placeOf(record);
    request.intent = static_cast<std::uint8_t>(record.intent);
    request.managed = record.managed;
    request.moved = record.moved;
    request.enabled = record.enabled;
    request.disabled = record.disabledComponents();
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
        binding.words = wordsAt(type, record.slotAt(i));
        if (type.hooks && type.hooks->isRewound() && type.hooks->hasRewindState(record.slotAt(i))) {
            std::vector<std::byte> state;
            type.hooks->getRewindState(record.id, record.slotAt(i), state);
            binding.state = State(state);
        }
        request.bindings.push_back(std::move(binding));
    }
    if (!record.managed) return request;
    for (const ComponentTypeId type : record.settledShape->types())
        if (!record.shape->has(type)) request.bindings.push_back({type, false, {}, {}});
    return request;
}

std::vector<Request> WaitingRequests::take() const {
    std::vector<Request> requests;
    world_.forest().pending.forEach([&](const EntityRecord& record) {
        // Attached to an entity that will leave, it requests nothing, but will leave with it.
        const bool hangs = !record.managed && record.parent && record.parent->managed;
        if ((hangs || Forest::hasChangeWaiting(record)) && isRewindable(record))
            requests.push_back(requestOf(record));
    });
    return requests;
}

void WaitingRequests::note(std::vector<StateChange>& changes) const {
    if (isWaiting_) return;
    State before;
    if (const auto* known = states_.find(requestsKey)) before = *known;
    State after;
    if (!world_.forest().pending.empty())
        if (const auto requests = take(); !requests.empty()) after = writeRequests(requests);
    if (before != after) changes.push_back({requestsKey, before, after});
}

EntityRecord* WaitingRequests::findAsked(const Request& request) const noexcept {
    EntityRecord* record = world_.forest().pool.find(request.id);
    return record && record->managed == request.managed ? record : nullptr;
}

void WaitingRequests::placeAll(std::span<const Request> requests) {
    Forest& forest = world_.forest();
    std::vector<const Request*> placed;
    for (const Request& request : requests)
        if (request.moved || !request.managed) placed.push_back(&request);
    for (const Request* request : placed) {
        EntityRecord& record = *findAsked(*request);
        forest.unlinkRoot(record);
        Forest::cut(record);
    }
    // Previous siblings first.
    std::ranges::stable_sort(
        placed, {}, [](const Request* each) { return std::pair(each->parent, each->place); });
    for (const Request* request : placed) {
        EntityRecord& record = *findAsked(*request);
        EntityRecord* parent = forest.pool.find(request->parent);
        if (!parent || Forest::isAncestor(record, *parent)) continue;
        SiblingList& children = forest.pool.makeRest(*parent).children;
        auto place = children.begin();
        for (std::uint32_t i = 0; i < request->place && place != children.end(); ++i) ++place;
        Forest::hang(record, *parent, place);
    }
}

// Requests for the entity what was requested before.
void WaitingRequests::carry(const Request& request, EntityRecord& record) {
    ComponentStore& components = world_.components();
    if (!record.managed) components.unbindAll(record);
    for (const Request::Binding& binding : request.bindings) {
        if (binding.type >= components.count()) continue;
        ComponentType& type = components.at(binding.type);
        if (record.shape->has(type.id)) components.unbind(record, type, world_.getClock());
        if (!binding.has || record.shape->count() == maxComponentsPerEntity) continue;
        std::byte* slot = components.bind(record, type, world_.getClock());
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

void WaitingRequests::ask(const std::vector<Request>& all) {
    Forest& forest = world_.forest();
    std::vector<Request> requests;
    for (const Request& request : all)
        if (findAsked(request)) requests.push_back(request);
    placeAll(requests);
    Restorer restorer(world_);
    for (const Request& request : requests) {
        EntityRecord& record = *findAsked(request);
        carry(request, record);
        restorer.ask(record, static_cast<Intent>(request.intent), request.moved);
    }
    // Children without a request of their own: those that are not rewindable follow their parents in. Others were removed
    // since they were to come in, and leave their parents at the reconcile.
    for (const Request& request : requests) {
        EntityRecord& record = *findAsked(request);
        if (!record.wantsIn() || !record.hasChildren) continue;
        for (EntityRecord& child : record.rest->children)
            if (child.staysOut()) child.rewindable ? forest.touch(child) : forest.bringIn(child);
    }
    // Other requests may have changed it since: a child follows its parent.
    for (const Request& request : requests) {
        EntityRecord& record = *findAsked(request);
        if (!record.wantsIn() || !record.parent || record.parent->wantsIn()) continue;
        const Intent intent = record.parent->intent;
        forSubtree(record, [&](EntityRecord& each) { forest.sendOut(each, intent); });
    }
    // So does one that was attached since play resumed.
    for (const Request& request : requests) {
        EntityRecord& record = *findAsked(request);
        if (record.wantsIn()) continue;
        forSubtree(record, [&](EntityRecord& each) {
            if (each.wantsIn()) forest.sendOut(each, record.intent);
        });
    }
}

void WaitingRequests::await() {
    // Entities that were held for another frame, or for this one before, are released last.
    const std::vector<Held> before = std::exchange(held_, {});
    auto isFree = [&](const EntityRecord& record) {
        const auto known = std::ranges::find(before, record.id, &Held::id);
        return known != before.end() ? known->isFree : record.holds == 0 && !record.dropped;
    };
    const auto* known = states_.find(requestsKey);
    isWaiting_ = known != nullptr;
    if (isWaiting_)
        for (const Request& request : readRequests(*known))
            if (EntityRecord* record = findAsked(request); record && !record->managed) {
                held_.push_back({record->id, isFree(*record)});
                world_.hold(record->id);
            }
    drop(before);
}

void WaitingRequests::askAgain() {
    if (!isWaiting_) return;
    if (const auto* known = states_.find(requestsKey)) ask(readRequests(*known));
    drop();
}

void WaitingRequests::drop() {
    isWaiting_ = false;
    drop(std::exchange(held_, {}));
}

// An entity that lived without a hold continues to.
void WaitingRequests::drop(const std::vector<Held>& held) {
    for (const Held& each : held) {
        world_.dropHold(each.id);
        EntityRecord* record = world_.forest().pool.find(each.id);
        if (each.isFree && record) Restorer::setFree(*record);
    }
}

}  // namespace revenant
