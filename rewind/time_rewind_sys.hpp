// TimeRewindSys: records one frame per tick and shows earlier ones, exactly.
//
//     auto rewind = std::make_shared<TimeRewindSys>(world, RewindOptions{.seconds = 60});
//     world.registerSystem(rewind);
//     ...
//     rewind->start();          // from now on each tick shows an earlier frame
//     rewind->seek(frame);      // or any frame, at once between ticks
//     rewind->stop();           // play resumes from the current frame; its future is dropped
//
// It ticks before all other systems. A hand-written loop calls tick right after
// World::reconcile, before anything is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rewind/divergence.hpp"
#include "rewind/history_info.hpp"
#include "rewind/state_hash.hpp"
#include "world/callback.hpp"
#include "world/entity.hpp"
#include "world/system.hpp"

namespace revenant {

class DisplayBlend;
class History;
class Recorder;
class SyncTest;
class WorldCore;
struct Crossing;
struct Frame;
struct HistoryFile;
struct Request;
struct StateKey;

struct RewindOptions {
    double seconds = 60;                        // of world time, kept at most
    std::size_t bytes = std::size_t{64} << 20;  // of memory, used at most
    std::size_t blockFrames = 600;              // in a block, whose frames are packed together
    bool pack = true;                           // whether old frames are packed
    bool packInBackground = true;               // false: in the tick that completes a block
    // While frames come faster than they can be packed, older ones are thinned: every second, fourth, … is kept,
    // at least one in `thinTo`. 1: no frame is ever left out.
    std::uint32_t thinTo = 64;
};

class TimeRewindSys final : public System {
public:
    explicit TimeRewindSys(World& world, RewindOptions options = {});
    ~TimeRewindSys() override;

    void start();  // begins to rewind; a no-op while rewinding, and while nothing was recorded yet
    // Resumes from the current frame; a no-op while playing. At once between ticks, else at the next one, after
    // any seek that is waiting.
    void stop();
    bool isRewinding() const noexcept { return isInPast() && isRecording(); }
    // Seconds of the past per second; negative: forward again. Clamped at both ends.
    void setSpeed(double speed);
    double getSpeed() const noexcept { return speed_; }
    // Shows a frame; begins to rewind if need be. At once between ticks, else at the next one. If the frame was
    // thinned out, it shows the nearest kept one before it; getFrame says which.
    // Throws Error{BadArgument} for a frame that is not kept.
    void seek(std::int64_t frame);
    // Relative to the current frame, at least to the next kept one; < 0: back.
    void step(std::int64_t frames);

    std::optional<std::int64_t> getFrame() const noexcept;  // the current one
    std::optional<std::int64_t> getOldestFrame() const noexcept;
    std::optional<std::int64_t> getNewestFrame() const noexcept;
    // The state hash of the frame that seek would show.
    std::uint64_t frameHash(std::int64_t frame) const;
    bool isThinned(std::int64_t frame) const;  // whether seek would show another

    void setBudget(RewindOptions options);
    const RewindOptions& getBudget() const noexcept { return options_; }
    std::size_t getMemory() const noexcept;
    void clear();  // drops every frame
    // Whether lerpRewindState is called once per tick while time is between two frames, for components that
    // use it to move objects of their own (a body, a sprite). When time reaches a frame again, or play
    // resumes, they get the exact state back.
    void setApplyBlend(bool isOn) noexcept { appliesBlend_ = isOn; }
    bool getApplyBlend() const noexcept { return appliesBlend_; }
    // How far, 0 to 1, time has moved from the current frame to the next.
    double getBlend() const noexcept { return blendPart_; }
    // The component as it should be drawn: while time is between two frames, its `lerp` and
    // `angle` fields are blended; else the component itself. Good until the next tick, seek or step.
    // Null where the entity has no such component.
    const std::byte* getDisplay(Entity entity, std::string_view component) const;

    // The same for the state of a component with hooks, or of a system: what its lerpRewindState
    // makes of the current frame and the next one; none where time is at a frame.
    std::optional<std::vector<std::byte>> getDisplayState(Entity entity,
                                                          std::string_view component) const;
    std::optional<std::vector<std::byte>> getDisplayState(System& system) const;

    // The first frame from `from` on, kept by both, at which this history and another's differ,
    // and what differs in it. Both show that frame then.
    std::optional<Divergence> findDivergence(TimeRewindSys& other, std::int64_t from);
    // Each tick runs the last `frames` frames again; they must come out the same. 0: off. `step` is required
    // with a hand-written loop: it does what the loop does between two frames, in place of ticking the systems
    // as update does.
    void setSyncTest(std::size_t frames, Callback<void(double)> step = {});
    std::size_t getSyncTest() const noexcept;
    // For changes that no system made (a level was loaded, a tool edited a field): the sync test does not run
    // the ticks up to now again.
    void forgetSyncSteps() noexcept;
    // The first difference that the sync test found, if any.
    const std::optional<Divergence>& getSyncReport() const noexcept;

    // Writes through references, rows or runs that were kept from an earlier tick, which set no change mark.
    // Each frame compares some components that are not marked as well, in turn, so that such a write is
    // in a frame, at the latest, when as many frames have passed as there are components / 128;
    // beginning to rewind compares all. Validating builds compare all in every frame, and assert.
    struct StrayWrites {
        std::uint64_t frames = 0;  // frames in which some were found
        std::string first;         // a sentence on the first one; empty: none was found
    };
    StrayWrites getStrayWrites() const;

    // A sentence for each invariant of the history that does not hold: the references that it counts against
    // the frames, births, what it follows against what is there. It may be called between any two calls. Validating
    // builds call it for each frame that is recorded or shown, for a large history for some of them, and assert.
    std::vector<std::string> validate() const;

    // How well packing keeps up: what waits for it, what was thinned out, what was dropped.
    HistoryStatistics getStatistics() const noexcept;
    // For tools: what is kept, block by block.
    std::vector<BlockInfo> getBlocks() const;
    // For tools: the frames with which entities came and went.
    std::vector<FrameMark> getMarks() const;
    // For tools: what differs between two kept frames, at most `most` differences; `here` is the value in
    // the first frame. Begins to rewind if need be; the current frame is the same afterwards.
    std::vector<Divergence> compareFrames(std::int64_t first, std::int64_t second,
                                          std::size_t most);
    // Waits until nothing is left to pack.
    void finishPacking();

    // Names the current frame. A name is dropped with its frame.
    void setCheckpoint(std::string name);
    std::optional<std::int64_t> getCheckpoint(std::string_view name) const noexcept;
    void seekCheckpoint(std::string_view name);
    bool removeCheckpoint(std::string_view name) noexcept;
    std::vector<Checkpoint> getCheckpoints() const;  // by name

    // Writes the whole history to a file, which an empty world can open. Changes nothing.
    // Throws an Error if the history is empty or the file cannot be written.
    void saveHistory(const std::string& path);
    // Opens such a file. Its current frame becomes current, and the world is rewinding. The budget grows
    // to hold it. Throws an Error, having changed nothing, for a file that is damaged or does not
    // fit: the world must have no entities, this history no frames, and components must be
    // defined as they were. States of hooks and systems that this world lacks are kept, but not
    // restored; stateHash then differs from frameHash.
    void loadHistory(const std::string& path);
    // The same without a file: see history_file.hpp.
    HistoryFile takeHistory();
    void openHistory(HistoryFile file);

protected:
    void onTick(double dt) override;

private:
    // What this header does not show: see time_rewind_parts.hpp.
    class WorkScope;
    struct Parts;

    // The phases of a history. `enter` asserts that a change is one of these:
    //
    //   from       by                                      to
    //   Playing    start, seek                             Leaving
    //   Playing    openHistory                             Rewinding
    //   Resuming   start, seek                             Leaving
    //   Resuming   the tick records the current frame      Playing
    //   Leaving    the frame is shown                      Rewinding
    //   Leaving    a hook refuses it, or memory runs out   the phase that it left
    //   Rewinding  stop                                    Resuming
    //   any        clear, a reset of the world             Playing
    enum class Phase : std::uint8_t {
        Playing,    // each tick records a frame behind the newest
        Resuming,   // play goes on from the current frame: the next tick records that one once more
        Leaving,    // within a seek: play has stopped, and no listener knows of it yet
        Rewinding,  // a kept frame is current
    };
    // What was requested during a tick, for the next one.
    struct Wish {
        std::optional<std::int64_t> frame;  // to show
        bool stops = false;                 // whether to resume play after that
    };

    void enter(Phase next);
    bool isInPast() const noexcept {
        return phase_ == Phase::Leaving || phase_ == Phase::Rewinding;
    }
    WorldCore& core() const noexcept;
    void requireRest(const char* call) const;
    void joinRun();
    // Throws if the world has another history.
    void claimWorld(const char* call);
    void noticeReset();
    bool mustWait() const noexcept;
    bool isRecording() const noexcept;
    bool hasFrames() const noexcept;  // none after a reset of the world
    void recordTick(double dt);
    void record();
    void show(std::int64_t frame);
    void restore(std::int64_t frame);
    void giveStatesBack();
    void goBack(std::int64_t from, Phase before);
    void tell(bool begins);
    Frame takeFrame(std::int64_t number, bool comparesAll);
    void assertNoStray(std::uint64_t framesBefore) const;
    void beginRewinding();
    void callOff(Phase before);
    void dropUnrecorded();
    void forgetDropped();
    void move(std::int64_t frame);
    void moveTime(double dt);
    void applyBlend();
    void unapplyBlend();
    void fetchAhead(std::int64_t from);
    void forgetFuture();
    void forgetWay(std::vector<Crossing> crossings);
    void endRewinding();
    void resume();
    std::size_t packerBytes() const noexcept;
    std::size_t roomToUnpack() const noexcept;
    void keepBudget();
    void thin();
    void requireFrame(std::int64_t frame, const char* call) const;

    RewindOptions options_;
    Recorder& recorder_;
    std::unique_ptr<Parts> parts_;
    History& history_;        // this, and what else is a reference below, lies in parts_
    std::int64_t shown_ = 0;  // the current frame
    std::uint32_t run_ = 0;   // of the recorder
    double shownSeconds_ = 0;
    double speed_ = 1;
    Phase phase_ = Phase::Playing;
    Wish wish_;
    // What changed since the newest frame: set while Leaving; if that was cancelled, until the next frame, which
    // includes it, is recorded.
    std::optional<Frame>& unrecorded_;
    std::vector<Request>& asked_;            // requests made since then
    std::vector<Crossing>& askedCrossings_;  // to which they would have led
    std::vector<Crossing>& dropped_;  // crossings of dropped frames, until listeners were called
    int workDepth_ = 0;
    SyncTest& sync_;
    DisplayBlend& display_;
    double blendPart_ = 0;
    bool appliesBlend_ = false;
    std::vector<StateKey>& applied_;  // states whose objects are blended now
};

}  // namespace revenant
