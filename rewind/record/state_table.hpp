// StateTable: the states that a history knows by key, each with its hash, as of the last frame.
// Dense, in the order of arrival: frames ask for them in the same order again and again, and find each
// behind the one before.
//
// Owned by Recorder. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "rewind/history/delta.hpp"

namespace revenant {

class StateTable {
public:
    struct Entry {
        StateKey key;
        std::uint64_t hash = 0;
        StateBytes bytes;
        bool isOut = false;

        State state() const noexcept { return {bytes, isOut}; }
    };

    // Null where there is none. Good until the next `put` or `erase`.
    Entry* find(const StateKey& key) noexcept;
    const Entry* peek(const StateKey& key) const noexcept {
        const auto found = places_.find(key);
        return found == places_.end() ? nullptr : &entries_[found->second];
    }
    // The entry of a key, made where there is none.
    Entry& put(const StateKey& key);
    void erase(const StateKey& key) noexcept;
    void clear() noexcept;

    const std::vector<Entry>& entries() const noexcept { return entries_; }
    // Ascending by key: the order of entries depends on what came and went.
    std::vector<const Entry*> sorted() const;
    std::size_t bytes() const noexcept;  // but for those of the states

private:
    struct KeyHash {
        std::size_t operator()(const StateKey& key) const noexcept {
            const std::uint64_t id = std::uint64_t{key.id.generation} << 32 | key.id.index;
            return static_cast<std::size_t>((id * 31 + key.what) * 0x9E3779B97F4A7C15U >> 16);
        }
    };

    std::vector<Entry> entries_;
    std::unordered_map<StateKey, std::uint32_t, KeyHash> places_;
    std::size_t next_ = 0;  // the place behind the one that was found last
};

}  // namespace revenant
