// StringTable: strings as small numbers. Entity names and string fields are kept as StringIds,
// so that a component with a string in it is still plain bytes.
//
// A string is given back when nothing needs it any more, and its number is then used again:
//   - names are counted, entity by entity (useName, dropName);
//   - what `intern` was asked for stays for the life of the table: for code that keeps the id;
//   - what was interned for a field cannot be counted, as fields are written as plain bytes. From
//     time to time a sweep looks through all components for it. A string that no component names
//     may still be named by a frame of the history: it goes when the frames of that time are gone.
// A sweep comes when there are as many new strings as a quarter of all ids and an eighth of the fields
// to look through: O(1) per new string. A string goes with the second sweep after it was last needed,
// so half of the ids are free by then, and the table does not grow. Worlds that write no new strings
// to fields are never swept.
//
// One table per world; the ids of two worlds mean different strings (hashes and files go by
// contents).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "world/string_id.hpp"

namespace revenant {

class StringTable {
public:
    StringTable();
    StringTable(const StringTable&) = delete;
    StringTable& operator=(const StringTable&) = delete;

    // An id that is good for the life of the table.
    StringId intern(std::string_view text) { return keep(find(text)); }
    // An id to be written to a component's field at once: good while one has it.
    StringId internField(std::string_view text);
    // Makes an id good for the life of the table.
    StringId keep(StringId id) noexcept {
        entries_[id.value].isKept = true;
        return id;
    }
    // An id for an entity, counted. Each use of a name is followed by one drop.
    StringId useName(std::string_view text) {
        const StringId id = find(text);
        useName(id);
        return id;
    }
    void useName(StringId id) noexcept { ++entries_[id.value].names; }
    // A name that no entity has any more stays readable until giveBackNames.
    void dropName(StringId id) noexcept {
        Entry& entry = entries_[id.value];
        if (--entry.names == 0 && !entry.isKept && !entry.isField) [[unlikely]]
            setIdle(id.value);
    }
    void giveBackNames() noexcept {
        if (idle_ != 0) [[unlikely]]
            freeIdle();
    }

    // The id of a text, if the table has it.
    std::optional<StringId> lookUp(std::string_view text) const noexcept;
    // An id that means no string, or no longer, reads as "".
    const std::string& text(StringId id) const noexcept {
        return id.value < entries_.size() ? entries_[id.value].text : entries_[0].text;
    }
    std::size_t namesOf(StringId id) const noexcept { return entries_[id.value].names; }
    bool isUsed(StringId id) const noexcept { return !text(id).empty() || id.value == 0; }
    std::size_t count() const noexcept { return ids_.size(); }
    // Ids are smaller than this.
    std::uint32_t idLimit() const noexcept { return static_cast<std::uint32_t>(entries_.size()); }
    // Grows whenever ids may have been used again for other strings.
    std::uint32_t reuses() const noexcept { return reuses_; }

    // ---- of fields
    bool wantsSweep() const noexcept { return newFields_ >= enough_; }
    // A sweep: startSweep; mark for each string that a component names; endSweep. `frame`: a number
    // that grows from sweep to sweep, and `oldest` the oldest that could still be shown. Strings
    // that no frame from `oldest` on has named are freed.
    void startSweep() noexcept;
    void mark(StringId id) noexcept {
        if (id.value < entries_.size()) entries_[id.value].isMarked = true;
    }
    void endSweep(std::int64_t frame, std::int64_t oldest, std::size_t lookedAt) noexcept;
    // Drops what sweeps have found: at frames after this one; all of it.
    void forgetSweepsAfter(std::int64_t frame) noexcept;
    void forgetSweeps() noexcept { forgetSweepsAfter(INT64_MIN); }

    // For a history that comes from elsewhere: the strings by id; "" behind the first: no string.
    // Its strings are those of fields. REQUIRES: canOpen.
    void open(std::span<const std::string> texts);
    // The first id that means another string here than there, or 0.
    std::uint32_t findClash(std::span<const std::string> texts) const noexcept;

private:
    static constexpr std::int64_t needed = INT64_MAX;  // as far as is known
    static constexpr std::size_t fewest = 1024;

    struct Entry {
        std::string text;  // "": the id is free
        std::uint32_t names = 0;
        std::uint32_t next = 0;  // of the list of free ids, or of idle names
        std::int64_t unneededSince = needed;
        bool isKept : 1 = false;
        bool isField : 1 = false;
        bool isMarked : 1 = false;
        bool isIdle : 1 = false;  // it is in the list of idle names
    };

    StringId find(std::string_view text) {
        if (text.empty()) return {};
        const std::uint32_t candidate = recent_[recentSlot(text)];
        if (candidate != 0 && entries_[candidate].text == text) return {candidate};
        return findSlowly(text);
    }
    StringId findSlowly(std::string_view text);
    static std::size_t recentSlot(std::string_view text) noexcept;
    std::uint32_t takeId();
    void place(std::uint32_t id, std::string_view text);
    void free(std::uint32_t id) noexcept;
    void setIdle(std::uint32_t id) noexcept;
    void freeIdle() noexcept;

    std::deque<Entry> entries_;  // a deque: the keys below point into it
    std::unordered_map<std::string_view, std::uint32_t> ids_;
    std::uint32_t free_ = 0;     // the first of a list; 0: none
    std::uint32_t idle_ = 0;     // names that no entity has
    std::size_t newFields_ = 0;  // since the last sweep
    std::size_t enough_ = fewest;
    std::uint32_t reuses_ = 0;
    // Spawn loops intern the same few names again and again: a hit here skips the hash.
    std::array<std::uint32_t, 64> recent_{};
};

}  // namespace revenant
