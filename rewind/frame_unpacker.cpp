#include "rewind/frame_unpacker.hpp"

#include <algorithm>
#include <bit>

#include "rewind/delta_bytes.hpp"
#include "rewind/stretch_reader.hpp"
#include "world/random.hpp"

namespace revenant {

namespace {

constexpr const char* what = "a block of frames";

struct Column {
    std::size_t word;
    const WordStream* stream;
    const std::uint32_t* values;

    // How the word differs in a frame from the one before.
    std::uint32_t differenceIn(std::uint32_t frame) const noexcept {
        if (frame < stream->first || frame - stream->first >= stream->count) return 0;
        const std::uint32_t i = frame - stream->first;
        return values[i] ^ (i == 0 ? stream->before : values[i - 1]);
    }
};

struct Component {
    std::uint32_t index = 0;
    ComponentTypeId type = 0;
    std::size_t words = 0;
    std::vector<Column> columns;  // ascending by word
};

std::array<std::uint64_t, 4> readRandom(ByteReader& in) {
    std::array<std::uint64_t, 4> state{};
    for (std::uint64_t& word : state) word = in.plain<std::uint64_t>();
    return state;
}

std::vector<Component> readComponents(ByteReader& in) {
    std::vector<Component> components(in.count());
    for (Component& component : components) {
        const std::uint64_t index = in.number();
        const std::uint64_t type = in.number();
        const std::uint64_t words = in.number();
        if (index > UINT32_MAX || type >= globalsType || words > UINT16_MAX)
            in.damaged("a component is none");
        component.index = static_cast<std::uint32_t>(index);
        component.type = static_cast<ComponentTypeId>(type);
        component.words = words;
    }
    return components;
}

// Gives each stream to its component; those of the globals to `globals`.
void distribute(const StretchWords& words, std::vector<Component>& components, Component& globals,
                const ByteReader& in) {
    const std::uint32_t* values = words.values.data();
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
        if (word >= owner->words) in.damaged("a stream has no word");
        owner->columns.push_back({word, &stream, values});
        values += stream.count;
    }
}

// Writes the differences of one component into the frames in which there are some.
void unpackComponent(const Component& component, std::vector<Frame>& frames) {
    if (component.columns.empty()) return;
    std::uint32_t begin = UINT32_MAX;
    std::uint32_t end = 0;
    for (const Column& column : component.columns) {
        begin = std::min(begin, column.stream->first);
        end = std::max(end, column.stream->first + column.stream->count);
    }
    Words base(component.words, 0);
    for (const Column& column : component.columns) base[column.word] = column.stream->before;
    if (begin < frames.size()) {
        Words& bases = frames[begin].bases;
        bases.push_back(component.index);
        bases.push_back(headOf(component.type, base.size()));
        bases.insert(bases.end(), base.begin(), base.end());
    }
    const std::size_t masks = (component.columns.back().word + maskBits) / maskBits;
    for (std::uint32_t frame = begin; frame < end; ++frame) {
        Words& words = frames[frame].delta.words;
        const std::size_t head = words.size();
        for (const Column& column : component.columns) {
            const std::uint32_t difference = column.differenceIn(frame);
            if (difference == 0) continue;
            if (words.size() == head) {
                words.resize(head + 2 + masks, 0);
                words[head] = component.index;
                words[head + 1] = headOf(component.type, masks);
            }
            words[head + 2 + column.word / maskBits] |= 1U << (column.word % maskBits);
            words.push_back(difference);
        }
    }
}

void unpackGlobals(const Component& globals, std::span<std::uint32_t, globalWordCount> now,
                   std::vector<Frame>& frames) {
    for (std::uint32_t i = 0; i < frames.size(); ++i) {
        for (const Column& column : globals.columns) now[column.word] ^= column.differenceIn(i);
        setGlobalWords(frames[i], now);
    }
}

}  // namespace

std::array<std::uint32_t, globalWordCount> globalWords(const Frame& frame) noexcept {
    const World::Globals& globals = frame.globals;
    const auto seconds = std::bit_cast<std::uint64_t>(globals.seconds);
    auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
    auto high = [](std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); };
    return {frame.tick,
            globals.lastSerial,
            low(seconds),
            high(seconds),
            globals.mainCharacter.index,
            globals.mainCharacter.generation,
            globals.mainCamera.index,
            globals.mainCamera.generation,
            low(globals.draws),
            high(globals.draws)};
}

void setGlobalWords(Frame& frame, std::span<const std::uint32_t, globalWordCount> words) noexcept {
    auto wide = [](std::uint32_t low, std::uint32_t high) {
        return std::uint64_t{high} << 32 | low;
    };
    frame.tick = words[0];
    frame.globals.lastSerial = words[1];
    frame.globals.seconds = std::bit_cast<double>(wide(words[2], words[3]));
    frame.globals.mainCharacter = {words[4], words[5]};
    frame.globals.mainCamera = {words[6], words[7]};
    frame.globals.draws = wide(words[8], words[9]);
}

std::array<std::uint64_t, 4> afterDraws(const std::array<std::uint64_t, 4>& state,
                                        std::uint64_t draws) noexcept {
    Random random;
    random.setState(state, 0);
    for (; draws > 0; --draws) random.next();
    return random.state();
}

std::vector<Frame> unpackFrames(std::span<const std::byte> block) {
    ByteReader outer(block, what);
    const std::vector<std::byte> rest = inflate(outer.sized(), what);
    const StretchWords words = unpackStretch(outer.rest());
    ByteReader in(rest, what);
    const std::uint64_t count = in.number();
    // A frame may be of no bytes at all, but not many of them.
    constexpr std::uint64_t mostFrames = 1 << 16;
    if (count == 0 || count > mostFrames || words.frames != count)
        in.damaged("its frames are too few or too many");
    std::vector<Frame> frames(count);
    const std::int64_t first = in.signedNumber();
    if (first < 0 || first > INT64_MAX - static_cast<std::int64_t>(mostFrames))
        in.damaged("its first frame is none");
    for (std::size_t i = 0; i < count; ++i) frames[i].number = first + static_cast<std::int64_t>(i);
    std::array<std::uint32_t, globalWordCount> now{};
    for (std::uint32_t& word : now) word = in.plain<std::uint32_t>();
    frames[0].globals.random = readRandom(in);
    std::vector<std::pair<std::size_t, std::array<std::uint64_t, 4>>> jumps(in.count());
    for (auto& [frame, state] : jumps) {
        frame = in.number();
        state = readRandom(in);
    }
    std::vector<Component> components = readComponents(in);
    Component globals;
    globals.words = globalWordCount;
    distribute(words, components, globals, in);
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
    // What a frame will hold, about: growing by doubling costs more than the unpacking.
    for (Frame& frame : frames)
        frame.delta.words.reserve(words.values.size() / count + 3 * components.size());
    for (const Component& component : components) unpackComponent(component, frames);
    for (Frame& frame : frames) {
        frame.delta.words.shrink_to_fit();
        frame.bases.shrink_to_fit();
    }
    for (std::size_t structures = in.count(); structures > 0; --structures) {
        const std::uint64_t frame = in.number();
        if (frame >= count) in.damaged("a structure is beyond the last frame");
        readStructure(in, frames[frame].delta);
    }
    in.expectEnd();
    return frames;
}

}  // namespace revenant
