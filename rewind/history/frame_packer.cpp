#include "rewind/history/frame_packer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "rewind/history/delta_bytes.hpp"
#include "rewind/history/frame_columns.hpp"
#include "rewind/history/frame_slices.hpp"
#include "rewind/history/frame_unpacker.hpp"
#include "world/codec/zstd.hpp"

namespace revenant {

namespace {

// Runs of components of one type whose entities have consecutive indices.
void writeComponents(ByteWriter& out, std::span<const FrameColumns::Owner> owners) {
    auto follows = [&](std::size_t i) {
        const FrameColumns::Owner& before = owners[i - 1];
        return owners[i].index == before.index + 1 && owners[i].type == before.type &&
               owners[i].words == before.words;
    };
    std::size_t runs = owners.empty() ? 0 : 1;
    for (std::size_t i = 1; i < owners.size(); ++i) runs += follows(i) ? 0 : 1;
    out.number(runs);
    std::int64_t next = 0;
    for (std::size_t first = 0; first < owners.size();) {
        std::size_t end = first + 1;
        while (end < owners.size() && follows(end)) ++end;
        out.signedNumber(std::int64_t{owners[first].index} - next);
        out.number(owners[first].type);
        out.number(owners[first].words);
        out.number(end - first);
        next = std::int64_t{owners[end - 1].index} + 1;
        first = end;
    }
}

void writeRandom(ByteWriter& out, const std::array<std::uint64_t, 4>& state) {
    for (const std::uint64_t word : state) out.plain(word);
}

// The random states that do not follow from the one before.
void writeJumps(ByteWriter& out, std::span<const Frame> frames) {
    std::vector<std::size_t> jumps;
    for (std::size_t i = 1; i < frames.size(); ++i) {
        const WorldGlobals& before = frames[i - 1].globals;
        const WorldGlobals& now = frames[i].globals;
        const std::uint64_t draws = now.draws - before.draws;
        if (draws > mostDraws || afterDraws(before.random, draws) != now.random) jumps.push_back(i);
    }
    out.number(jumps.size());
    for (const std::size_t jump : jumps) {
        out.number(jump);
        writeRandom(out, frames[jump].globals.random);
    }
}

// Where numbers do not follow each other, and of frames that lead over others.
void writeGaps(ByteWriter& out, std::span<const Frame> frames) {
    auto missingBefore = [&](std::size_t i) {
        return i == 0 ? std::int64_t{0} : frames[i].number - frames[i - 1].number - 1;
    };
    auto isTold = [&](std::size_t i) {
        return missingBefore(i) > 0 || !frames[i].crossings.empty();
    };
    std::size_t count = 0;
    for (std::size_t i = 0; i < frames.size(); ++i) count += isTold(i) ? 1 : 0;
    out.number(count);
    for (std::size_t i = 0; i < frames.size(); ++i) {
        if (!isTold(i)) continue;
        out.number(i);
        out.number(static_cast<std::uint64_t>(missingBefore(i)));
        out.number(frames[i].crossings.size());
        for (const Crossing& crossing : frames[i].crossings) {
            out.number(static_cast<std::uint64_t>(frames[i].number - crossing.frame));
            writeId(out, crossing.id);
            writeId(out, crossing.parent);
            out.plain(static_cast<std::uint8_t>(crossing.kind));
        }
    }
}

}  // namespace

std::vector<std::byte> packFrames(std::span<const Frame> frames, const PackOptions& options) {
    ByteWriter rest;
    rest.number(frames.size());
    rest.signedNumber(frames.front().number);
    for (const std::uint32_t word : globalWords(frames.front())) rest.plain(word);
    writeRandom(rest, frames.front().globals.random);
    writeJumps(rest, frames);
    ByteWriter structures;
    std::size_t structureCount = 0;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const Frame& frame = frames[i];
        if (!frame.delta.hasStructure() && frame.delta.states.empty()) continue;
        ++structureCount;
        structures.number(i);
        writeStructure(structures, frame.delta);
    }
    std::vector<std::vector<std::byte>> packed;
    std::vector<FrameColumns::Owner> owners;  // of the components, by number
    std::vector<std::uint32_t> entities;      // likewise
    FrameColumns columns(static_cast<std::uint32_t>(frames.size()));
    BlockWords words;
    for (const std::vector<Run>& runs : sliceFrames(frames)) {
        for (const Run& run : runs) columns.add(frames[run.frame], run);
        if (packed.empty())
            for (std::uint32_t i = 0; i < frames.size(); ++i)
                columns.addGlobals(globalWords(frames[i]), i);
        columns.finish(words, owners);
        while (entities.size() < owners.size()) entities.push_back(owners[entities.size()].index);
        packed.push_back(packBlock(words, options, entities));
    }
    writeComponents(rest, owners);
    rest.number(structureCount);
    rest.block(structures.bytes());
    writeGaps(rest, frames);
    ByteWriter block;
    block.sized(deflate(rest.bytes(), options.zstdLevel));
    block.number(packed.size());
    for (std::vector<std::byte>& slice : packed) {
        block.sized(slice);
        std::vector<std::byte>().swap(slice);
    }
    std::vector<std::byte> bytes = block.take();
    bytes.shrink_to_fit();  // room to grow into would count as what the history holds
    return bytes;
}

}  // namespace revenant
