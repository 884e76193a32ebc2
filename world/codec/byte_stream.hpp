// ByteWriter and ByteReader: numbers and blocks as bytes, for what histories and saves write down.
// Little-endian; `number` is LEB128. A reader may be given bytes that were damaged or
// made up: it throws Error{BadArgument} rather than go beyond their end.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "world/error.hpp"

namespace revenant {

static_assert(std::endian::native == std::endian::little, "histories and saves are little-endian");

class ByteWriter {
public:
    void number(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7)
            bytes_.push_back(static_cast<std::byte>((value & 0x7F) | 0x80));
        bytes_.push_back(static_cast<std::byte>(value));
    }
    // A difference that is small on either side of zero.
    void signedNumber(std::int64_t value) {
        number(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
    }
    template <class T>
        requires std::is_trivially_copyable_v<T>
    void plain(const T& value) { block(std::as_bytes(std::span(&value, 1))); }
    void block(std::span<const std::byte> bytes) {
        // Not `insert`: g++ 12 warns of overflows that are none where it inlines that.
        const std::span<std::byte> into = room(bytes.size());
        if (!bytes.empty()) std::memcpy(into.data(), bytes.data(), bytes.size());
    }
    // So many bytes more, to be written at once.
    std::span<std::byte> room(std::size_t count) {
        const std::size_t at = bytes_.size();
        bytes_.resize(at + count);
        return std::span(bytes_).subspan(at);
    }
    void sized(std::span<const std::byte> bytes) {
        number(bytes.size());
        block(bytes);
    }
    void text(std::string_view text) { sized(std::as_bytes(std::span(text))); }

    std::size_t size() const noexcept { return bytes_.size(); }
    const std::vector<std::byte>& bytes() const noexcept { return bytes_; }
    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
};

class ByteReader {
public:
    // `what`: of what the bytes are, for sentences.
    ByteReader(std::span<const std::byte> bytes, const char* what) noexcept
        : rest_(bytes), what_(what) {}

    std::uint64_t number() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            const auto byte = static_cast<std::uint64_t>(block(1)[0]);
            if (shift == 63 && byte > 1) break;
            value |= (byte & 0x7F) << shift;
            if ((byte & 0x80) == 0) return value;
        }
        damaged("a number is too long");
    }
    std::int64_t signedNumber() {
        const std::uint64_t value = number();
        return static_cast<std::int64_t>(value >> 1 ^ (0 - (value & 1)));
    }
    std::uint32_t number32(std::uint32_t most = UINT32_MAX) {
        const std::uint64_t value = number();
        if (value > most) damaged("a number is too large");
        return static_cast<std::uint32_t>(value);
    }
    // An enumerator from 0 to `last`, in one byte.
    template <class Enum>
    Enum enumerator(Enum last) {
        const auto value = plain<std::uint8_t>();
        if (value > static_cast<std::uint8_t>(last)) damaged("a kind is not known");
        return static_cast<Enum>(value);
    }
    // A number of things of which each takes so many bytes at least.
    std::size_t count(std::size_t leastBytes = 1) {
        const std::uint64_t value = number();
        if (value > rest_.size() / leastBytes) damaged("there are more things than bytes");
        return static_cast<std::size_t>(value);
    }
    template <class T>
        requires std::is_trivially_copyable_v<T> T plain() {
            T value;
            std::memcpy(&value, block(sizeof value).data(), sizeof value);
            return value;
        }
    bool flag() {
        const auto byte = static_cast<std::uint8_t>(block(1)[0]);
        if (byte > 1) damaged("a yes or no is neither");
        return byte == 1;
    }
    std::span<const std::byte> block(std::size_t size) {
        if (size > rest_.size()) damaged("it ends too early");
        const auto bytes = rest_.first(size);
        rest_ = rest_.subspan(size);
        return bytes;
    }
    std::span<const std::byte> sized() { return block(count()); }
    std::string text() {
        const auto bytes = sized();
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    std::span<const std::byte> rest() const noexcept { return rest_; }
    void expectEnd() const {
        if (!rest_.empty()) damaged("it goes on beyond its end");
    }
    [[noreturn]] void damaged(std::string_view why) const {
        fail(ErrorCode::BadArgument, what_, " is damaged: ", why);
    }

private:
    std::span<const std::byte> rest_;
    const char* what_;
};

}  // namespace revenant
