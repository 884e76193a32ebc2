// The differences of components, as Delta::words has them: groups of components of one type in which the same words differ.
//
//     group = count head mask* (index word*)*            entities in any order
//           | first head:run count mask* (word*)*        entities with consecutive indices, from `first` on
//     head  = type | number of masks << 16               the highest bit: a run
//
// A mask has a bit for each word that differs; a word is old XOR new. Where all of a crowd changes, a group has hardly
// more than the words. Groups can be put behind each other.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "world/codec/words.hpp"
#include "world/storage/shape.hpp"

namespace revenant {

inline constexpr std::size_t maskBits = 32;
inline constexpr std::uint32_t runFlag = std::uint32_t{1} << 31;

// Inline: without hardware support assumed, std::popcount is a call.
inline std::size_t countBits(std::uint32_t bits) noexcept {
    bits -= bits >> 1 & 0x55555555U;
    bits = (bits & 0x33333333U) + (bits >> 2 & 0x33333333U);
    return (((bits + (bits >> 4)) & 0x0F0F0F0FU) * 0x01010101U) >> 24;
}

// Goes through the components one by one.
class WordCursor {
public:
    // Of a component: its group's offset, and its position in the group.
    struct Place {
        std::uint32_t group = 0;
        std::uint32_t item = 0;

        friend bool operator==(const Place&, const Place&) noexcept = default;
    };

    explicit WordCursor(const Words& words) noexcept
        : begin_(words.data()), end_(words.data() + words.size()) {
        open(begin_);
    }
    WordCursor(const Words& words, const Place& place) noexcept
        : begin_(words.data()), end_(words.data() + words.size()) {
        open(begin_ + place.group);
        if (place.item == 0) return;
        item_ = place.item;
        if (isRun_) index_ += item_;
        next_ += std::size_t{item_} * (width_ + (isRun_ ? 0 : 1));
        next_ -= width_ + (isRun_ ? 0 : 1);
        take();
    }

    bool isAtEnd() const noexcept { return group_ == end_; }
    std::uint32_t index() const noexcept { return index_; }
    ComponentTypeId type() const noexcept { return static_cast<ComponentTypeId>(group_[1]); }
    std::span<const std::uint32_t> masks() const noexcept { return {masks_, maskCount_}; }
    std::span<const std::uint32_t> words() const noexcept { return {words_, width_}; }
    std::uint32_t groupSize() const noexcept { return count_; }
    bool isInRun() const noexcept { return isRun_; }
    Place place() const noexcept { return {static_cast<std::uint32_t>(group_ - begin_), item_}; }
    void next() noexcept {
        if (++item_ == count_) {
            open(next_);
            return;
        }
        if (isRun_) ++index_;
        take();
    }
    // To the next group.
    void skipGroup() noexcept {
        open(next_ + std::size_t{count_ - 1 - item_} * (width_ + (isRun_ ? 0 : 1)));
    }

private:
    void open(const std::uint32_t* at) noexcept {
        group_ = at;
        item_ = 0;
        if (at == end_) return;
        isRun_ = (at[1] & runFlag) != 0;
        maskCount_ = (at[1] & ~runFlag) >> 16;
        count_ = isRun_ ? at[2] : at[0];
        index_ = at[0];
        masks_ = at + (isRun_ ? 3 : 2);
        width_ = 0;
        for (std::size_t i = 0; i < maskCount_; ++i) width_ += countBits(masks_[i]);
        next_ = masks_ + maskCount_;
        take();
    }
    void take() noexcept {
        if (!isRun_) index_ = *next_++;
        words_ = next_;
        next_ += width_;
    }

    const std::uint32_t* begin_;
    const std::uint32_t* end_;
    const std::uint32_t* group_ = nullptr;
    const std::uint32_t* masks_ = nullptr;
    const std::uint32_t* words_ = nullptr;
    const std::uint32_t* next_ = nullptr;  // behind the component
    std::size_t maskCount_ = 0;
    std::size_t width_ = 0;
    std::uint32_t count_ = 0;
    std::uint32_t item_ = 0;
    std::uint32_t index_ = 0;
    bool isRun_ = false;
};

// Whether the words are groups, from the first to the last.
bool areGroups(const Words& words) noexcept;

// The group that components are added to, in memory that may move.
class WordGroup {
public:
    // How much room a component takes beside its words.
    static constexpr std::size_t mostHead(std::size_t masks) noexcept { return 3 + masks; }

    // Notes a component at `end`, behind the group, or in a new one; `begin`: of all words. Returns where its own
    // words go. REQUIRES: there is room for mostHead and the words.
    std::uint32_t* add(std::uint32_t* begin, std::uint32_t* end, std::uint32_t index,
                       ComponentTypeId type, std::uint32_t mask) noexcept {
        std::uint32_t* const group = begin + at_;
        streak_ = index == last_ + 1 ? streak_ + 1 : 0;
        last_ = index;
        if (isOpen_ && type == type_ && mask == mask_) {
            if (isRun_) {
                if (streak_ > 0) {
                    ++group[2];
                    return end;
                }
            } else if (group[0] == 1 && streak_ > 0) {
                // The head of a run takes as much as that of a single component and its index.
                isRun_ = true;
                group[0] = index - 1;
                group[1] |= runFlag;
                group[2] = 2;
                group[3] = mask;
                return end;
            } else if (streak_ < fewInARow) {
                ++group[0];
                *end = index;
                return end + 1;
            }
        }
        isOpen_ = true;
        isRun_ = false;
        type_ = type;
        mask_ = mask;
        at_ = static_cast<std::size_t>(end - begin);
        streak_ = 0;
        end[0] = 1;
        end[1] = type | std::uint32_t{1} << 16;
        end[2] = mask;
        end[3] = index;
        return end + 4;
    }
    // The same with any number of masks.
    std::uint32_t* add(std::uint32_t* begin, std::uint32_t* end, std::uint32_t index,
                       ComponentTypeId type, std::span<const std::uint32_t> masks) noexcept {
        if (masks.size() == 1) return add(begin, end, index, type, masks[0]);
        isOpen_ = false;
        *end++ = 1;
        *end++ = type | static_cast<std::uint32_t>(masks.size()) << 16;
        for (const std::uint32_t mask : masks) *end++ = mask;
        *end++ = index;
        return end;
    }

private:
    static constexpr std::uint32_t fewInARow = 8;  // in a list; then a run is worth its head

    std::size_t at_ = 0;
    std::uint32_t mask_ = 0;
    std::uint32_t last_ = 0;
    std::uint32_t streak_ = 0;  // consecutive indices up to the last
    ComponentTypeId type_ = 0;
    bool isOpen_ = false;
    bool isRun_ = false;
};

// Appends components.
class WordWriter {
public:
    explicit WordWriter(Words& words) noexcept : words_(words) {}

    // Returns where as many words go as the masks have bits.
    std::uint32_t* add(std::uint32_t index, ComponentTypeId type,
                       std::span<const std::uint32_t> masks) {
        std::size_t width = 0;
        for (const std::uint32_t mask : masks) width += countBits(mask);
        const std::size_t used = words_.size();
        words_.resize(used + WordGroup::mostHead(masks.size()) + width);
        std::uint32_t* const words =
            group_.add(words_.data(), words_.data() + used, index, type, masks);
        words_.resize(static_cast<std::size_t>(words - words_.data()) + width);
        return words;
    }
    void add(const WordCursor& component);

private:
    Words& words_;
    WordGroup group_;
};

}  // namespace revenant
