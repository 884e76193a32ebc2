// Damages a history file where it hurts: behind the checksums, and behind the compression, so that
// what is damaged is what the parser believes. And looks at what comes of it.
#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "rewind/delta_bytes.hpp"
#include "rewind/history_file.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "world/world.hpp"

namespace revenant {

using Bytes = std::vector<std::byte>;

struct Section {
    SectionKind kind = SectionKind::Components;
    Bytes bytes;
};

// REQUIRES: a file that was written, or whose sections are at least where they say.
inline std::vector<Section> sectionsOf(std::span<const std::byte> file) {
    ByteReader in(file, "a file");
    in.block(sizeof historyMagic + 20);
    std::vector<Section> sections;
    while (!in.rest().empty()) {
        Section& section = sections.emplace_back();
        section.kind = static_cast<SectionKind>(in.plain<std::uint8_t>());
        const auto size = in.plain<std::uint64_t>();
        in.plain<std::uint64_t>();
        const auto bytes = in.block(size);
        section.bytes.assign(bytes.begin(), bytes.end());
    }
    return sections;
}

inline Bytes join(const std::vector<Section>& sections) {
    ByteWriter body;
    for (const Section& section : sections) {
        body.plain(section.kind);
        body.plain(std::uint64_t{section.bytes.size()});
        body.plain(sectionChecksum(section.kind, section.bytes));
        body.block(section.bytes);
    }
    ByteWriter out;
    out.block(std::as_bytes(std::span(historyMagic)));
    out.plain(historyFormat);
    const std::uint64_t size = out.size() + 16 + body.size();
    out.plain(size);
    out.plain(headChecksum(historyFormat, size));
    out.block(body.bytes());
    return out.take();
}

// Calls mutate(bytes) for one part of the file, unpacked. `which`: any number. Throws an Error where
// the file is no longer one that can be taken apart.
template <class Mutate>
Bytes mutated(std::span<const std::byte> file, std::uint32_t which, Mutate mutate) {
    std::vector<Section> sections = sectionsOf(file);
    if (sections.empty()) return {file.begin(), file.end()};
    Section& section = sections[which % sections.size()];
    const std::uint32_t layer = which / static_cast<std::uint32_t>(sections.size()) % 4;
    auto repack = [&](std::span<const std::byte> packed) {
        const RawBytes inflated = inflate(packed, "a section");
        Bytes raw(inflated.begin(), inflated.end());
        mutate(raw);
        return deflate(raw, 1);
    };
    ByteReader in(section.bytes, "a section");
    ByteWriter out;
    if (layer == 0) {
        mutate(section.bytes);
    } else if (section.kind == SectionKind::Moment) {
        const std::size_t names = in.count();
        out.number(names);
        for (std::size_t i = 0; i < names; ++i) out.text(in.text());
        out.block(repack(in.rest()));
        section.bytes = out.take();
    } else if (section.kind == SectionKind::Stretch) {
        out.signedNumber(in.signedNumber());
        const std::size_t hashes = in.count();
        out.number(hashes);
        out.block(in.block(hashes * 8));
        const auto frames = in.sized();
        if (layer == 1) {
            out.sized(frames);
            out.block(repack(in.rest()));
        } else {
            out.sized(repack(frames));
            out.block(in.rest());
        }
        section.bytes = out.take();
    } else {
        section.bytes = repack(section.bytes);
    }
    return join(sections);
}

// A few small wounds.
inline void wound(Bytes& bytes, std::mt19937& random) {
    constexpr std::byte telling[] = {std::byte{0},    std::byte{1},    std::byte{0x7F},
                                     std::byte{0x80}, std::byte{0xFF}, std::byte{2}};
    for (unsigned count = 1 + static_cast<unsigned>(random() % 3); count > 0; --count) {
        if (bytes.empty()) bytes.push_back(std::byte{0});
        const auto at = static_cast<std::ptrdiff_t>(random() % bytes.size());
        const auto place = bytes.begin() + at;
        const auto rest = static_cast<std::size_t>(bytes.end() - place);
        const auto length = static_cast<std::ptrdiff_t>(random() % std::min<std::size_t>(rest, 9));
        switch (random() % 6) {
            case 0: *place ^= static_cast<std::byte>(1U << (random() % 8)); break;
            case 1: *place = telling[random() % std::size(telling)]; break;
            case 2: *place = static_cast<std::byte>(static_cast<unsigned>(*place) + 1); break;
            case 3: bytes.erase(place, place + length); break;
            case 4: {
                const Bytes copy(place, place + length);
                const auto to = static_cast<std::ptrdiff_t>(random() % bytes.size());
                bytes.insert(bytes.begin() + to, copy.begin(), copy.end());
                break;
            }
            default: {
                const auto to = static_cast<std::ptrdiff_t>(
                    random() % (bytes.size() - static_cast<std::size_t>(length)));
                std::copy_n(Bytes(place, place + length).begin(), length, bytes.begin() + to);
                break;
            }
        }
    }
}

// What one can do with a file, whatever it is: an Error, or a history that can be looked through.
// Answers whether it was one.
inline bool probe(std::span<const std::byte> bytes) {
    // Those that claim a world of millions are right to ask for the memory, but not here.
    constexpr std::size_t mostSlots = 1 << 16;
    try {
        HistoryFile file = parseHistory(bytes, {.checksums = false});
        World world;
        if (file.snapshot.generations.size() > mostSlots) return true;
        auto rewind = std::make_shared<TimeRewindSys>(world);
        world.registerSystem(rewind);
        const std::int64_t oldest = file.oldest();
        const std::int64_t newest = file.newest();
        rewind->openHistory(std::move(file));
        for (const std::int64_t frame : {oldest, newest, (oldest + newest) / 2, oldest})
            rewind->seek(frame);
        rewind->stop();
        world.update(1.0 / 64);
        return true;
    } catch (const Error&) {
        return false;
    }
}

}  // namespace revenant
