// DeltaComposer: joins consecutive deltas into one that leads from the state before the first to
// the state after the last. What came and went in between leaves no trace.
//
// A place is given by parent and previous sibling: for a departure in the first state,
// for an arrival in the last one. When a further delta is added, its departures are translated
// to the first state, and earlier arrivals to the new last one, by way of the nearest previous sibling that
// is in both states. Cost: in proportion to the delta added; images of what comes and goes lie in one list, so that nothing
// is allocated for each.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rewind/history/delta.hpp"
#include "rewind/history/flat_map.hpp"

namespace revenant {

class DeltaComposer {
public:
    void add(const Delta& next);
    // The structure of a delta, with these words in place of its own, and without its states.
    void addStructure(const Delta& next, const Words& words);
    // The whole; the composer is empty after this.
    Delta finish();

private:
    // Departures or arrivals, found by entity and by previous sibling. Their images are parts of images_.
    class Steps {
    public:
        Step* find(EntityId id) noexcept { return byId_.find(id); }
        // The next sibling of `previous`; without one, the parent's first child.
        Step* findBehind(EntityId parent, EntityId previous) noexcept;
        void put(const Step& step);
        void erase(EntityId id) noexcept;
        // Takes all of them out, parents and previous siblings first.
        std::vector<Step> takeInOrder();

    private:
        FlatMap<EntityId, EntityId>& behind(const Step& step) noexcept {
            return step.previous.isNull() ? firstOf_ : behind_;
        }

        FlatMap<EntityId, Step> byId_;
        FlatMap<EntityId, EntityId> behind_;   // by previous sibling
        FlatMap<EntityId, EntityId> firstOf_;  // by parent
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
    // An Outside, with makeups in images_.
    struct Look {
        bool isSet = false;
        bool enabled = true;
        std::uint64_t disabled = 0;
        ImagePart image;
    };
    struct Sides {
        Look before;
        Look after;
        Outer outerBefore;
        Outer outerAfter;
    };

    static std::uint64_t componentKey(std::uint32_t index, ComponentTypeId type) noexcept {
        return std::uint64_t{index} << 16 | type;
    }
    static EntityId previousAcross(EntityId parent, EntityId previous, Steps& here, Steps& there);
    std::span<std::uint32_t> imageAt(const ImagePart& part) noexcept {
        return std::span(images_).subspan(part.begin, part.words);
    }
    ImagePart addImage(std::span<const std::uint32_t> words);
    void eraseFromImage(Step& step, ComponentTypeId type);
    void insertIntoImage(Step& step, ComponentTypeId type, std::span<const std::uint32_t> words);
    std::uint32_t& imageWord(Step& step, std::size_t word);
    Step adopted(const Step& step, const Delta& from);
    Look lookOf(const Step& step, const Delta& from);
    Look lookOf(const std::optional<Makeup>& makeup);
    bool isLookOf(const Look& look, const Step& step) noexcept;
    Makeup makeupOf(const Look& look);
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
    void takeSteps(Steps& steps, std::vector<Step>& into, Delta& whole);
    // The entity left and came back: on both sides it is in the world, but made differently.
    void putBack(Step& departure, Step& arrival);
    Component& component(std::uint32_t index, ComponentTypeId type) {
        return components_[componentKey(index, type)];
    }
    Step* arrivedStep(std::uint32_t index) noexcept;
    void setToggle(EntityId id, const Toggle& next);

    Words images_;
    Steps departures_;
    Steps arrivals_;
    // Crossing arrivals by index: their words go into their images.
    FlatMap<std::uint32_t, EntityId> arrived_;
    FlatMap<std::uint64_t, Component> components_;
    FlatMap<EntityId, Toggle> toggles_;
    FlatMap<EntityId, Sides> outsides_;
    std::vector<StateChange>
        states_;  // in time; of the first `foldedStates_` each is of another key
    std::size_t foldedStates_ = 0;
};

}  // namespace revenant
