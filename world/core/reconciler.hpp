// Reconciler: the start of a tick. Applies the difference between intents and facts to the lists
// and the order, notifies observers and listeners, and destroys removed entities without references.
// It owns only its scratch vectors, kept from tick to tick so that a warm reconcile does not
// allocate; what a peak left in them is given back when it has passed. Cost: in proportion to what is pending (a toggled or moved entity: to its subtree).
#pragma once

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "world/core/error_list.hpp"
#include "world/core/listeners.hpp"
#include "world/count_scope.hpp"
#include "world/storage/change_set.hpp"
#include "world/storage/component_store.hpp"
#include "world/storage/entity_record.hpp"
#include "world/storage/peak_watch.hpp"

namespace revenant {

class WorldCore;
struct Forest;

enum class ReconcileMode : std::uint8_t {
    Ordinary,
    Silent,   // listeners are called with the next restore, for what is not undone by then
    Restore,  // listeners are called for the net difference since their last call
};

class Reconciler {
public:
    explicit Reconciler(WorldCore& world) : world_(world) {}

    // Throws what listeners threw, once everything is done.
    void run(ReconcileMode mode);
    // While it lives, errors of listeners are held back: a caller with more to do than a reconcile must
    // not be interrupted halfway. They are thrown by raiseHeldError, or with the next reconcile.
    class ErrorHold : CountScope {
    public:
        explicit ErrorHold(Reconciler& reconciler) noexcept : CountScope(reconciler.holdDepth_) {}
    };
    void raiseHeldError();
    ErrorList& heldErrors() noexcept { return heldErrors_; }
    const ChangeSet& lastChanges() const noexcept { return changes_; }
    GivenBack& givenBack() noexcept { return givenBack_; }
    // Forgets all entities, which are about to be destroyed.
    void reset() noexcept;
    // Destroys a detached subtree, children first, and calls the listeners.
    void destroyDetached(EntityRecord& top);

private:
    static constexpr std::size_t prefetchAhead = 16;
    struct Destroyed {
        EntityId id;
        StringId name;
    };

    void giveBackPeak();
    void classify(ReconcileMode mode);
    void leave(EntityRecord& record);
    void clearSpecial(const EntityRecord& record) noexcept;
    void follow();
    void unplaceMovers();
    void noteChanged();
    void place();
    void placeSubtree(EntityRecord& top);
    void settle(Change& change);
    void noteDepartures();
    void noteArrivals();
    // What is known of a record before it changes.
    static Change changeOf(EntityRecord& record) noexcept {
        return {&record,
                record.id,
                record.settledShape,
                record.visibleShape,
                nullptr,
                record.opening.label,
                0,
                record.active,
                false,
                false,
                record.rebound,
                record.replaced};
    }
    Change& addChange(EntityRecord& record);
    // Ascending in the order as it is now.
    void sortByOrder(std::vector<Change>& changes);
    void sortByLabel(std::vector<Change>& changes);
    void settleAll();
    void keepSilent();
    void keepUncollected();
    void addSilenced();
    void tellChanges();
    void reviveUnborn();
    void endRevival();
    bool isAnyoneListening() const noexcept;
    bool mayObserversAct() const noexcept;
    void tellObservers();
    void fireEvents();
    // Fires `kind` for each component of `in` that `notIn` lacks, or that was replaced.
    void fireComponents(EventKind kind, const Change& change, const Shape* in, const Shape* notIn);
    void fire(EventKind kind, EntityId id, StringId name, std::string_view component = {});
    bool wasReplaced(std::uint32_t owner, ComponentTypeId type) const noexcept;
    void collect();
    void forgetLeaving() noexcept;
    void gather(EntityRecord& record);
    void collectZombies(EntityRecord& top);
    void collectDetached(EntityRecord& top);
    void destroyGathered();
    void fireDestroyed();

    WorldCore& world_;
    ChangeSet changes_;
    std::vector<EntityRecord*> work_;      // all that was pending, in the order of the requests
    std::vector<EntityRecord*> arrivals_;  // to be placed, in the order of the requests
    std::size_t entered_ = 0;              // how many of them have been, that were out
    bool settlesAtOnce_ = false;           // only entities that are placed change
    std::vector<EntityRecord*> movers_;    // those of them that are managed already
    std::vector<EntityRecord*> toggled_;
    std::vector<EntityRecord*> rebound_;
    std::vector<EntityRecord*> strays_;  // out, with a parent
    struct Checked {
        EntityRecord* record;
        EntityId id;
        bool isLeaf = false;  // it has no children, and cannot have got any since
    };
    std::vector<Checked> checked_;        // may have to be collected
    std::vector<EntityRecord*> leaving_;  // parents that left
    bool mayChange_ = false;  // listeners may do anything between a departure and its collection
    std::vector<EntityRecord*> roots_;     // of detached trees that may have to be
    std::vector<EntityRecord*> gathered_;  // to be destroyed, parents first
    std::vector<Destroyed> destroyed_;
    std::vector<std::uint64_t> sortKeys_;
    std::vector<std::uint64_t> sortScratch_;
    std::vector<Change> silenced_;  // for which listeners were not called yet
    std::vector<Checked>
        uncollected_;               // of silent reconciles: collected once listeners were called
    std::vector<Checked> revived_;  // unborn, but readable while listeners are called for it
    std::vector<ComponentStore::Retired> retired_;  // slots whose components were removed
    ErrorList errors_;                              // of the listeners of this reconcile
    ErrorList heldErrors_;  // of earlier ones, and of events between reconciles
    int holdDepth_ = 0;
    bool isUnfinished_ = false;  // an error called a reconcile off
    std::string integrityError_;
    PeakWatch peaks_;
    GivenBack givenBack_;
};

}  // namespace revenant
