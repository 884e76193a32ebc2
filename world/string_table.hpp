// StringTable: strings as small numbers. Entity names and string fields are kept as StringIds,
// so that a component with a string in it is still plain bytes.
// A string once interned stays for the life of the table. One table per world; the ids of two
// worlds mean different strings (hashes and files go by contents).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace revenant {

// The zero id is the empty string, so that zeroed bytes read as "".
struct StringId {
    std::uint32_t value = 0;

    friend constexpr bool operator==(StringId, StringId) noexcept = default;
};

class StringTable {
public:
    StringTable();
    StringTable(const StringTable&) = delete;
    StringTable& operator=(const StringTable&) = delete;

    StringId intern(std::string_view text);
    // An id that was never handed out reads as "".
    const std::string& text(StringId id) const noexcept {
        return id.value < texts_.size() ? texts_[id.value] : texts_[0];
    }
    std::size_t count() const noexcept { return texts_.size(); }

private:
    StringId internSlowly(std::string_view text);
    static std::size_t recentSlot(std::string_view text) noexcept;

    std::deque<std::string> texts_;  // a deque: the keys below point into it
    std::unordered_map<std::string_view, std::uint32_t> ids_;
    // Spawn loops intern the same few names again and again: a hit here skips the hash.
    std::array<std::uint32_t, 64> recent_{};
};

}  // namespace revenant
