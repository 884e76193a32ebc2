// DeltaComposer: joins consecutive deltas into one that leads from the state before the first to
// the state after the last. What came and went in between leaves no trace.
//
// A place is given by parent and elder (the previous sibling): for a departure in the first state,
// for an arrival in the last one. When a further delta is added, its departures are translated
// to the first state, and earlier arrivals to the new last one, by way of the nearest elder that
// is in both states. Cost: in proportion to the delta added.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "rewind/history/delta.hpp"

namespace revenant {

class DeltaComposer {
public:
    void add(const Delta& next);
    // The structure of a delta, with these words in place of its own, and without its states.
    void addStructure(const Delta& next, const Words& words);
    // The whole; the composer is empty after this.
    Delta finish();

private:
    // A step with what it is made of, in place of Step::image, `disabled` and `enabled`.
    struct MadeStep : Step {
        Makeup makeup;
    };
    // Departures or arrivals, found by entity and by elder.
    class Steps {
    public:
        MadeStep* find(EntityId id);
        // The next sibling of `elder`; without an elder, the parent's first child.
        MadeStep* findBehind(EntityId parent, EntityId elder);
        void put(MadeStep step);
        void erase(EntityId id);
        // Takes all of them out, as steps of `whole`, parents and elders first.
        std::vector<Step> takeInOrder(Delta& whole);

    private:
        std::unordered_map<EntityId, EntityId>& behind(const Step& step) {
            return step.elder.isNull() ? firstOf_ : behind_;
        }

        std::unordered_map<EntityId, MadeStep> byId_;
        std::unordered_map<EntityId, EntityId> behind_;   // by elder
        std::unordered_map<EntityId, EntityId> firstOf_;  // by parent
    };
    // What became of one component of the first state.
    struct Component {
        EntityId id;
        Words differences;  // until it was first replaced
        bool rebound = false;
        bool had = false;
        bool has = false;
        Words before;
        Words after;
    };

    static std::uint64_t componentKey(std::uint32_t index, ComponentTypeId type) noexcept {
        return std::uint64_t{index} << 16 | type;
    }
    static EntityId elderAcross(EntityId parent, EntityId elder, Steps& here, Steps& there);
    void addWords(const Words& words);
    void addRebindings(const Delta& next);
    void addToggles(const Delta& next);
    void addPlaces(const Delta& next);
    void moveArrivals(Steps& departing, Steps& arriving, const Delta& next);
    void addOutsides(const Delta& next);
    void addStates(const Delta& next);
    // Joins all changes of each state into one; ascending by key.
    void foldStates();
    std::vector<Outside> takeOutsides();
    // The entity left and came back: on both sides it is in the world, but made differently.
    void putBack(MadeStep& departure, MadeStep& arrival);
    Component& component(std::uint32_t index, ComponentTypeId type);
    Makeup* arrivedMakeup(std::uint32_t index);
    void setToggle(EntityId id, const Toggle& next);

    Steps departures_;
    Steps arrivals_;
    // Crossing arrivals by index: their words go into their images.
    std::unordered_map<std::uint32_t, EntityId> arrived_;
    std::unordered_map<std::uint64_t, Component> components_;
    std::vector<std::uint64_t> componentOrder_;  // as they were first met
    std::unordered_map<EntityId, Toggle> toggles_;
    std::vector<EntityId> toggleOrder_;
    std::map<EntityId, Outside> outsides_;
    std::vector<StateChange>
        states_;  // in time; of the first `foldedStates_` each is of another key
    std::size_t foldedStates_ = 0;
};

}  // namespace revenant
