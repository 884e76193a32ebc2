// Delta: what changed from one state of a world to a later one, so that it can be undone, redone and
// put together with the next. Plain data that knows no world: entities by their ids, components
// by the numbers of their types and their words.
//
// In time, the words of a delta come before its structure: they are differences of components
// that were there on both sides, or until they left. What arrives brings its words along.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rewind/history/state_bytes.hpp"
#include "rewind/history/word_groups.hpp"
#include "world/codec/words.hpp"
#include "world/entity_id.hpp"
#include "world/storage/shape.hpp"

namespace revenant {

// What an entity is made of. The image is, for each component, ascending by type: its type and
// how many words it has (headOf), and those words.
struct Makeup {
    Words image;
    std::uint64_t disabled = 0;  // components, by position
    bool enabled = true;

    friend bool operator==(const Makeup&, const Makeup&) = default;
};

inline std::uint32_t headOf(ComponentTypeId type, std::size_t words) noexcept {
    return type | static_cast<std::uint32_t>(words) << 16;
}
inline ComponentTypeId typeOf(std::uint32_t head) noexcept {
    return static_cast<ComponentTypeId>(head & 0xFFFF);
}
inline std::size_t wordsOf(std::uint32_t head) noexcept {
    return head >> 16;
}
// Where the component of a type begins in an image, at its head; the image's end if it is absent.
std::size_t findInImage(std::span<const std::uint32_t> image, ComponentTypeId type) noexcept;

// A part of Delta::images.
struct ImagePart {
    std::uint32_t begin = 0;
    std::uint32_t words = 0;
};

// Where an entity stood before (a departure) or stands after (an arrival). What it is made of, on this side, is said
// only of a crossing one: see Delta::makeupOf.
struct Step {
    EntityId id;
    EntityId parent;    // null: it is a root
    EntityId previous;  // the sibling before it; null: it is the first
    EntityId
        outer;  // for a crossing departure: its parent afterwards, which is outside the world too
    std::uint64_t disabled = 0;
    ImagePart image;
    bool crosses = false;  // the history does not have it on the other side; else it moved
    bool wasZombie =
        false;  // of a crossing arrival: it was a zombie before, else detached or unborn
    bool detached = false;  // of a crossing departure: its parent is out, so it left without
                            // becoming a zombie
    bool rescoped = false;  // of a crossing step: the entity was in the world all the time, but
                            // became rewindable with its arrival, or ceased to be
    bool enabled = true;
};

// A component that was bound, unbound or replaced.
struct Rebinding {
    EntityId id;
    ComponentTypeId type = 0;
    bool had = false;
    bool has = false;
    ImagePart before;  // its words; none where it was not there
    ImagePart after;
};

struct Toggle {
    EntityId id;
    bool enabledBefore = true;
    bool enabledAfter = true;
    std::uint64_t disabledBefore = 0;  // bits by position in the shape of that side
    std::uint64_t disabledAfter = 0;
};

// The state of an entity that is out, and the parent, also out, that it is attached to.
struct Outer {
    enum class State : std::uint8_t { Unsaid, Detached, Zombie };

    State state = State::Unsaid;
    EntityId parent;
    EntityId previous;  // the sibling before it

    // Whether it comes and goes with another entity without having been in itself: a zombie, or attached to a parent.
    bool isBound() const noexcept {
        return state == State::Zombie || (state == State::Detached && !parent.isNull());
    }
    friend bool operator==(const Outer&, const Outer&) = default;
};

// The makeup and state of an entity on a side on which it is out, where its steps do not contain them: it
// changed while it was out, or the delta leads over several frames.
struct Outside {
    EntityId id;
    std::optional<Makeup> before;
    std::optional<Makeup> after;
    Outer outerBefore = {};  // set only where there is a makeup
    Outer outerAfter = {};
};

// State outside the components' bytes: what a hook returned for an entity's component or, where the
// entity is null, the state that belongs to a name (Recorder keeps the names).
struct StateKey {
    EntityId id;
    std::uint32_t what = 0;  // type or number of the name

    friend constexpr auto operator<=>(const StateKey&, const StateKey&) noexcept = default;
};
// The pending requests (request.hpp). They are part of no hash, and have no name.
inline constexpr StateKey requestsKey{{}, UINT32_MAX};
struct StateChange {
    StateKey key;
    State before;
    State after;
};

// Steps and rebindings are plain: what they are made of lies in one list of words, so that nothing is allocated for each.
struct Delta {
    Words words;                   // of components that changed: see word_groups.hpp
    Words images;                  // of steps and rebindings; some parts may belong to none
    std::vector<Step> departures;  // parents and previous siblings come first
    std::vector<Step> arrivals;    // here, too
    std::vector<Rebinding> rebindings;
    std::vector<Toggle> toggles;
    std::vector<Outside> outsides;
    std::vector<StateChange> states;

    bool isEmpty() const noexcept { return words.empty() && states.empty() && !hasStructure(); }
    bool hasStructure() const noexcept {
        return !departures.empty() || !arrivals.empty() || !rebindings.empty() ||
               !toggles.empty() || !outsides.empty();
    }
    std::size_t bytes() const noexcept;  // on the heap

    std::span<const std::uint32_t> imageAt(const ImagePart& part) const noexcept {
        return std::span(images).subspan(part.begin, part.words);
    }
    Makeup makeupOf(const Step& step) const;
    void setMakeup(Step& step, const Makeup& makeup);
    ImagePart addImage(std::span<const std::uint32_t> words);
};

// Calls visit(entity index, type, word, difference) for every word that differs.
template <class Visit>
void forWords(const Words& words, Visit visit) {
    for (WordCursor at(words); !at.isAtEnd(); at.next()) {
        const std::uint32_t* difference = at.words().data();
        for (std::size_t group = 0; group < at.masks().size(); ++group)
            for (std::uint32_t bits = at.masks()[group]; bits != 0; bits &= bits - 1)
                visit(at.index(), at.type(),
                      group * maskBits + static_cast<std::size_t>(std::countr_zero(bits)),
                      *difference++);
    }
}

// Adds a component's differences, word by word, unless all are zero.
void appendDifferences(WordWriter& words, std::uint32_t index, ComponentTypeId type,
                       std::span<const std::uint32_t> differences);

}  // namespace revenant
