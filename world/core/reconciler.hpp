// Reconciler: the start of a tick. Applies the difference between intents and facts to the lists
// and the order, tells observers and listeners, and collects what nobody counts on.
// It owns only its scratch vectors, kept from tick to tick so that a warm reconcile does not
// allocate. Cost: in proportion to what is pending (a toggled or moved entity: to its subtree).
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "world/core/listeners.hpp"
#include "world/storage/change_set.hpp"
#include "world/storage/component_store.hpp"
#include "world/storage/entity_record.hpp"

namespace revenant {

class WorldCore;
struct Forest;

enum class ReconcileMode : std::uint8_t {
    Ordinary,
    Silent,   // listeners hear of it with the next restore, if it is not undone by then
    Restore,  // they hear of the net difference to what they last heard of
};

class Reconciler {
public:
    explicit Reconciler(WorldCore& world) : world_(world) {}

    // Throws what listeners threw, once everything is done.
    void run(ReconcileMode mode);
    // While it lives, errors of listeners are held back: a caller with more to do than a reconcile must
    // not be interrupted halfway. They are thrown by raiseHeldError, or with the next reconcile.
    class ErrorHold {
    public:
        explicit ErrorHold(Reconciler& reconciler) noexcept : reconciler_(reconciler) {
            ++reconciler_.holdDepth_;
        }
        ErrorHold(const ErrorHold&) = delete;
        ErrorHold& operator=(const ErrorHold&) = delete;
        ~ErrorHold() { --reconciler_.holdDepth_; }

    private:
        Reconciler& reconciler_;
    };
    void raiseHeldError();
    ErrorList& heldErrors() noexcept { return heldErrors_; }
    const ChangeSet& lastChanges() const noexcept { return changes_; }
    // Forgets all entities, which are about to be destroyed.
    void reset() noexcept;
    // Destroys a detached subtree, children first, and tells the listeners.
    void destroyDetached(EntityRecord& top);

private:
    struct Destroyed {
        EntityId id;
        StringId name;
    };

    void classify();
    void leave(EntityRecord& record);
    void follow();
    void unplaceMovers();
    void noteChanged();
    void place();
    void placeSubtree(EntityRecord& top);
    void settle(Change& change);
    void noteDepartures();
    void noteArrivals();
    Change& addChange(EntityRecord& record);
    // Ascending in the order as it is now.
    static void sortByOrder(std::vector<Change>& changes);
    void settleAll();
    void keepSilent();
    void addSilenced();
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
    bool settlesAtOnce_ = false;           // nobody changes but those that are placed
    std::vector<EntityRecord*> movers_;    // those of them that are managed already
    std::vector<EntityRecord*> toggled_;
    std::vector<EntityRecord*> rebound_;
    std::vector<EntityRecord*> strays_;  // out, with a parent
    struct Checked {
        EntityRecord* record;
        EntityId id;
        bool isLeaf = false;  // it had no children, and nobody could give it any since
    };
    std::vector<Checked> checked_;        // may have to be collected
    std::vector<EntityRecord*> leaving_;  // parents that left
    bool mayChange_ = false;  // listeners may do anything between a departure and its collection
    std::vector<EntityRecord*> roots_;     // of detached trees that may have to be
    std::vector<EntityRecord*> gathered_;  // to be destroyed, parents first
    std::vector<Destroyed> destroyed_;
    std::vector<Change> silenced_;                  // of which listeners have not heard yet
    std::vector<ComponentStore::Retired> retired_;  // slots whose components were removed
    ErrorList errors_;                              // of the listeners of this reconcile
    ErrorList heldErrors_;  // of earlier ones, and of events between reconciles
    int holdDepth_ = 0;
    bool isUnfinished_ = false;  // an error called a reconcile off
    std::string integrityError_;
};

}  // namespace revenant
