#include "rewind/history/frame_packer.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

#include "rewind/history/delta_bytes.hpp"
#include "rewind/history/frame_slices.hpp"
#include "rewind/history/frame_unpacker.hpp"
#include "world/codec/zstd.hpp"

namespace revenant {

namespace {

// One word of one component, from the first frame in which it changes to the last.
struct Stream {
    std::uint32_t first = 0;
    std::uint32_t before = 0;
    std::vector<std::uint32_t> values;
};

struct Component {
    std::uint32_t index = 0;
    ComponentTypeId type = 0;
    Words now;
    std::vector<Stream> streams;  // by word
};

// Turns the differences of a slice to columns over time.
// Measured at 10 000 components that all change: with an ordered map of streams, and values that
// grew by doubling, packing took three times as long, and fell behind sixty frames a second.
class Columns {
public:
    // Components are numbered from `firstNumber` on.
    Columns(std::uint32_t frames, std::uint32_t firstNumber)
        : frames_(frames), firstNumber_(firstNumber) {}

    // REQUIRES: runs come in the order of frames, and of kinds.
    void add(const Frame& frame, const Run& run) {
        const std::uint32_t offset = run.frame;
        switch (run.kind) {
            case Run::Kind::Base:
                for (std::size_t at = run.begin; at < run.end;) {
                    const std::uint32_t head = frame.bases[at + 1];
                    addBase(frame.bases[at], typeOf(head), &frame.bases[at + 2], wordsOf(head));
                    at += 2 + wordsOf(head);
                }
                break;
            case Run::Kind::Difference: addWords(frame.delta.words, run, offset); break;
            case Run::Kind::Arrival: {
                // What comes anew is another component, with other values, under the same name.
                const Step& step = frame.delta.arrivals[run.begin];
                const Words& image = step.makeup.image;
                for (std::size_t at = 0; at < image.size(); at += 1 + wordsOf(image[at]))
                    begin(step.id.index, typeOf(image[at]), &image[at + 1], wordsOf(image[at]));
                break;
            }
            case Run::Kind::Rebound: {
                const Rebinding& rebinding = frame.delta.rebindings[run.begin];
                begin(rebinding.id.index, rebinding.type, rebinding.after.data(),
                      rebinding.after.size());
                break;
            }
        }
    }

    void addGlobals(std::span<const std::uint32_t> words, std::uint32_t offset) {
        if (globals_.now.empty()) globals_.now.assign(words.begin(), words.end());
        for (std::size_t i = 0; i < words.size(); ++i)
            if (globals_.now[i] != words[i]) set(globals_, i, words[i], offset);
    }

    // Writes the table of components that have streams, and returns the streams; `owners` gets the
    // entity of each component. Nothing is left then.
    StretchWords finish(ByteWriter& out, std::vector<std::uint32_t>& owners) {
        std::vector<Numbered> used;
        for (Component& component : components_)
            if (!component.streams.empty())
                used.push_back(
                    {&component, firstNumber_ + static_cast<std::uint32_t>(used.size())});
        for (const Numbered& each : used) {
            out.number(each.component->index);
            owners.push_back(each.component->index);
            out.number(each.component->type);
            out.number(each.component->now.size());
        }
        // The order of the keys: by type, by word, by number.
        std::ranges::stable_sort(used, {},
                                 [](const Numbered& each) { return each.component->type; });
        StretchWords words;
        words.frames = frames_;
        words.values.reserve(valueCount_);
        for (auto first = used.begin(); first != used.end();) {
            const ComponentTypeId type = first->component->type;
            auto last = std::find_if(first, used.end(), [type](const Numbered& each) {
                return each.component->type != type;
            });
            collect(type, {first, last}, words);
            first = last;
        }
        const Numbered globals{&globals_, 0};
        collect(globalsType, {&globals, 1}, words);
        components_ = {};
        current_ = {};
        return words;
    }

private:
    struct Numbered {
        Component* component;
        std::uint32_t number;
    };

    static std::uint64_t keyOf(std::uint32_t index, ComponentTypeId type) noexcept {
        return std::uint64_t{index} << 16 | type;
    }
    void addWords(const Words& words, const Run& run, std::uint32_t offset) {
        for (std::size_t at = run.begin; at < run.end;) {
            Component& component = find(words[at], typeOf(words[at + 1]));
            const std::size_t masks = wordsOf(words[at + 1]);
            const std::size_t mask = at + 2;
            at = mask + masks;
            for (std::size_t group = 0; group < masks; ++group)
                for (std::uint32_t bits = words[mask + group]; bits != 0; bits &= bits - 1, ++at) {
                    const std::size_t word =
                        group * maskBits + static_cast<std::size_t>(std::countr_zero(bits));
                    if (component.now.size() <= word) component.now.resize(word + 1, 0);
                    set(component, word, component.now[word] ^ words[at], offset);
                }
        }
    }
    Component& begin(std::uint32_t index, ComponentTypeId type, const std::uint32_t* words,
                     std::size_t count) {
        const auto [found, isNew] =
            current_.insert_or_assign(keyOf(index, type), components_.size());
        hasRenewed_ = hasRenewed_ || !isNew;
        last_ = found->second;
        return components_.emplace_back(Component{index, type, Words(words, words + count), {}});
    }
    // Frames tell of components in the same order, mostly: the next is behind the last. One that
    // was there before has no newer under its name while `hasRenewed_` is false.
    Component& find(std::uint32_t index, ComponentTypeId type) {
        if (++last_ < components_.size() && !hasRenewed_ && components_[last_].index == index &&
            components_[last_].type == type)
            return components_[last_];
        auto found = current_.find(keyOf(index, type));
        if (found == current_.end()) return begin(index, type, nullptr, 0);
        last_ = found->second;
        return components_[last_];
    }
    void addBase(std::uint32_t index, ComponentTypeId type, const std::uint32_t* words,
                 std::size_t count) {
        Component& component = find(index, type);
        component.now.resize(std::max(component.now.size(), count), 0);
        for (std::size_t i = 0; i < count; ++i)
            if (i >= component.streams.size() || component.streams[i].values.empty())
                component.now[i] = words[i];
    }
    void set(Component& component, std::size_t word, std::uint32_t value, std::uint32_t offset) {
        if (component.streams.size() <= word)
            component.streams.resize(std::max(word + 1, component.now.size()));
        Stream& stream = component.streams[word];
        if (stream.values.empty()) {
            stream.first = offset;
            stream.before = component.now[word];
        } else if (stream.values.size() == 1) {
            // What changes twice goes on to, mostly.
            stream.values.reserve(std::min<std::size_t>(frames_ - stream.first, 64));
        }
        valueCount_ += offset - stream.first + 1 - stream.values.size();
        stream.values.resize(offset - stream.first, component.now[word]);
        stream.values.push_back(value);
        component.now[word] = value;
    }
    static void collect(ComponentTypeId type, std::span<const Numbered> components,
                        StretchWords& into) {
        std::size_t words = 0;
        for (const Numbered& each : components)
            words = std::max(words, each.component->streams.size());
        for (std::size_t word = 0; word < words; ++word)
            for (const auto& [component, number] : components) {
                if (component->streams.size() <= word) continue;
                Stream& stream = component->streams[word];
                if (stream.values.empty()) continue;
                into.streams.push_back(
                    {std::uint64_t{type} << 48 | std::uint64_t{word} << 32 | number, stream.first,
                     static_cast<std::uint32_t>(stream.values.size()), stream.before});
                into.values.insert(into.values.end(), stream.values.begin(), stream.values.end());
                stream.values = {};
            }
    }

    std::uint32_t frames_;
    std::uint32_t firstNumber_;
    std::vector<Component> components_;
    std::unordered_map<std::uint64_t, std::size_t> current_;
    std::size_t last_ = 0;  // that was found
    bool hasRenewed_ = false;
    std::size_t valueCount_ = 0;
    Component globals_;
};

void writeRandom(ByteWriter& out, const std::array<std::uint64_t, 4>& state) {
    for (const std::uint64_t word : state) out.plain(word);
}

// The random states that cannot be worked out from the one before.
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
    ByteWriter components;
    std::vector<std::vector<std::byte>> packed;
    std::vector<std::uint32_t> owners;  // of the components, by number
    for (const std::vector<Run>& runs : sliceFrames(frames)) {
        Columns columns(static_cast<std::uint32_t>(frames.size()),
                        static_cast<std::uint32_t>(owners.size()));
        for (const Run& run : runs) columns.add(frames[run.frame], run);
        if (packed.empty())
            for (std::uint32_t i = 0; i < frames.size(); ++i)
                columns.addGlobals(globalWords(frames[i]), i);
        StretchWords words = columns.finish(components, owners);
        packed.push_back(packStretch(std::move(words), options, owners));
    }
    rest.number(owners.size());
    rest.block(components.bytes());
    rest.number(structureCount);
    rest.block(structures.bytes());
    writeGaps(rest, frames);
    ByteWriter block;
    block.sized(deflate(rest.bytes(), options.zstdLevel));
    block.number(packed.size());
    for (std::vector<std::byte>& slice : packed) {
        block.sized(slice);
        slice = {};
    }
    return block.take();
}

}  // namespace revenant
