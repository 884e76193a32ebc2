#include "world/forest/forest.hpp"

#include <algorithm>

#include "world/storage/make_room.hpp"

namespace revenant {

namespace {

void begin(EntityRecord& record, StringId name, std::uint32_t serial, const Shape* shape) noexcept {
    // All flags, one after another: compilers then write them at once. What is read in another width than it was
    // just written in, the processor waits for.
    record.intent = Intent::Detach;
    record.alive = record.enabled = record.rewindable = record.persistent = true;
    record.hasChildren = record.hasDisabled = false;
    record.managed = record.active = record.removed = record.hasClosing = false;
    record.moved = record.rebound = record.replaced = record.toggled = record.loosened = false;
    record.visited = record.leaving = record.gathered = false;
    record.inRoots = record.remembered = record.unborn = record.dropped = false;
    if (record.rest) record.rest->disabledComponents = 0;
    record.name = name;
    record.parent = nullptr;
    record.ownRefs = record.holds = 0;
    record.shape = shape;
    record.settledShape = record.visibleShape = nullptr;
    record.serial = serial;
    record.settledParent = 0;
    record.parked = nullptr;
}

// A slot may be used many times between two frames, but is listed once.
void makeRoomForNewborn(std::vector<std::uint32_t>& newborns) {
    if (newborns.size() < newborns.capacity()) [[likely]]
        return;
    std::ranges::sort(newborns);
    newborns.erase(std::unique(newborns.begin(), newborns.end()), newborns.end());
    if (newborns.size() > newborns.capacity() / 2) makeRoom(newborns, newborns.size() + 1);
}

}  // namespace

EntityRecord& Forest::create(StringId name, const Shape* shape, bool isStray) {
    pending.reserve(std::size_t{pool.count()} + 1);
    if (keepsRoots) makeRoomForNewborn(newborns);
    EntityRecord& record = pool.allocate();
    if (keepsRoots) newborns.push_back(record.id.index);
    begin(record, name, isStray ? nextStraySerial-- : ++lastSerial, shape);
    return record;
}

EntityRecord& Forest::createAt(std::uint32_t index, StringId name, std::uint32_t serial,
                               const Shape* shape) {
    EntityRecord& record = pool.at(index);
    pending.reserve(pool.count());
    begin(record, name, serial, shape);
    return record;
}

void Forest::setKeepsRoots(bool keeps) noexcept {
    if (keeps == keepsRoots) return;
    while (!roots.empty()) unlinkRoot(roots.front());
    keepsRoots = keeps;
    newborns.clear();
    changedOutside.clear();
    anyChangedOutside = false;
    // An entity that has just become a root has no place among the roots yet.
    for (const OrderNode& node : order.nodes())
        if (EntityRecord& record = recordOf(node); !node.closes && !record.parent && !record.moved)
            linkRoot(record);
}

EntityRecord* Forest::settledPreviousOf(const EntityRecord& record) const noexcept {
    const OrderNode* node = order.before(record.opening);
    while (node) {
        EntityRecord& previous = recordOf(*node);
        // An opening node that is closed later is the parent's: there is no previous sibling.
        if (!node->closes && previous.hasClosing) return nullptr;
        if (previous.rewindable) return &previous;
        node = order.before(previous.opening);
    }
    return nullptr;
}

EntityRecord* Forest::settledNextAt(const EntityRecord* parent,
                                    const EntityRecord* previous) const noexcept {
    auto behind = [this](const EntityRecord& record) {
        return order.after(record.hasClosing ? record.rest->closing : record.opening);
    };
    const OrderNode* node = nullptr;
    if (previous)
        node = behind(*previous);
    else if (!parent)
        node = order.first();
    else if (parent->hasClosing)
        node = order.after(parent->opening);
    while (node && !node->closes) {  // else it closes the parent
        EntityRecord& next = recordOf(*node);
        if (next.rewindable) return &next;
        node = behind(next);
    }
    return nullptr;
}

void Forest::bringIn(EntityRecord& top) noexcept {
    forSubtree(top, [this](EntityRecord& record) {
        if (record.wantsIn()) return;
        record.intent = Intent::In;
        if (record.managed)
            touch(record);
        else
            touchLast(record);
    });
}

void Forest::takeOut(EntityRecord& top) noexcept {
    forSubtree(top, [this](EntityRecord& record) {
        record.prefetchFellow();
        if (record.staysOut()) return;
        sendOut(record, record.managed || record.removed ? Intent::Remove : Intent::Detach);
    });
}

void Forest::attach(EntityRecord& parent, EntityRecord& child) noexcept {
    loosen(child);
    noteNextSibling(child);
    cut(child);
    unlinkRoot(child);
    hang(child, parent, parent.rest->children.end());
    child.moved = child.managed;
    touch(child);
    if (parent.wantsIn()) {
        bringIn(child);
        return;
    }
    // The child follows its parent out, and gets its state: below a parent that is being removed or
    // is a zombie it is removed, below a detached one it is detached.
    forSubtree(child, [&](EntityRecord& record) { sendOut(record, parent.intent); });
}

void Forest::detach(EntityRecord& child) noexcept {
    loosen(child);
    noteNextSibling(child);
    cut(child);
    child.moved = child.managed;
    touchLast(child);
    if (child.staysOut()) stayOut(child);
}

void Forest::loosen(EntityRecord& child) noexcept {
    if (!child.parent) return;
    for (EntityRecord* part : {&child, child.parent}) {
        if (part->managed) continue;
        part->loosened = true;
        touch(*part);
    }
}

void Forest::stayOut(EntityRecord& top) noexcept {
    const Intent intent = top.removed ? Intent::Remove : Intent::Detach;
    forSubtree(top, [intent](EntityRecord& record) { record.intent = intent; });
}

std::uint64_t Forest::refCount(const EntityRecord& record) noexcept {
    std::uint64_t count = 0;
    for (const EntityRecord* at = &record; at; at = at->parent) count += at->ownRefs;
    return count;
}

bool Forest::isAncestor(const EntityRecord& ancestor, const EntityRecord& record) noexcept {
    for (const EntityRecord* at = &record; at; at = at->parent)
        if (at == &ancestor) return true;
    return false;
}

bool Forest::hasChangeWaiting(const EntityRecord& record) noexcept {
    if (!record.isPending()) return false;
    if (record.isArriving() || record.isDeparting()) return true;
    return record.managed && (record.moved || record.rebound || record.toggled);
}

}  // namespace revenant
