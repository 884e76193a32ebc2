// Recorder: follows a world and writes down, frame by frame, what changed; and puts it back.
// The observer of a TimeRewindSys: it knows worlds and deltas, but not which frames are kept.
//
// Each entity it knows is one that a kept frame could bring back: it holds one reference on it,
// from the frame in which it came until no kept frame mentions it any more. The components of
// those that are out lie with the recorder, not in the pools.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "rewind/history/frame.hpp"
#include "rewind/history/request.hpp"
#include "rewind/record/paged_table.hpp"
#include "rewind/record/shadow.hpp"
#include "rewind/record/snapshot.hpp"
#include "rewind/record/state_table.hpp"
#include "world/core/reconciler.hpp"
#include "world/core/world_core.hpp"
#include "world/storage/change_set.hpp"

namespace revenant {

class Restorer;

class Recorder final : public WorldObserver {
public:
    explicit Recorder(WorldCore& world) : world_(world), shadow_(world) {}

    // Begins to know the world as it is, or forgets it all. When the world is reset it stops, and
    // tells whom it worked for.
    void start();
    void stop();
    bool isOn() const noexcept { return isOn_; }
    // A world has one history, from the time it is made, until it ends or the world is reset. Answers
    // whether it is this one.
    bool claim(const void* history) noexcept {
        if (!claimedBy_) claimedBy_ = history;
        return claimedBy_ == history;
    }
    void release(const void* history) noexcept {
        if (claimedBy_ == history) claimedBy_ = nullptr;
    }
    // Which of its runs, from start to stop, this is: a history that was left over from an earlier one
    // has no say in it.
    std::uint32_t run() const noexcept { return run_; }

    // How much of what is not marked as written a frame compares; see Shadow::takeStrays.
    enum class Look : std::uint8_t { Some, All };
    // What changed since the last frame.
    Frame takeFrame(std::int64_t number, Look look = Look::Some);
    // The next frames are those of a new stretch: see Frame::bases.
    void beginStretch() noexcept { shadow_.beginStretch(); }
    // As takeFrame, of a frame that will be undone and forgotten: without states, so that no hook is called.
    Frame takeStructure(std::int64_t number);
    // Adds what the next frame tells to one.
    void append(Frame& frame, const Frame& next);
    // Adds what was written since the last frame to it: as a later one, or as it is shown once more.
    void extend(Frame& frame, Look look = Look::Some);
    void amend(Frame& frame);
    // Empties a frame to which nothing leads, as it is the oldest. Its crossings count no more.
    void forgetWay(Frame& frame);
    // Discards what was written since the last frame or restore; states, with the next restoreStates.
    void discardWrites();

    // What waits for the next reconcile, of what is rewindable.
    std::vector<Request> takeRequests() const;
    // Asks for that again, as far as those that were asked are still what they were.
    void ask(const std::vector<Request>& requests);
    // Those of the frame on show, where play resumes: keeps all that they mention alive until askAgain,
    // which asks for them, or dropAwaited.
    void awaitRequests();
    void askAgain();
    void dropAwaited();
    // Time moves on before they were asked for: they are held until play resumes somewhere.
    void postponeRequests() noexcept { requestsWait_ = false; }
    // Takes back all that waits, of what is rewindable; the rest is carried out, silently. `last`: the frame
    // that was taken last, just now. Those that were made since `clock` and were to come in are unborn
    // then, until the result is forgotten, or revived.
    std::vector<Crossing> dropRequests(const Frame& last, Clock clock);
    void revive(std::span<const Crossing> births);
    // Those that were made before the frame on show, and would have been added behind it: they never will, and
    // so stay detached, whatever is shown.
    void disregard(std::span<const Crossing> births);

    // Moves the world, silently, over a delta; `crossings` are those of the frames it leads over,
    // if they are more than one. `to`: a frame with the clock and the globals of the other side.
    void undo(const Delta& delta, std::span<const Crossing> crossings, const Frame& to);
    void redo(const Delta& delta, std::span<const Crossing> crossings, const Frame& to);
    // Hands the states that the moves have led to to the hooks. Throws what a hook throws, having
    // given those before it their old state: the caller moves the world back then.
    void restoreStates();
    // Hands the states of the frame on show to these hooks once more.
    void giveStates(const std::vector<StateKey>& keys);

    // All it knows, as of the frame on show. Throws Error{WrongState} where something that is not
    // in a frame yet stands in the way. Changes nothing.
    Snapshot takeSnapshot() const;
    // Begins in an empty world with what a snapshot says, which is what `to` shows; `crossings`:
    // of all frames that are kept. Its states are handed to the hooks by restoreStates.
    // REQUIRES: it is off, EntityPool::canOpen, and the snapshot makes sense (history_file.hpp).
    void open(const Snapshot& snapshot, std::span<const Crossing> crossings, const Frame& to);
    void close();  // takes that back

    // To be called right before the reconcile that ends a move: only what is written from then
    // on is not the history's own writing.
    void expectWrites() noexcept;

    // Frames that will not be shown again, with these crossings.
    void forget(std::span<const Crossing> crossings);
    // Play resumes from a frame: what was made since, and never added, counts as made there.
    void adoptStrays(const Frame& frame);
    // Forgets an entity that is out, if so many crossings are all that tell of it. Answers whether they are.
    bool forgetIfOnly(EntityId id, std::uint32_t crossings);

    std::uint64_t hash();
    std::size_t bytes() const noexcept;
    // Writes without a change mark that frames have found.
    struct Strays {
        std::uint64_t frames = 0;         // that found some
        std::optional<StrayWrite> first;  // that was found
    };
    const Strays& strays() const noexcept { return strays_; }
    // The key of a system's state, if it ever had one.
    std::optional<StateKey> findSystemKey(const std::string& name) const;
    // The name behind StateKey::what of a state that is no entity's.
    const std::vector<std::string>& stateNames() const noexcept { return stateNames_; }

    void onReconcile(const ChangeSet& changes) override;
    void onRescope(EntityRecord& record, bool rewindable) override;
    void onUnborn(EntityRecord& record) override;
    void onReplace() override;
    void onReset() override;
    std::size_t bytesPerEntity() const noexcept override { return isOn_ ? 1024 : 0; }
    void setResetCall(std::function<void()> call) { resetCall_ = std::move(call); }
    void validate(std::vector<std::string>& problems) const override;
    // The same for what has to go with the frames that are kept; `kept`: their crossings.
    void validateFrames(std::span<const Crossing> kept, std::vector<std::string>& problems) const;

private:
    struct AlignedFree {
        void operator()(std::byte* bytes) const noexcept {
            ::operator delete (bytes, std::align_val_t{ComponentStore::parkedAlignment});
        }
    };
    using Blob = std::unique_ptr<std::byte, AlignedFree>;
    // What is known of an entity, by its index, as of the last frame.
    struct Known {
        EntityId id;        // null: not known
        bool isIn = false;  // it is in the world, and rewindable
        bool enabled = true;
        bool isLate = false;         // it may have been made some frames before it was first added
        std::uint32_t mentions = 0;  // crossings in kept frames
        std::uint32_t parkedSize = 0;
        std::uint64_t disabled = 0;
        const Shape* shape = nullptr;
        std::uint64_t hash = 0;  // of its place
        Blob parked;             // its components while it is out
    };
    struct Released {
        EntityId id;
        Blob parked;
    };
    // Children that the history does not know stay in the world as roots while their parent is
    // out, and are linked again when it returns.
    struct Homeless {
        EntityId child;
        EntityId home;
    };

    Known& known(const EntityRecord& record);
    bool knows(const EntityRecord& record) const noexcept;
    EntityRecord* find(EntityId id) const noexcept;
    Known& remember(EntityRecord& record);  // knows it from now on
    void welcome(EntityRecord& record);     // and that it is in
    void trackAll(EntityRecord& record);
    void untrackAll(EntityRecord& record);
    void letGo(EntityRecord& record);
    void validateShadow(const EntityRecord& record, std::vector<std::string>& problems) const;
    void freeReleased();

    // ---- writing down
    void noteLeft(EntityRecord& record, Step& step, const ChangeSet* changes);
    void noteRebound(EntityRecord& record, const ChangeSet* changes);
    void noteScope(EntityRecord& top);
    void refreshArrivals(Delta& delta);
    Frame finishFrame(std::int64_t number, Delta states, Look look);
    void takeStates(Delta& delta);
    // Adds the state to the delta where it differs; what it was before follows with setState.
    void noteState(const StateKey& key, std::span<const std::byte> state, Delta& delta);
    std::uint64_t hashOf(const StateKey& key, std::span<const std::byte> state) const;
    // Answers what it was.
    State setState(const StateKey& key, const State& state);
    StateKey nameKey(char kind, const std::string& name);
    Makeup makeupOf(const EntityRecord& record) const;
    // The same as of the last reconcile, of one that is in.
    Makeup settledMakeupOf(const EntityRecord& record) const;
    // The slot of the component that the last reconcile left: perhaps it was removed since.
    std::byte* trackedSlotOf(const EntityRecord& record, const ComponentType& type) const;
    Makeup recordedMakeup(const EntityRecord& record) const;
    void addOutside(EntityRecord& top, Snapshot& snapshot) const;
    static Snapshot::Known tableEntry(const EntityRecord& record);
    Delta takePending();
    void rehash(EntityRecord* record);
    void rehashNeighbours(const std::vector<Step>& steps);
    void rehashAll(const Delta& delta);

    // ---- requests
    void noteRequests(Delta& delta);
    Request requestOf(const EntityRecord& record) const;
    void placeAll(std::span<const Request> requests);
    void carry(const Request& request, EntityRecord& record);
    EntityRecord* findAsked(const Request& request) const noexcept;

    // ---- births
    void unmake(EntityId id, EntityId parent, Clock clock);
    void await(const EntityRecord& record, EntityId parent);
    void stopAwaiting(const EntityRecord& record);
    void settleBirths(Clock clock);
    void awaitAll(std::span<const Crossing> crossings, std::int64_t shown);

    // ---- putting back
    using Decisive = std::unordered_map<EntityId, const Crossing*>;
    static Decisive decisiveOf(std::span<const Crossing> crossings, bool isUndone);
    void partFrom(const Step& step, EntityRecord& record, bool isUndone);
    void park(EntityRecord& record);
    void revertAll(EntityRecord& record);
    void makeUp(EntityRecord& record, const Makeup& makeup);
    void takeOutAll(const std::vector<Step>& steps, bool areArrivals);
    void putInAll(const std::vector<Step>& steps);
    void settleAll(const Delta& delta, const std::vector<Step>& out, const std::vector<Step>& in);
    void rebindAll(const Delta& delta, bool before);
    void hangAll(std::span<const Crossing> crossings, const Decisive& decisive, bool isUndone);
    void makeUpOutside(const Delta& delta, bool before);
    void noteHomeless(const EntityRecord& parent);
    void bringHome(EntityRecord& parent);
    void applyState(const StateKey& key, const State& state);

    WorldCore& world_;
    Shadow shadow_;
    PagedTable<Known> known_;
    std::vector<Released> released_;
    std::vector<Homeless> homeless_;
    // Those that are yet to be added, as of the frame on show, though made some frames before: detached, or
    // unborn at frames before they were made. In the order in which they were made.
    struct Awaited {
        EntityId id;
        EntityId parent;  // on which it hangs until then
    };
    std::map<std::pair<Clock, std::uint32_t>, Awaited>
        awaited_;                 // by EntityRecord::bornAt and serial
    Clock shownClock_ = 0;        // of the frame on show
    std::vector<EntityId> held_;  // by awaitRequests
    bool requestsWait_ = false;   // those of the frame on show are yet to be asked for again
    // Those that are no concern of the history's any more, but were part of the past on show: where
    // they are not, they are in the world all the same.
    std::unordered_set<EntityId> livingOn_;
    std::size_t knownCount_ = 0;
    std::size_t parkedBytes_ = 0;
    std::uint64_t placeSum_ = 0;
    StateTable states_;                    // as of the last frame
    std::map<StateKey, State> restored_;   // what hooks were last given, where that differs
    std::vector<HookedComponent> hooked_;  // of takeStates
    std::uint64_t stateSum_ = 0;
    std::size_t stateBytes_ = 0;
    std::vector<std::string> stateNames_;
    std::uint64_t resourcesAsOf_ = 0;
    std::uint64_t resourcesHash_ = 0;
    std::vector<Delta> pending_;  // of the reconciles since the last frame
    Words pendingBases_;
    std::vector<StateKey> gone_;  // states whose components may have gone since the last frame
    Strays strays_;
    Clock since_ = 0;                  // writes at this time or later are not in a frame yet
    std::function<void()> resetCall_;  // of this run
    std::uint32_t run_ = 0;
    bool isOn_ = false;
    const void* claimedBy_ = nullptr;  // only compared
    bool isRestoring_ = false;
};

}  // namespace revenant
