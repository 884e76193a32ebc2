// Recorder: follows a world and writes down, frame by frame, what changed; and puts it back.
// The observer of a TimeRewindSys: it knows worlds and frames, but not which frames are kept.
//
// Each entity it knows is one that a kept frame could bring back: it holds one reference on it,
// from the frame in which it came until the last frame that has it is dropped.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "rewind/frame.hpp"
#include "rewind/shadow.hpp"
#include "world/change_set.hpp"
#include "world/reconciler.hpp"

namespace revenant {

class Restorer;

class Recorder final : public WorldObserver {
public:
    explicit Recorder(World& world) : world_(world), shadow_(world) {}

    // Begins to know the world as it is, or forgets it all.
    void start();
    void stop();
    bool isOn() const noexcept { return isOn_; }

    // What changed since the last frame. REQUIRES: nothing has been asked of the world since its
    // last reconcile.
    Frame takeFrame(std::int64_t number);
    // Adds what was written since the last frame to it.
    void amend(Frame& frame);
    // Discards what was written to components since the last frame or restore.
    void discardWrites();

    // Moves the world from a frame to the one before it, `earlier`; or the reverse.
    void undo(Frame& frame, const Frame& earlier, ReconcileMode mode);
    void redo(Frame& frame, ReconcileMode mode);

    // The frame will not be shown again. Oldest first: what left in it is let go. Newest first,
    // while an earlier one is on show: what came in it has never been.
    void forgetOldest(Frame& frame);
    void forgetNewest(Frame& frame);

    std::uint64_t hash() const;
    std::size_t bytes() const noexcept;
    std::size_t knownEntities() const noexcept { return knownCount_; }

    void onReconcile(const ChangeSet& changes) override;
    void onReset() override { stop(); }
    void validate(std::vector<std::string>& problems) const override;

private:
    // What is known of an entity, by its index, as of the last frame.
    struct Known {
        EntityId id;        // null: not known
        bool isIn = false;  // it was in the world
        bool enabled = true;
        std::uint64_t disabled = 0;
        const Shape* shape = nullptr;
        std::uint64_t hash = 0;   // of its place
        std::int64_t leftIn = 0;  // number of the frame in which it left
    };

    Known& known(const EntityRecord& record);
    bool knows(const EntityRecord& record) const noexcept;
    EntityRecord* find(EntityId id) const noexcept;
    void welcome(EntityRecord& record);  // knows it from now on, and that it is in
    void trackAll(EntityRecord& record);
    void untrackAll(EntityRecord& record);
    void letGo(EntityRecord& record);
    void park(EntityRecord& record, Step& step);

    void noteLeft(EntityRecord& record, const ChangeSet& changes);
    void noteRebound(EntityRecord& record, const ChangeSet& changes);
    void noteResources(Frame& frame);
    void restoreResources(const Frame& frame, bool before);
    void restoreSystems(const Frame& frame);
    void rehash(EntityRecord* record);
    void rehashNeighbours(const std::vector<Step>& steps);
    // Children that the history does not know stay in the world as roots while their parent is
    // out, and are linked again when it returns.
    struct Homeless {
        EntityId child;
        EntityId home;
    };
    void noteHomeless(const EntityRecord& parent);
    void comeBack(EntityRecord& record, Step& step);
    void bringHome(EntityRecord& parent);

    void rehashAll(const Structure& structure);
    void undo(Structure& structure, ReconcileMode mode);
    void redo(Structure& structure, std::int64_t number, ReconcileMode mode);
    void unbind(Restorer& restorer, EntityRecord& record, ComponentType& type,
                std::vector<std::byte>& bytes);
    void takeOutAll(std::vector<Step>& steps, bool areArrivals);
    void putInAll(std::vector<Step>& steps);
    void settleAll(Structure& structure, std::vector<Step>& out, std::vector<Step>& in,
                   ReconcileMode mode);

    World& world_;
    Shadow shadow_;
    std::vector<Known> known_;
    std::vector<Homeless> homeless_;
    std::size_t knownCount_ = 0;
    std::uint64_t placeSum_ = 0;
    std::map<std::string, Value> resources_;  // rewindable ones, as of the last frame
    std::uint64_t resourcesAsOf_ = 0;
    std::uint64_t resourcesHash_ = 0;
    Structure* current_ = nullptr;  // of the reconcile under way
    Tick since_ = 0;                // writes at this tick or later are not in a frame yet
    Frame pending_;                 // what the reconciles since the last frame changed
    bool isOn_ = false;
    bool isRestoring_ = false;
};

}  // namespace revenant
