#include "rewind/history/delta_pair.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "rewind/history/delta_composer.hpp"

namespace revenant {

namespace {

// One component's entry in Delta::words.
struct Entry {
    std::uint32_t index;
    std::uint32_t head;
    const std::uint32_t* masks;
    const std::uint32_t* words;
    const std::uint32_t* end;

    std::size_t maskCount() const noexcept { return wordsOf(head); }
    bool isOf(const Entry& other) const noexcept {
        return index == other.index && typeOf(head) == typeOf(other.head);
    }
};

Entry entryAt(const std::uint32_t* at) noexcept {
    Entry entry{at[0], at[1], at + 2, nullptr, nullptr};
    entry.words = entry.masks + entry.maskCount();
    entry.end = entry.words;
    for (std::size_t i = 0; i < entry.maskCount(); ++i) entry.end += std::popcount(entry.masks[i]);
    return entry;
}

// Whether both have the same words of the same components, in the same order. Then adds the differences to `first`.
bool mergeAlike(Words& first, const Words& second) {
    if (first.size() != second.size()) return false;
    const std::uint32_t* const end = second.data() + second.size();
    const std::uint32_t* one = first.data();
    for (const std::uint32_t* other = second.data(); other < end;) {
        const Entry entry = entryAt(other);
        if (!std::equal(other, entry.words, one)) return false;
        one += entry.end - other;
        other = entry.end;
    }
    std::uint32_t* into = first.data();
    for (const std::uint32_t* other = second.data(); other < end;) {
        const Entry entry = entryAt(other);
        into += entry.words - other;
        for (const std::uint32_t* word = entry.words; word < entry.end; ++word) *into++ ^= *word;
        other = entry.end;
    }
    return true;
}

// Entries by component, found from where the last one was found, or by a table that is made when that fails.
class EntryFinder {
public:
    explicit EntryFinder(const Words& words) : words_(words) {}

    bool isAtEnd() const noexcept { return next_ == words_.size(); }
    // The offset of the component's entry; SIZE_MAX: there is none.
    std::size_t find(const Entry& wanted) {
        if (next_ < words_.size()) {
            const Entry entry = entryAt(&words_[next_]);
            if (entry.isOf(wanted)) return std::exchange(next_, offsetOf(entry.end));
        }
        if (table_.empty()) fillTable();
        for (std::size_t slot = slotOf(wanted);; slot = (slot + 1) & mask_) {
            if (table_[slot] == 0) return SIZE_MAX;
            const Entry entry = entryAt(&words_[table_[slot] - 1]);
            if (!entry.isOf(wanted)) continue;
            next_ = offsetOf(entry.end);
            return table_[slot] - 1;
        }
    }

private:
    std::size_t offsetOf(const std::uint32_t* at) const noexcept {
        return static_cast<std::size_t>(at - words_.data());
    }
    std::size_t slotOf(const Entry& entry) const noexcept {
        const std::uint64_t key = std::uint64_t{entry.index} << 16 | typeOf(entry.head);
        return static_cast<std::size_t>(key * 0x9E3779B97F4A7C15U >> 32) & mask_;
    }
    void fillTable() {
        std::size_t entries = 0;
        for (std::size_t at = 0; at < words_.size(); ++entries)
            at = offsetOf(entryAt(&words_[at]).end);
        mask_ = std::bit_ceil(2 * entries + 1) - 1;
        table_.assign(mask_ + 1, 0);
        for (std::size_t at = 0; at < words_.size();) {
            const Entry entry = entryAt(&words_[at]);
            std::size_t slot = slotOf(entry);
            while (table_[slot] != 0) slot = (slot + 1) & mask_;
            table_[slot] = static_cast<std::uint32_t>(at + 1);
            at = offsetOf(entry.end);
        }
    }

    const Words& words_;
    std::size_t next_ = 0;
    std::size_t mask_ = 0;
    std::vector<std::uint32_t> table_;  // offset + 1; 0: none
};

// Appends the differences of both; `other` may be null.
void appendBoth(Words& into, const Entry& one, const Entry* other) {
    const std::size_t masks = std::max(one.maskCount(), other ? other->maskCount() : 0);
    into.push_back(one.index);
    into.push_back(headOf(typeOf(one.head), masks));
    const std::uint32_t* left = one.words;
    const std::uint32_t* right = other ? other->words : nullptr;
    auto maskOf = [](const Entry* entry, std::size_t i) {
        return entry && i < entry->maskCount() ? entry->masks[i] : 0;
    };
    for (std::size_t i = 0; i < masks; ++i) into.push_back(maskOf(&one, i) | maskOf(other, i));
    for (std::size_t i = 0; i < masks; ++i) {
        const std::uint32_t ours = maskOf(&one, i);
        const std::uint32_t theirs = maskOf(other, i);
        for (std::uint32_t bits = ours | theirs; bits != 0; bits &= bits - 1) {
            const std::uint32_t bit = bits & (0 - bits);
            std::uint32_t difference = 0;
            if ((ours & bit) != 0) difference ^= *left++;
            if ((theirs & bit) != 0) difference ^= *right++;
            into.push_back(difference);
        }
    }
}

// A component may occur twice, as when it left and came back within a frame: its differences add up in any order.
Words mergeWords(const Words& first, const Words& second) {
    Words merged;
    merged.reserve(std::max(first.size(), second.size()) + 64);
    EntryFinder finder(second);
    std::vector<bool> used(second.size(), false);
    for (const std::uint32_t* at = first.data(); at < first.data() + first.size();) {
        const Entry entry = entryAt(at);
        const std::size_t found = finder.find(entry);
        if (found == SIZE_MAX || used[found]) {
            appendBoth(merged, entry, nullptr);
        } else {
            const Entry other = entryAt(&second[found]);
            appendBoth(merged, entry, &other);
            used[found] = true;
        }
        at = entry.end;
    }
    for (const std::uint32_t* at = second.data(); at < second.data() + second.size();) {
        const Entry entry = entryAt(at);
        if (!used[static_cast<std::size_t>(at - second.data())]) appendBoth(merged, entry, nullptr);
        at = entry.end;
    }
    return merged;
}

}  // namespace

Delta composePair(Delta first, const Delta& second) {
    const bool hasStructure = first.hasStructure() || second.hasStructure();
    if (!hasStructure && mergeAlike(first.words, second.words)) {
        if (first.states.empty() && second.states.empty()) return first;
    } else {
        // The composer puts words of what arrived or was bound with the first into its images; all others are
        // merged here.
        std::unordered_set<std::uint32_t> arrived;
        std::unordered_set<std::uint64_t> rebound;
        auto keyOf = [](std::uint32_t index, ComponentTypeId type) {
            return std::uint64_t{index} << 16 | type;
        };
        for (const Step& step : first.arrivals)
            if (step.crosses) arrived.insert(step.id.index);
        for (const Rebinding& rebinding : first.rebindings)
            rebound.insert(keyOf(rebinding.id.index, rebinding.type));
        Delta special;
        Words plain;
        if (arrived.empty() && rebound.empty()) {
            plain = second.words;
        } else {
            plain.reserve(second.words.size());
            for (const std::uint32_t* at = second.words.data();
                 at < second.words.data() + second.words.size();) {
                const Entry entry = entryAt(at);
                const bool isRenewed = arrived.contains(entry.index) ||
                                       rebound.contains(keyOf(entry.index, typeOf(entry.head)));
                Words& into = isRenewed ? special.words : plain;
                into.insert(into.end(), at, entry.end);
                at = entry.end;
            }
        }
        Words merged = mergeWords(first.words, plain);
        first.words.clear();
        special.departures = second.departures;
        special.arrivals = second.arrivals;
        special.rebindings = second.rebindings;
        special.toggles = second.toggles;
        special.outsides = second.outsides;
        special.states = second.states;
        DeltaComposer composer;
        composer.add(first);
        composer.add(special);
        Delta whole = composer.finish();
        merged.insert(merged.end(), whole.words.begin(), whole.words.end());
        whole.words = std::move(merged);
        return whole;
    }
    std::vector<StateChange> states = std::exchange(first.states, {});
    Delta apart;
    apart.states = std::move(states);
    Delta later;
    later.states = second.states;
    DeltaComposer composer;
    composer.add(apart);
    composer.add(later);
    first.states = composer.finish().states;
    return first;
}

}  // namespace revenant
