#include "rewind/history/delta_pair.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "rewind/history/delta_composer.hpp"

namespace revenant {

namespace {

// Whether both have the same words of the same components, in the same order. Then adds the differences to `first`.
bool mergeAlike(Words& first, const Words& second) {
    if (first.size() != second.size()) return false;
    WordCursor one(first);
    for (WordCursor other(second); !other.isAtEnd(); other.next(), one.next())
        if (one.isAtEnd() || one.place() != other.place() || one.index() != other.index() ||
            one.type() != other.type() || !std::ranges::equal(one.masks(), other.masks()))
            return false;
    for (WordCursor other(second); !other.isAtEnd(); other.next()) {
        const auto words = other.words();
        std::uint32_t* into = first.data() + (words.data() - second.data());
        for (const std::uint32_t word : words) *into++ ^= word;
    }
    return true;
}

// Components, found from where the last one was found, or by a table that is made when that fails.
class ComponentFinder {
public:
    explicit ComponentFinder(const Words& words) {
        for (WordCursor at(words); !at.isAtEnd(); at.next()) components_.push_back(at);
    }

    std::span<const WordCursor> all() const noexcept { return components_; }
    // The number of the component; SIZE_MAX: there is none.
    std::size_t find(const WordCursor& wanted) {
        if (next_ < components_.size() && areSame(components_[next_], wanted)) return next_++;
        if (table_.empty()) fillTable();
        for (std::size_t slot = slotOf(wanted);; slot = (slot + 1) & mask_) {
            if (table_[slot] == 0) return SIZE_MAX;
            if (!areSame(components_[table_[slot] - 1], wanted)) continue;
            next_ = table_[slot];
            return table_[slot] - 1;
        }
    }

private:
    static bool areSame(const WordCursor& one, const WordCursor& other) noexcept {
        return one.index() == other.index() && one.type() == other.type();
    }
    std::size_t slotOf(const WordCursor& component) const noexcept {
        const std::uint64_t key = std::uint64_t{component.index()} << 16 | component.type();
        return static_cast<std::size_t>(key * 0x9E3779B97F4A7C15U >> 32) & mask_;
    }
    void fillTable() {
        mask_ = std::bit_ceil(2 * components_.size() + 1) - 1;
        table_.assign(mask_ + 1, 0);
        for (std::size_t i = 0; i < components_.size(); ++i) {
            std::size_t slot = slotOf(components_[i]);
            while (table_[slot] != 0) slot = (slot + 1) & mask_;
            table_[slot] = static_cast<std::uint32_t>(i + 1);
        }
    }

    std::vector<WordCursor> components_;
    std::size_t next_ = 0;
    std::size_t mask_ = 0;
    std::vector<std::uint32_t> table_;  // number + 1; 0: none
};

// Adds the differences of both.
void addBoth(WordWriter& into, const WordCursor& one, const WordCursor& other) {
    std::vector<std::uint32_t> masks(std::max(one.masks().size(), other.masks().size()));
    auto maskOf = [](const WordCursor& component, std::size_t i) {
        return i < component.masks().size() ? component.masks()[i] : 0;
    };
    for (std::size_t i = 0; i < masks.size(); ++i) masks[i] = maskOf(one, i) | maskOf(other, i);
    std::uint32_t* out = into.add(one.index(), one.type(), masks);
    const std::uint32_t* left = one.words().data();
    const std::uint32_t* right = other.words().data();
    for (std::size_t i = 0; i < masks.size(); ++i)
        for (std::uint32_t bits = masks[i]; bits != 0; bits &= bits - 1) {
            const std::uint32_t bit = bits & (0 - bits);
            std::uint32_t difference = 0;
            if ((maskOf(one, i) & bit) != 0) difference ^= *left++;
            if ((maskOf(other, i) & bit) != 0) difference ^= *right++;
            *out++ = difference;
        }
}

// A component may occur twice, as when it left and came back within a frame: its differences add up in any order.
Words mergeWords(const Words& first, const Words& second) {
    Words merged;
    merged.reserve(std::max(first.size(), second.size()) + 64);
    WordWriter writer(merged);
    ComponentFinder finder(second);
    const std::span<const WordCursor> others = finder.all();
    std::vector<bool> used(others.size(), false);
    for (WordCursor at(first); !at.isAtEnd(); at.next()) {
        const std::size_t found = finder.find(at);
        if (found == SIZE_MAX || used[found]) {
            writer.add(at);
        } else {
            addBoth(writer, at, others[found]);
            used[found] = true;
        }
    }
    for (std::size_t i = 0; i < others.size(); ++i)
        if (!used[i]) writer.add(others[i]);
    return merged;
}

// The composer puts words of what arrived or was bound with the first into its images: `renewed` gets those of the
// second, `others` the rest.
void splitWords(const Delta& first, const Words& second, Words& renewed, Words& others) {
    std::unordered_set<std::uint32_t> arrived;
    std::unordered_set<std::uint64_t> rebound;
    auto keyOf = [](std::uint32_t index, ComponentTypeId type) {
        return std::uint64_t{index} << 16 | type;
    };
    for (const Step& step : first.arrivals)
        if (step.crosses) arrived.insert(step.id.index);
    for (const Rebinding& rebinding : first.rebindings)
        rebound.insert(keyOf(rebinding.id.index, rebinding.type));
    others.reserve(second.size());
    WordWriter intoRenewed(renewed);
    WordWriter intoOthers(others);
    for (WordCursor at(second); !at.isAtEnd(); at.next()) {
        const bool isRenewed =
            arrived.contains(at.index()) || rebound.contains(keyOf(at.index(), at.type()));
        (isRenewed ? intoRenewed : intoOthers).add(at);
    }
}

// All but the states.
Delta composeApart(const Delta& first, const Delta& second) {
    Words renewed;
    Words others;
    const bool splits = !first.arrivals.empty() || !first.rebindings.empty();
    if (splits) splitWords(first, second.words, renewed, others);
    Words merged = mergeWords(first.words, splits ? others : second.words);
    DeltaComposer composer;
    composer.addStructure(first, {});
    composer.addStructure(second, renewed);
    Delta whole = composer.finish();
    merged.insert(merged.end(), whole.words.begin(), whole.words.end());
    whole.words = std::move(merged);
    return whole;
}

// Whether they ascend, each of another key.
bool areInOrder(const std::vector<StateChange>& states) {
    return std::ranges::adjacent_find(states, std::ranges::greater_equal{}, &StateChange::key) ==
           states.end();
}

// Puts the changes of states of two deltas together, ascending by key. Both lists usually ascend: then one pass does it.
class StateMerge {
public:
    // Takes all memory that is needed, and changes nothing.
    StateMerge(const Delta& first, const Delta& second)
        : isInOrder_(areInOrder(first.states) && areInOrder(second.states)) {
        if (isInOrder_) {
            merged_.reserve(countKeys(first.states, second.states));
            return;
        }
        DeltaComposer composer;
        for (const Delta* each : {&first, &second}) {
            Delta apart;
            apart.states = each->states;
            composer.add(apart);
        }
        merged_ = composer.finish().states;
    }

    std::vector<StateChange> take(std::vector<StateChange>& first,
                                  std::vector<StateChange>& second) noexcept {
        if (!isInOrder_) return std::move(merged_);
        auto next = second.begin();
        for (StateChange& change : first) {
            for (; next != second.end() && next->key < change.key; ++next) put(*next);
            if (next != second.end() && next->key == change.key)
                change.after = std::move(next++->after);
            put(change);
        }
        for (; next != second.end(); ++next) put(*next);
        return std::move(merged_);
    }

private:
    static std::size_t countKeys(const std::vector<StateChange>& first,
                                 const std::vector<StateChange>& second) noexcept {
        std::size_t both = 0;
        auto next = second.begin();
        for (const StateChange& change : first) {
            while (next != second.end() && next->key < change.key) ++next;
            if (next != second.end() && next->key == change.key) ++both;
        }
        return first.size() + second.size() - both;
    }
    void put(StateChange& change) noexcept {
        if (!(change.before == change.after)) merged_.push_back(std::move(change));
    }

    bool isInOrder_;
    std::vector<StateChange> merged_;
};

}  // namespace

Delta composePair(Delta&& first, Delta&& second) {
    StateMerge states(first, second);
    const bool hasStructure = first.hasStructure() || second.hasStructure();
    Delta whole;
    if (!hasStructure && mergeAlike(first.words, second.words))
        whole.words = std::move(first.words);
    else
        whole = composeApart(first, second);
    whole.states = states.take(first.states, second.states);
    return whole;
}

}  // namespace revenant
