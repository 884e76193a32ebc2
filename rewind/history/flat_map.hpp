// FlatMap: values found by key, in the order in which their keys first came. Nothing is allocated per value.
//
// Erasing a value leaves its place; the same key gets it again. A put may move the values.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace revenant {

template <class Key, class Value>
class FlatMap {
public:
    Value* find(const Key& key) noexcept {
        const std::size_t place = placeOf(key);
        return place == none || !entries_[place].isThere ? nullptr : &entries_[place].value;
    }
    bool contains(const Key& key) noexcept { return find(key) != nullptr; }
    // The value, which has to be there.
    Value& at(const Key& key) noexcept { return *find(key); }
    // The value and whether it is new: a default one then.
    std::pair<Value&, bool> add(const Key& key) {
        std::size_t place = placeOf(key);
        if (place == none) {
            if (2 * (entries_.size() + 1) > slots_.size()) grow();
            place = entries_.size();
            entries_.push_back({key, Value(), false});
            slots_[freeSlotOf(key)] = static_cast<std::uint32_t>(place + 1);
        }
        Entry& entry = entries_[place];
        const bool isNew = !std::exchange(entry.isThere, true);
        if (isNew) {
            entry.value = Value();
            ++size_;
        }
        return {entry.value, isNew};
    }
    Value& operator[](const Key& key) { return add(key).first; }
    void erase(const Key& key) noexcept {
        const std::size_t place = placeOf(key);
        if (place != none && std::exchange(entries_[place].isThere, false)) --size_;
    }
    std::size_t size() const noexcept { return size_; }

    // Calls visit(key, value) for each.
    template <class Visit>
    void forEach(Visit visit) {
        for (Entry& entry : entries_)
            if (entry.isThere) visit(std::as_const(entry.key), entry.value);
    }

private:
    struct Entry {
        Key key;
        Value value;
        bool isThere;
    };
    static constexpr std::size_t none = SIZE_MAX;

    std::size_t slotOf(const Key& key) const noexcept {
        // std::hash of a number is the number.
        const std::uint64_t spread = std::uint64_t{std::hash<Key>()(key)} * 0x9E3779B97F4A7C15U;
        return static_cast<std::size_t>(spread >> 32) & (slots_.size() - 1);
    }
    std::size_t placeOf(const Key& key) const noexcept {
        if (slots_.empty()) return none;
        for (std::size_t slot = slotOf(key);; slot = (slot + 1) & (slots_.size() - 1)) {
            if (slots_[slot] == 0) return none;
            if (entries_[slots_[slot] - 1].key == key) return slots_[slot] - 1;
        }
    }
    std::size_t freeSlotOf(const Key& key) const noexcept {
        std::size_t slot = slotOf(key);
        while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
        return slot;
    }
    void grow() {
        constexpr std::size_t least = 16;
        std::vector<std::uint32_t> slots(slots_.empty() ? least : 2 * slots_.size(), 0);
        entries_.reserve(slots.size() / 2);
        slots_.swap(slots);
        for (std::size_t i = 0; i < entries_.size(); ++i)
            slots_[freeSlotOf(entries_[i].key)] = static_cast<std::uint32_t>(i + 1);
    }

    std::vector<Entry> entries_;
    std::vector<std::uint32_t> slots_;  // place + 1; 0: none
    std::size_t size_ = 0;
};

}  // namespace revenant
