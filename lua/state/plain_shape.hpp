// PlainShape: the names that the keys of some tables are, and the bytes of such a table (world/codec/plain_data.hpp)
// with room for its values: a value of the same size as the last one goes straight to its place.
//
// Owned by PlainCapture. `Inner`: what a slot keeps for tables that stand in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "world/codec/plain_data.hpp"

namespace revenant {

template <class Inner>
struct PlainShape {
    static constexpr std::size_t mostSlots = 64;
    enum class Kind : std::uint8_t { None, Flag, Number, Bytes };

    // A key, and the value that the table being written has there.
    struct Slot {
        const void* name = nullptr;  // Lua's own address of it: equal where the name is
        Kind kind = Kind::None;
        bool isIgnored = false;
        bool flag = false;
        std::uint32_t offset = 0;  // of the value in the image
        std::uint32_t size = 0;    // of the value, if its kind is Bytes
        double number = 0;
        std::vector<std::byte> key;    // encoded
        std::vector<std::byte> bytes;  // any other value, encoded
        Inner inner;
    };

    std::vector<Slot> slots;  // ascending by name
    std::vector<std::byte> image;

    // REQUIRES: names come in ascending order.
    void add(const std::string& name, const void* address, bool isIgnored) {
        Slot slot;
        slot.name = address;
        slot.isIgnored = isIgnored;
        const auto length = static_cast<std::uint32_t>(name.size());
        slot.key.resize(1 + sizeof length + name.size());
        slot.key[0] = static_cast<std::byte>(PlainTag::Text);
        std::memcpy(&slot.key[1], &length, sizeof length);
        std::memcpy(slot.key.data() + 1 + sizeof length, name.data(), name.size());
        order_[slots.size()] = static_cast<std::uint8_t>(slots.size());
        slots.push_back(std::move(slot));
    }

    // The slot of a key that `next` gave as the `place`-th; null where there is none.
    Slot* find(std::size_t place, const void* name) noexcept {
        if (place >= slots.size()) return nullptr;
        if (Slot& slot = slots[order_[place]]; slot.name == name) return &slot;
        for (std::size_t i = 0; i < slots.size(); ++i)
            if (slots[i].name == name) {
                order_[place] = static_cast<std::uint8_t>(i);
                return &slots[i];
            }
        return nullptr;
    }

    void setNumber(Slot& slot, double number) noexcept {
        slot.number = number;
        if (slot.kind != Kind::Number)
            change(slot, Kind::Number);
        else if (isLaid_)
            std::memcpy(image.data() + slot.offset + 1, &number, sizeof number);
    }
    void setFlag(Slot& slot, bool flag) noexcept {
        slot.flag = flag;
        if (slot.kind != Kind::Flag)
            change(slot, Kind::Flag);
        else if (isLaid_)
            image[slot.offset] = tagOf(flag);
    }
    // Takes the value from slot.bytes.
    void setBytes(Slot& slot) noexcept {
        if (slot.kind != Kind::Bytes || slot.size != slot.bytes.size())
            change(slot, Kind::Bytes);
        else if (isLaid_)
            std::memcpy(image.data() + slot.offset, slot.bytes.data(), slot.bytes.size());
    }
    // All values are there: makes the image whole.
    void finish() {
        if (!isLaid_) lay();
    }

private:
    static std::byte tagOf(bool flag) noexcept {
        return static_cast<std::byte>(flag ? PlainTag::True : PlainTag::False);
    }
    void change(Slot& slot, Kind kind) noexcept {
        slot.kind = kind;
        isLaid_ = false;
    }
    void lay();

    std::uint8_t order_[mostSlots] = {};  // the slots as `next` gave them last
    bool isLaid_ = false;                 // the image has a place for each value
};

template <class Inner>
void PlainShape<Inner>::lay() {
    image.assign(1, static_cast<std::byte>(PlainTag::Table));
    for (Slot& slot : slots) {
        if (slot.isIgnored) continue;
        image.insert(image.end(), slot.key.begin(), slot.key.end());
        slot.offset = static_cast<std::uint32_t>(image.size());
        if (slot.kind == Kind::Bytes) {
            image.insert(image.end(), slot.bytes.begin(), slot.bytes.end());
            slot.size = static_cast<std::uint32_t>(slot.bytes.size());
        } else if (slot.kind == Kind::Flag) {
            image.push_back(tagOf(slot.flag));
        } else {
            image.push_back(static_cast<std::byte>(PlainTag::Number));
            image.resize(image.size() + sizeof slot.number);
            std::memcpy(&image[image.size() - sizeof slot.number], &slot.number,
                        sizeof slot.number);
        }
    }
    image.push_back(static_cast<std::byte>(PlainTag::End));
    isLaid_ = true;
}

}  // namespace revenant
