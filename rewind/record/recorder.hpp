// Recorder: follows a world, records what changed frame by frame, and restores it. It knows worlds and deltas,
// but not which frames are kept: the History of its TimeRewindSys knows that. Owned by the world as one of
// its observers; used on the world's thread.
//
// It consists of parts, each with its own data and invariants, in the order of the members below:
//   KnownEntities    the entities that a kept frame could bring back
//   Shadow           their components' values as of the last frame
//   Parking          the components of known entities that are out
//   Births           entities that exist before they are first added
//   HookStates       state outside the components' bytes
//   Outsiders        what entities that are out are made of, frame by frame
//   Custody          starts and stops following entities
//   Journal          what reconciles changed since the last frame
//   WaitingRequests  what waits for the next reconcile
//   DeltaApplier     moves the world over a delta
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rewind/history/frame.hpp"
#include "rewind/record/births.hpp"
#include "rewind/record/custody.hpp"
#include "rewind/record/delta_applier.hpp"
#include "rewind/record/hook_states.hpp"
#include "rewind/record/journal.hpp"
#include "rewind/record/known_entities.hpp"
#include "rewind/record/outsiders.hpp"
#include "rewind/record/parking.hpp"
#include "rewind/record/shadow.hpp"
#include "rewind/record/snapshot.hpp"
#include "rewind/record/waiting_requests.hpp"
#include "world/core/world_core.hpp"
#include "world/storage/change_set.hpp"

namespace revenant {

class Recorder final : public WorldObserver {
public:
    explicit Recorder(WorldCore& world);

    // Begins with the world as it is, or forgets everything. When the world is reset, the recorder stops and
    // calls the reset call of this run.
    void start();
    void stop();
    bool isOn() const noexcept { return isOn_; }
    // A world has one history, from when that is made until it ends or the world is reset. Returns
    // whether it is this one.
    bool claim(const void* history) noexcept {
        if (!claimedBy_) claimedBy_ = history;
        return claimedBy_ == history;
    }
    void release(const void* history) noexcept {
        if (claimedBy_ == history) claimedBy_ = nullptr;
    }
    // The number of this run, from start to stop: a history that is left over from an earlier run
    // is ignored.
    std::uint32_t run() const noexcept { return run_; }
    void setResetCall(std::function<void()> call) { resetCall_ = std::move(call); }

    // ---- recording
    // How many components without a change mark a frame compares; see Shadow::takeStrays.
    enum class Look : std::uint8_t { Some, All };
    // What changed since the last frame.
    Frame takeFrame(std::int64_t number, Look look = Look::Some);
    // The same without states, so that no hook is called: for a frame that is undone at once.
    Frame takeStructure(std::int64_t number) { return finishFrame(number, {}, Look::Some); }
    // The next frames are those of a new block: see Frame::bases.
    void beginBlock() noexcept { shadow_.beginBlock(); }
    // Adds the changes of the next frame to a frame.
    void append(Frame& frame, const Frame& next);
    // Adds what was written since the last frame to that frame: as a later one, or because it is shown again.
    void extend(Frame& frame, Look look = Look::Some);
    // `unrecorded`, where there is one, comes first. If a hook throws, neither has changed.
    void amend(Frame& frame, const Frame* unrecorded);
    // Empties the delta of the oldest frame, as no frame leads to it. Returns its crossings, which are to be forgotten.
    std::vector<Crossing> forgetWay(Frame& frame);
    // Entities that were made since the last frame are there when one is recorded, with this clock.
    void settleNewborns(Clock clock);
    // Frames with these crossings will not be shown again.
    void forget(std::span<const Crossing> crossings);
    std::vector<EntityId> keptOnlyBy(std::span<const Crossing> crossings) const {
        return custody_.keptOnlyBy(crossings);
    }
    bool forgetIfOnly(EntityId id, std::uint32_t crossings) {
        return !journal_.crossing().contains(id) && custody_.forgetIfOnly(id, crossings);
    }

    // ---- moving in time
    // Moves the world, silently, over a delta; `crossings` are those of the frames it leads over,
    // if they are more than one. `to`: the header of the frame on the other side.
    void undo(const Delta& delta, std::span<const Crossing> crossings, const FrameHeader& to) {
        applier_.undo(delta, crossings, to);
    }
    void redo(const Delta& delta, std::span<const Crossing> crossings, const FrameHeader& to) {
        applier_.redo(delta, crossings, to);
    }
    // Discards what was written since the last frame or move; states, with the next HookStates::restore.
    void discardWrites();
    // Call it right before the reconcile that ends a move: writes from then on are the program's,
    // not the history's.
    void expectWrites() noexcept;
    // Takes back all pending requests that concern rewindable entities; carries out the others, silently.
    // `last`: the frame that was taken last, just now. Entities that were made since `clock` and were to come
    // in are unborn then, until the result is forgotten, or revived.
    std::vector<Crossing> dropRequests(const FrameHeader& last, Clock clock);

    // ---- files
    // All it knows, as of the current frame. Throws Error{WrongState} if something that is not yet part
    // of a frame makes that impossible. Changes nothing.
    Snapshot takeSnapshot() const;
    // Begins in an empty world with the content of a snapshot, which is that of frame `to`. `crossings`:
    // of all frames that are kept. HookStates::restore gives the hooks its states.
    // REQUIRES: it is off, EntityPool::canOpen, and the snapshot makes sense (history_file.hpp).
    void open(const Snapshot& snapshot, std::span<const Crossing> crossings, const FrameHeader& to);
    void close();  // undoes open

    // ---- parts
    HookStates& states() noexcept { return states_; }
    Births& births() noexcept { return births_; }
    Outsiders& outsiders() noexcept { return outsiders_; }
    WaitingRequests& requests() noexcept { return requests_; }

    std::uint64_t hash();
    std::size_t bytes() const noexcept;
    // Writes without a change mark that frames found.
    struct Strays {
        std::uint64_t frames = 0;         // that found some
        std::optional<StrayWrite> first;  // that was found
    };
    const Strays& strays() const noexcept { return strays_; }

    void onReconcile(const ChangeSet& changes) override;
    void onRescope(EntityRecord& record, bool rewindable) override;
    void onUnborn(EntityRecord& record) override;
    void onReplace() override;
    void onReset() override;
    std::size_t bytesPerEntity() const noexcept override { return isOn_ ? 1024 : 0; }
    void validate(std::vector<std::string>& problems) const override;
    // The same for what has to go with the frames that are kept; `kept`: their crossings.
    void validateFrames(std::span<const Crossing> kept, std::vector<std::string>& problems) const;

private:
    void begin();
    void createAll(const Snapshot& snapshot);
    Frame finishFrame(std::int64_t number, std::vector<StateChange> states, Look look);

    WorldCore& world_;
    KnownEntities known_;
    Shadow shadow_;
    Parking parking_;
    Births births_;
    HookStates states_;
    Outsiders outsiders_;
    Custody custody_;
    Journal journal_;
    WaitingRequests requests_;
    DeltaApplier applier_;
    Strays strays_;
    std::function<void()> resetCall_;  // of this run
    std::uint32_t run_ = 0;
    bool isOn_ = false;
    const void* claimedBy_ = nullptr;  // only compared
};

}  // namespace revenant
