#include "rewind/history/delta_pair.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "rewind/history/delta_composer.hpp"

namespace revenant {

namespace {

// Whether both have the same words of the same components, in the same order. Then adds the differences to `first`.
bool mergeAlike(Words& first, const Words& second) {
    if (first.size() != second.size()) return false;
    auto go = [](WordCursor& at) { at.isInRun() ? at.skipGroup() : at.next(); };
    WordCursor one(first);
    for (WordCursor other(second); !other.isAtEnd(); go(other), go(one))
        if (one.isAtEnd() || one.place() != other.place() || one.index() != other.index() ||
            one.type() != other.type() || one.groupSize() != other.groupSize() ||
            one.isInRun() != other.isInRun() || !std::ranges::equal(one.masks(), other.masks()))
            return false;
    for (WordCursor other(second); !other.isAtEnd(); go(other)) {
        // The words of a run are behind each other.
        const auto words = other.words();
        const std::size_t count = words.size() * (other.isInRun() ? other.groupSize() : 1);
        std::uint32_t* const into = first.data() + (words.data() - second.data());
        for (std::size_t i = 0; i < count; ++i) into[i] ^= words.data()[i];
    }
    return true;
}

// The components of a list of words, found from where the last one was found, or by a table that is made when that fails.
class Components {
public:
    struct Item {
        const std::uint32_t* masks;
        const std::uint32_t* words;
        std::uint32_t index;
        std::uint32_t width;
        std::uint16_t maskCount;
        ComponentTypeId type;
        bool isDone = false;

        std::span<const std::uint32_t> allMasks() const noexcept { return {masks, maskCount}; }
        bool isOf(std::uint32_t otherIndex, ComponentTypeId otherType) const noexcept {
            return index == otherIndex && type == otherType;
        }
    };

    explicit Components(const Words& words) {
        std::size_t count = 0;
        for (WordCursor at(words); !at.isAtEnd(); at.skipGroup()) count += at.groupSize();
        items_.reserve(count);
        for (WordCursor at(words); !at.isAtEnd(); at.next())
            items_.push_back({at.masks().data(), at.words().data(), at.index(),
                              static_cast<std::uint32_t>(at.words().size()),
                              static_cast<std::uint16_t>(at.masks().size()), at.type()});
    }

    std::span<const Item> all() const noexcept { return items_; }
    // The next of the component that was not taken yet; null: there is none.
    Item* take(std::uint32_t index, ComponentTypeId type) {
        Item* found = nullptr;
        if (next_ < items_.size() && items_[next_].isOf(index, type) && !items_[next_].isDone)
            found = &items_[next_];
        else
            forIndex(index, [&](Item& item) {
                if (!found && item.type == type) found = &item;
            });
        if (!found) return nullptr;
        found->isDone = true;
        next_ = static_cast<std::size_t>(found - items_.data()) + 1;
        return found;
    }
    // Calls visit(Item&) for those of an entity that were not taken yet.
    template <class Visit>
    void forIndex(std::uint32_t index, Visit visit) {
        if (table_.empty()) fillTable();
        for (std::size_t slot = slotOf(index); table_[slot] != 0; slot = (slot + 1) & mask_)
            if (Item& item = items_[table_[slot] - 1]; item.index == index && !item.isDone)
                visit(item);
    }

private:
    std::size_t slotOf(std::uint32_t index) const noexcept {
        return static_cast<std::size_t>(index * 0x9E3779B97F4A7C15U >> 32) & mask_;
    }
    void fillTable() {
        mask_ = std::bit_ceil(2 * items_.size() + 1) - 1;
        table_.assign(mask_ + 1, 0);
        for (std::size_t i = 0; i < items_.size(); ++i) {
            std::size_t slot = slotOf(items_[i].index);
            while (table_[slot] != 0) slot = (slot + 1) & mask_;
            table_[slot] = static_cast<std::uint32_t>(i + 1);
        }
    }

    std::vector<Item> items_;
    std::size_t next_ = 0;
    std::size_t mask_ = 0;
    std::vector<std::uint32_t> table_;  // number + 1; 0: none
};

// Adds the differences of both.
void addBoth(WordWriter& into, const WordCursor& one, const Components::Item& other) {
    if (std::ranges::equal(one.masks(), other.allMasks())) {
        std::uint32_t* out = into.add(one.index(), one.type(), one.masks());
        const std::uint32_t* left = one.words().data();
        for (std::size_t i = 0; i < other.width; ++i) out[i] = left[i] ^ other.words[i];
        return;
    }
    std::vector<std::uint32_t> masks(std::max(one.masks().size(), other.allMasks().size()));
    auto maskOf = [](std::span<const std::uint32_t> own, std::size_t i) {
        return i < own.size() ? own[i] : 0;
    };
    for (std::size_t i = 0; i < masks.size(); ++i)
        masks[i] = maskOf(one.masks(), i) | maskOf(other.allMasks(), i);
    std::uint32_t* out = into.add(one.index(), one.type(), masks);
    const std::uint32_t* left = one.words().data();
    const std::uint32_t* right = other.words;
    for (std::size_t i = 0; i < masks.size(); ++i)
        for (std::uint32_t bits = masks[i]; bits != 0; bits &= bits - 1) {
            const std::uint32_t bit = bits & (0 - bits);
            std::uint32_t difference = 0;
            if ((maskOf(one.masks(), i) & bit) != 0) difference ^= *left++;
            if ((maskOf(other.allMasks(), i) & bit) != 0) difference ^= *right++;
            *out++ = difference;
        }
}

// The words of both, but for those of `second` that the composer puts into the images of what arrived or was bound with the
// first: they go to `renewed`. A component may occur twice, as when it left and came back within a frame: its differences
// add up in any order.
Words mergeWords(const Delta& first, const Words& second, Words& renewed) {
    Components others(second);
    WordWriter intoRenewed(renewed);
    auto renew = [&](Components::Item& item) {
        item.isDone = true;
        std::copy_n(item.words, item.width,
                    intoRenewed.add(item.index, item.type, item.allMasks()));
    };
    for (const Step& step : first.arrivals)
        if (step.crosses) others.forIndex(step.id.index, renew);
    for (const Rebinding& rebinding : first.rebindings)
        others.forIndex(rebinding.id.index, [&](Components::Item& item) {
            if (item.type == rebinding.type) renew(item);
        });
    Words merged;
    const std::size_t most = std::max(first.words.size(), second.size());
    merged.reserve(most + most / 32 + 64);
    WordWriter writer(merged);
    for (WordCursor at(first.words); !at.isAtEnd(); at.next())
        if (const Components::Item* other = others.take(at.index(), at.type()))
            addBoth(writer, at, *other);
        else
            writer.add(at);
    for (const Components::Item& item : others.all())
        if (!item.isDone)
            std::copy_n(item.words, item.width, writer.add(item.index, item.type, item.allMasks()));
    return merged;
}

// All but the states.
Delta composeApart(const Delta& first, const Delta& second) {
    Words renewed;
    Words merged = mergeWords(first, second.words, renewed);
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
