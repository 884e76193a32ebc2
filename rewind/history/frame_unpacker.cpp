// Over 300 lines: one class, which reads a block in the order in which it is written.
#include "rewind/history/frame_unpacker.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "rewind/codec/block_reader.hpp"
#include "rewind/history/delta_bytes.hpp"
#include "world/codec/zstd.hpp"
#include "world/core/random.hpp"

namespace revenant {

namespace {

constexpr const char* what = "a block of frames";
constexpr std::size_t mostWords = std::size_t{1} << 26;   // in a frame; made up, if it has more
constexpr std::size_t mostValues = std::size_t{1} << 28;  // in a block: 1 GiB

// A word's differences, from frame `first` on, frame by frame.
struct Column {
    std::size_t word;
    std::uint32_t first;
    std::uint32_t count;
    std::uint32_t before;  // the word before `first`
    const std::uint32_t* differences;

    std::uint32_t differenceIn(std::uint32_t frame) const noexcept {
        return frame - first < count ? differences[frame - first] : 0;
    }
};

struct Component {
    std::uint32_t index = 0;
    ComponentTypeId type = 0;
    std::size_t words = 0;
    std::vector<Column> columns{};     // ascending by word
    std::uint32_t begin = UINT32_MAX;  // the frames in which it changes lie in between
    std::uint32_t end = 0;
};

std::array<std::uint64_t, 4> readRandom(ByteReader& in) {
    std::array<std::uint64_t, 4> state{};
    for (std::uint64_t& word : state) word = in.plain<std::uint64_t>();
    return state;
}

// `most`: how many components may have streams.
std::vector<Component> readComponents(ByteReader& in, std::uint32_t format, std::size_t most) {
    std::vector<Component> components;
    std::size_t total = 0;
    std::int64_t next = 0;
    for (std::size_t runs = in.count(); runs > 0; --runs) {
        // Before format 6 each stood for itself.
        std::int64_t index = 0;
        if (format < runsFormat)
            index = static_cast<std::int64_t>(in.number());
        else if (const std::int64_t skipped = in.signedNumber();
                 skipped >= -next && skipped <= std::int64_t{UINT32_MAX})
            index = next + skipped;
        else
            index = -1;
        const std::uint64_t type = in.number();
        const std::uint64_t words = in.number();
        const std::uint64_t length = format < runsFormat ? 1 : in.number();
        if (index < 0 || index > UINT32_MAX || type >= globalsType || words > UINT16_MAX ||
            length > static_cast<std::uint64_t>(std::int64_t{UINT32_MAX} + 1 - index))
            in.damaged("a component is invalid");
        if (format >= runsFormat && length > most - components.size())
            in.damaged("a component has no streams");
        total += words * length;
        if (total > mostWords) in.damaged("its components are too large");
        next = index + static_cast<std::int64_t>(length);
        for (std::int64_t each = index; each < next; ++each)
            components.push_back({.index = static_cast<std::uint32_t>(each),
                                  .type = static_cast<ComponentTypeId>(type),
                                  .words = words});
    }
    return components;
}

// Gives each stream to its component; those of the globals to `globals`. Values become differences.
void distribute(BlockWords& words, std::vector<Component>& components, Component& globals,
                const ByteReader& in) {
    std::uint32_t* values = words.values.data();
    for (const WordStream& stream : words.streams) {
        const auto type = static_cast<ComponentTypeId>(stream.key >> 48);
        const std::size_t word = stream.key >> 32 & 0xFFFF;
        const std::size_t number = stream.key & UINT32_MAX;
        Component* owner = &globals;
        if (type != globalsType) {
            if (number >= components.size() || components[number].type != type)
                in.damaged("a stream belongs to no component");
            owner = &components[number];
        }
        if (word >= owner->words || (!owner->columns.empty() && owner->columns.back().word >= word))
            in.damaged("a stream has no word, or another has it");
        for (std::uint32_t i = stream.count; i-- > 1;) values[i] ^= values[i - 1];
        if (stream.count > 0) values[0] ^= stream.before;
        owner->columns.push_back({word, stream.first, stream.count, stream.before, values});
        owner->begin = std::min(owner->begin, stream.first);
        owner->end = std::max(owner->end, stream.first + stream.count);
        values += stream.count;
    }
}

void unpackBase(const Component& component, std::vector<Frame>& frames) {
    if (component.begin >= frames.size()) return;
    Words& bases = frames[component.begin].bases;
    bases.push_back(component.index);
    bases.push_back(headOf(component.type, component.words));
    const std::size_t base = bases.size();
    bases.resize(base + component.words, 0);
    for (const Column& column : component.columns) bases[base + column.word] = column.before;
}

// The words of a frame that is being written.
struct Row {
    std::uint32_t* begin = nullptr;
    std::uint32_t* end = nullptr;
    WordGroup group{};
};

// Adds what of a component differs in a frame; `masks` and `words` have room for it.
void addDifferences(const Component& component, std::uint32_t frame, Row& row, Words& masks,
                    Words& words) noexcept {
    const std::size_t maskCount = component.columns.back().word / maskBits + 1;
    std::fill_n(masks.begin(), maskCount, 0);
    std::size_t count = 0;
    for (const Column& column : component.columns) {
        const std::uint32_t difference = column.differenceIn(frame);
        const std::uint32_t differs = difference != 0 ? 1 : 0;
        words[count] = difference;
        count += differs;
        masks[column.word / maskBits] |= differs << (column.word % maskBits);
    }
    if (count == 0) return;
    std::uint32_t* const out = row.group.add(row.begin, row.end, component.index, component.type,
                                             std::span(masks).first(maskCount));
    row.end = std::copy_n(words.begin(), count, out);
}

// Writes the differences of components into the frames.
// Measured: component by component fetches all frames again for each component; frame by frame, all columns
// for each frame. So some frames are written side by side: as many as a cache line has words.
void unpackComponents(std::span<const Component> components, std::vector<Frame>& frames,
                      const ByteReader& in) {
    constexpr std::size_t manyWords = std::size_t{1} << 20;
    constexpr std::uint32_t framesAtOnce = 16;
    std::size_t most = 0;
    std::size_t mostMasks = 0;
    std::size_t mostColumns = 0;
    for (const Component& component : components) {
        if (component.columns.empty()) continue;
        const std::size_t masks = component.columns.back().word / maskBits + 1;
        most += WordGroup::mostHead(masks) + component.columns.size();
        mostMasks = std::max(mostMasks, masks);
        mostColumns = std::max(mostColumns, component.columns.size());
    }
    if (most > mostWords) in.damaged("its components are too large");
    const std::uint32_t atOnce = most > manyWords ? 1 : framesAtOnce;
    Words room(most * atOnce);
    Words masks(mostMasks);
    Words words(mostColumns + 1);  // the last is written before it is found to be none
    std::array<Row, framesAtOnce> rows{};
    const auto count = static_cast<std::uint32_t>(frames.size());
    for (std::uint32_t first = 0; first < count; first += atOnce) {
        const std::uint32_t last = std::min(first + atOnce, count);
        for (std::uint32_t i = 0; i < atOnce; ++i) {
            std::uint32_t* const begin = room.data() + i * most;
            rows[i] = {.begin = begin, .end = begin};
        }
        for (const Component& component : components)
            for (std::uint32_t frame = std::max(first, component.begin);
                 frame < std::min(last, component.end); ++frame)
                addDifferences(component, frame, rows[frame - first], masks, words);
        for (std::uint32_t frame = first; frame < last; ++frame)
            frames[frame].delta.words.assign(rows[frame - first].begin, rows[frame - first].end);
    }
}

void setGlobalWords(Frame& frame, std::span<const std::uint32_t, globalWordCount> words) noexcept {
    auto wide = [](std::uint32_t low, std::uint32_t high) {
        return std::uint64_t{high} << 32 | low;
    };
    frame.clock = words[0];
    frame.globals.lastSerial = words[1];
    frame.globals.seconds = std::bit_cast<double>(wide(words[2], words[3]));
    frame.globals.mainCharacter = {words[4], words[5]};
    frame.globals.mainCamera = {words[6], words[7]};
    frame.globals.draws = wide(words[8], words[9]);
    frame.globals.ticks = wide(words[10], words[11]);
}

void unpackGlobals(const Component& globals, std::span<std::uint32_t, globalWordCount> now,
                   std::vector<Frame>& frames) {
    for (std::uint32_t i = 0; i < frames.size(); ++i) {
        for (const Column& column : globals.columns) now[column.word] ^= column.differenceIn(i);
        setGlobalWords(frames[i], now);
    }
}

void readGaps(ByteReader& in, std::vector<Frame>& frames) {
    constexpr std::uint64_t mostMissing = 1 << 24;
    std::uint64_t next = 0;
    std::int64_t missing = 0;
    auto shift = [&](std::uint64_t end) {
        for (; next < end; ++next) frames[next].number += missing;
    };
    for (std::size_t gaps = in.count(); gaps > 0; --gaps) {
        const std::uint64_t frame = in.number();
        const std::uint64_t more = in.number();
        if (frame < next || frame >= frames.size() || more > mostMissing)
            in.damaged("a gap belongs to no frame");
        shift(frame);
        missing += static_cast<std::int64_t>(more);
        shift(frame + 1);
        Frame& after = frames[frame];
        after.crossings.resize(in.count());
        for (Crossing& crossing : after.crossings) {
            const std::uint64_t age = in.number();
            if (age > (frame == 0 ? mostMissing : more))
                in.damaged("a crossing belongs to another frame");
            crossing.frame = after.number - static_cast<std::int64_t>(age);
            crossing.id = readId(in);
            crossing.parent = readId(in);
            const auto kind = in.plain<std::uint8_t>();
            if (kind > static_cast<std::uint8_t>(Crossing::Kind::Request))
                in.damaged("a crossing is of no kind");
            crossing.kind = static_cast<Crossing::Kind>(kind);
        }
    }
    shift(frames.size());
}

}  // namespace

std::array<std::uint32_t, globalWordCount> globalWords(const Frame& frame) noexcept {
    const WorldGlobals& globals = frame.globals;
    const auto seconds = std::bit_cast<std::uint64_t>(globals.seconds);
    auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
    auto high = [](std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); };
    return {frame.clock,
            globals.lastSerial,
            low(seconds),
            high(seconds),
            globals.mainCharacter.index,
            globals.mainCharacter.generation,
            globals.mainCamera.index,
            globals.mainCamera.generation,
            low(globals.draws),
            high(globals.draws),
            low(globals.ticks),
            high(globals.ticks)};
}

std::array<std::uint64_t, 4> afterDraws(const std::array<std::uint64_t, 4>& state,
                                        std::uint64_t draws) noexcept {
    Random random;
    random.setState(state, 0);
    for (; draws > 0; --draws) random.next();
    return random.state();
}

std::vector<Frame> unpackFrames(std::span<const std::byte> block, std::uint32_t format) {
    ByteReader outer(block, what);
    const RawBytes rest = inflate(outer.sized(), what);
    // Before format 4 there was one slice.
    std::vector<BlockWords> slices(format < 4 ? 1 : outer.count());
    std::size_t values = 0;
    std::size_t streams = 0;
    for (BlockWords& slice : slices) {
        slice = unpackBlock(format < 4 ? outer.rest() : outer.sized(), format);
        values += slice.values.size();
        streams += slice.streams.size();
        if (values > mostValues) outer.damaged("it holds too much");
    }
    if (format >= 4) outer.expectEnd();
    ByteReader in(rest, what);
    const std::uint64_t count = in.number();
    // A frame may have no bytes at all, but only a few frames may.
    constexpr std::uint64_t mostFrames = 1 << 16;
    auto isOther = [count](const BlockWords& slice) { return slice.frames != count; };
    if (count == 0 || count > mostFrames || std::ranges::any_of(slices, isOther))
        in.damaged("its frames are too few or too many");
    std::vector<Frame> frames(count);
    const std::int64_t first = in.signedNumber();
    if (first < 0 || first > INT64_MAX - static_cast<std::int64_t>(mostFrames))
        in.damaged("the number of its first frame is out of range");
    for (std::size_t i = 0; i < count; ++i) frames[i].number = first + static_cast<std::int64_t>(i);
    std::array<std::uint32_t, globalWordCount> now{};
    // Before format 3 the last word, the upper half of the ticks, was not there.
    const std::size_t globalCount = format < 3 ? globalWordCount - 1 : globalWordCount;
    for (std::uint32_t& word : std::span(now).first(globalCount)) word = in.plain<std::uint32_t>();
    frames[0].globals.random = readRandom(in);
    std::vector<std::pair<std::size_t, std::array<std::uint64_t, 4>>> jumps(in.count());
    for (auto& [frame, state] : jumps) {
        frame = in.number();
        state = readRandom(in);
    }
    std::vector<Component> components = readComponents(in, format, streams);
    Component globals;
    globals.words = globalCount;
    for (BlockWords& slice : slices) distribute(slice, components, globals, in);
    unpackGlobals(globals, now, frames);
    auto jump = jumps.begin();
    for (std::size_t i = 1; i < count; ++i) {
        const std::uint64_t draws = frames[i].globals.draws - frames[i - 1].globals.draws;
        if (jump != jumps.end() && jump->first == i)
            frames[i].globals.random = (jump++)->second;
        else if (draws <= mostDraws)
            frames[i].globals.random = afterDraws(frames[i - 1].globals.random, draws);
        else
            in.damaged("a random state is missing");
    }
    if (jump != jumps.end()) in.damaged("a random state belongs to no frame");
    unpackComponents(components, frames, in);
    for (const Component& component : components) unpackBase(component, frames);
    for (Frame& frame : frames) frame.bases.shrink_to_fit();
    std::uint64_t next = 0;
    for (std::size_t structures = in.count(); structures > 0; --structures) {
        const std::uint64_t frame = in.number();
        if (frame < next || frame >= count) in.damaged("a structure belongs to no frame");
        next = frame + 1;
        readStructure(in, frames[frame].delta, format);
    }
    if (format >= 4) readGaps(in, frames);
    in.expectEnd();
    return frames;
}

}  // namespace revenant
