#include "world/core/replacement.hpp"

#include <new>
#include <string_view>
#include <utility>

namespace revenant {

Replacement::Replacement(WorldCore& world) : world_(world), before_(world.getGlobals()) {
    world.isReplacing_ = true;
    world.components().noteMove();  // handles that are open for writing ask again
}

Replacement::~Replacement() {
    if (isApplied_) return;
    world_.isReplacing_ = false;
    const auto memory = world_.useReserve();
    // Children first, so that none is destroyed with its parent.
    for (std::size_t i = added_.size(); i-- > 0;) {
        Forest::cut(*added_[i]);
        try {
            world_.reconciler().destroyDetached(*added_[i]);
        } catch (...) {
            hold(std::current_exception());
        }
    }
    world_.setGlobals(before_);
}

void Replacement::hold(std::exception_ptr error) noexcept {
    try {
        world_.reconciler().heldErrors().add(std::move(error));
    } catch (const std::bad_alloc&) {
        return;  // there is no memory to tell of it
    }
}

// The reserve grows here: apply would give up the one that undoing needs before it had a larger one.
void Replacement::reserve(std::size_t count) {
    std::size_t perEntity = 1024;  // lists of what is to be done
    for (const auto& observer : world_.observers_) perEntity += observer->bytesPerEntity();
    const auto memory = world_.reserveMemory(count * perEntity);
    added_.reserve(count);
}

void Replacement::add(EntityRecord& record, const Beginning& beginning, EntityRecord* parent) {
    added_.push_back(&record);
    record.serial = beginning.serial;
    record.enabled = beginning.enabled;
    record.rewindable = beginning.rewindable;
    if (parent) Forest::hang(record, *parent, world_.forest_.pool.makeRest(*parent).children.end());
}

void Replacement::disable(EntityRecord& record, std::uint64_t components) {
    world_.forest_.pool.makeRest(record);
    record.setDisabledComponents(record.disabledComponents() | components);
}

// Managed entities will leave, whatever refers to them; the others stay out, detached from managed ones.
void Replacement::prepareOld() {
    Forest& forest = world_.forest();
    std::vector<bool> isNew(forest.pool.count());
    for (const EntityRecord* record : added_) isNew[record->id.index] = true;
    for (std::uint32_t i = 0; i < forest.pool.count(); ++i) {
        EntityRecord& record = forest.pool.at(i);
        if (!record.alive || isNew[i]) continue;
        old_.push_back(record.id);
        record.ownRefs = 0;
        record.remembered = false;
        if (record.parent && record.parent->managed != record.managed) Forest::cut(record);
        if (!record.staysOut())
            forest.sendOut(record,
                           record.managed || record.removed ? Intent::Remove : Intent::Detach);
    }
}

// Zombies and detached entities: the managed ones left with the reconcile.
void Replacement::destroyOld() {
    Forest& forest = world_.forest();
    for (const EntityId id : old_) {
        EntityRecord* record = forest.pool.find(id);
        if (!record || record->managed) continue;
        // Listeners may have attached anything to it since, or it to anything.
        while (record->hasChildren) forest.detach(record->rest->children.front());
        Forest::cut(*record);
        world_.reconciler().destroyDetached(*record);
    }
}

void Replacement::check() const {
    for (const auto& observer : world_.observers_) observer->checkReplacement(resources);
}

void Replacement::apply() {
    const auto memory = world_.reserveMemory();
    const bool wasPast = world_.isInPast();
    for (const auto& observer : world_.observers_) observer->onReplace();
    world_.inPast_ = world_.queueWaits_ = false;
    isApplied_ = true;
    world_.isReplacing_ = false;
    prepareOld();
    for (EntityRecord* record : added_)
        if (!record->parent) world_.forest().bringIn(*record);
    world_.setGlobals(globals);
    std::vector<std::string> dropped;
    for (const auto& [name, resource] : world_.resources().all())
        if (resource.rewind && !resources.contains(name)) dropped.push_back(name);
    for (const std::string& name : dropped) world_.resources().remove(name);
    for (auto& [name, value] : resources)
        world_.resources().set(name, std::move(value), {.rewind = true});
    {
        const Reconciler::ErrorHold hold(world_.reconciler());
        world_.reconcileAs(ReconcileMode::Restore);
        const TickScope scope(world_);  // what listeners ask for waits
        destroyOld();
        if (wasPast) world_.emit("rewindEnded", Entity(), nullptr);
        world_.emit("worldLoaded", Entity(), nullptr);
    }
    try {
        world_.callAfterTick();
        world_.reconciler().raiseHeldError();
    } catch (const Error& error) {
        const std::string_view prefix = "the save is loaded; then a listener failed: ";
        if (std::string_view(error.what()).starts_with(prefix))
            throw;  // of a load that it asked for
        error.throwBehind(std::string(prefix));
    }
}

}  // namespace revenant
