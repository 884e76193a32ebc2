#include "rewind/history/delta_bytes.hpp"

#include "world/codec/zstd.hpp"

namespace revenant {

namespace {

constexpr std::uint8_t crossesFlag = 1;
constexpr std::uint8_t wasZombieFlag = 2;
constexpr std::uint8_t rescopedFlag = 4;
constexpr std::uint8_t detachedFlag = 8;
constexpr std::uint8_t aloneFlag = 16;      // it has no parent since it left
constexpr std::uint8_t elsewhereFlag = 32;  // it has another parent since it left

void writeFlag(ByteWriter& out, bool flag) {
    out.plain(static_cast<std::uint8_t>(flag ? 1 : 0));
}

void writeMakeup(ByteWriter& out, bool enabled, std::uint64_t disabled,
                 std::span<const std::uint32_t> image) {
    writeFlag(out, enabled);
    out.number(disabled);
    writeWords(out, image);
}

void writeSteps(ByteWriter& out, const Delta& delta, bool leave) {
    const std::vector<Step>& steps = leave ? delta.departures : delta.arrivals;
    out.number(steps.size());
    for (const Step& step : steps) {
        writeId(out, step.id);
        writeId(out, step.parent);
        writeId(out, step.previous);
        unsigned flags = 0;
        if (step.crosses) flags |= crossesFlag;
        if (step.wasZombie) flags |= wasZombieFlag;
        if (step.rescoped) flags |= rescopedFlag;
        if (step.detached) flags |= detachedFlag;
        const bool hangsElsewhere = leave && step.crosses && step.outer != step.parent;
        if (hangsElsewhere) flags |= step.outer.isNull() ? aloneFlag : elsewhereFlag;
        out.plain(static_cast<std::uint8_t>(flags));
        if (!step.crosses) continue;
        if ((flags & elsewhereFlag) != 0) writeId(out, step.outer);
        writeMakeup(out, step.enabled, step.disabled, delta.imageAt(step.image));
    }
}

// Whether the heads of an image lead from its beginning to its end.
bool isImage(std::span<const std::uint32_t> image) noexcept {
    std::size_t at = 0;
    while (at < image.size()) at += 1 + wordsOf(image[at]);
    return at == image.size();
}

ImagePart readPart(ByteReader& in, Delta& delta) {
    const std::size_t begin = delta.images.size();
    const std::size_t words = in.count();
    const auto bytes = in.block(words * sizeof(std::uint32_t));
    if (begin + words > UINT32_MAX) in.damaged("its images are too large");
    delta.images.resize(begin + words);
    if (words > 0) std::memcpy(&delta.images[begin], bytes.data(), bytes.size());
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(words)};
}

Makeup readMakeup(ByteReader& in) {
    Makeup makeup;
    makeup.enabled = in.flag();
    makeup.disabled = in.number();
    makeup.image = readWords(in);
    if (!isImage(makeup.image)) in.damaged("the image of an entity is invalid");
    return makeup;
}

// One side: 0 nothing, 1 a makeup, 2 that of a detached one, 3 that of a zombie, with their parents.
void writeOutside(ByteWriter& out, const std::optional<Makeup>& makeup, const Outer& outer) {
    out.plain(static_cast<std::uint8_t>(makeup ? 1U + static_cast<unsigned>(outer.state) : 0U));
    if (!makeup) return;
    writeMakeup(out, makeup->enabled, makeup->disabled, makeup->image);
    if (outer.state == Outer::State::Unsaid) return;
    writeId(out, outer.parent);
    writeId(out, outer.previous);
}

void readOutside(ByteReader& in, std::optional<Makeup>& makeup, Outer& outer) {
    const auto kind = in.plain<std::uint8_t>();
    if (kind > 3) in.damaged("what is outside the world is of no known kind");
    if (kind == 0) return;
    makeup = readMakeup(in);
    outer.state = static_cast<Outer::State>(kind - 1);
    if (outer.state == Outer::State::Unsaid) return;
    outer.parent = readId(in);
    outer.previous = readId(in);
}

void readSteps(ByteReader& in, Delta& delta, std::uint32_t format, bool leave) {
    std::vector<Step>& steps = leave ? delta.departures : delta.arrivals;
    steps.resize(in.count());
    for (Step& step : steps) {
        step.id = readId(in);
        step.parent = readId(in);
        step.previous = readId(in);
        const auto flags = in.plain<std::uint8_t>();
        step.crosses = (flags & crossesFlag) != 0;
        step.wasZombie = (flags & wasZombieFlag) != 0;
        step.rescoped = (flags & rescopedFlag) != 0;
        step.detached = (flags & detachedFlag) != 0;
        unsigned known = crossesFlag | wasZombieFlag | rescopedFlag;
        if (format >= requestsFormat && leave) known |= detachedFlag | aloneFlag | elsewhereFlag;
        if ((flags & ~known) != 0) in.damaged("a step has unknown flags");
        if (!step.crosses) continue;
        if (leave && (flags & aloneFlag) == 0) step.outer = step.parent;
        if ((flags & elsewhereFlag) != 0) step.outer = readId(in);
        step.enabled = in.flag();
        step.disabled = in.number();
        step.image = readPart(in, delta);
        if (!isImage(delta.imageAt(step.image))) in.damaged("the image of an entity is invalid");
    }
}

enum class StateKind : std::uint8_t { None, In, Out };

void writeState(ByteWriter& out, const State& state) {
    using enum StateKind;
    out.plain(state.isIn() ? In : state ? Out : None);
    if (state) out.sized(*state);
}

State readState(ByteReader& in, std::uint32_t format) {
    const auto kind = in.plain<StateKind>();
    if (kind > (format < outStatesFormat ? StateKind::In : StateKind::Out))
        in.damaged("a state is of no known kind");
    if (kind == StateKind::None) return {};
    return {StateBytes(in.sized()), kind == StateKind::Out};
}

}  // namespace

void writeWords(ByteWriter& out, std::span<const std::uint32_t> words) {
    out.number(words.size());
    out.block(std::as_bytes(words));
}

Words readWords(ByteReader& in) {
    Words words(in.count());
    const auto bytes = in.block(words.size() * sizeof(std::uint32_t));
    if (!words.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
    return words;
}

void writeId(ByteWriter& out, EntityId id) {
    out.number(id.index);
    out.number(id.generation);
}

EntityId readId(ByteReader& in) {
    const std::uint64_t index = in.number();
    const std::uint64_t generation = in.number();
    if (index > UINT32_MAX || generation > UINT32_MAX) in.damaged("an entity's id is too large");
    // There is one way to say "none": maps of ids would not find it otherwise.
    if (generation == 0 && index != 0) in.damaged("an entity's id has no generation");
    return {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(generation)};
}

void writeStructure(ByteWriter& out, const Delta& delta) {
    writeSteps(out, delta, true);
    writeSteps(out, delta, false);
    out.number(delta.rebindings.size());
    for (const Rebinding& rebinding : delta.rebindings) {
        writeId(out, rebinding.id);
        out.number(rebinding.type);
        writeFlag(out, rebinding.had);
        writeFlag(out, rebinding.has);
        writeWords(out, delta.imageAt(rebinding.before));
        writeWords(out, delta.imageAt(rebinding.after));
    }
    out.number(delta.toggles.size());
    for (const Toggle& toggle : delta.toggles) {
        writeId(out, toggle.id);
        writeFlag(out, toggle.enabledBefore);
        writeFlag(out, toggle.enabledAfter);
        out.number(toggle.disabledBefore);
        out.number(toggle.disabledAfter);
    }
    out.number(delta.outsides.size());
    for (const Outside& outside : delta.outsides) {
        writeId(out, outside.id);
        writeOutside(out, outside.before, outside.outerBefore);
        writeOutside(out, outside.after, outside.outerAfter);
    }
    out.number(delta.states.size());
    for (const StateChange& change : delta.states) {
        writeId(out, change.key.id);
        out.number(change.key.what);
        writeState(out, change.before);
        writeState(out, change.after);
    }
}

void readStructure(ByteReader& in, Delta& delta, std::uint32_t format) {
    readSteps(in, delta, format, true);
    readSteps(in, delta, format, false);
    delta.rebindings.resize(in.count());
    for (Rebinding& rebinding : delta.rebindings) {
        rebinding.id = readId(in);
        const std::uint64_t type = in.number();
        if (type > UINT16_MAX) in.damaged("a component type is too large");
        rebinding.type = static_cast<ComponentTypeId>(type);
        rebinding.had = in.flag();
        rebinding.has = in.flag();
        rebinding.before = readPart(in, delta);
        rebinding.after = readPart(in, delta);
    }
    delta.toggles.resize(in.count());
    for (Toggle& toggle : delta.toggles) {
        toggle.id = readId(in);
        toggle.enabledBefore = in.flag();
        toggle.enabledAfter = in.flag();
        toggle.disabledBefore = in.number();
        toggle.disabledAfter = in.number();
    }
    delta.outsides.resize(in.count());
    for (Outside& outside : delta.outsides) {
        outside.id = readId(in);
        readOutside(in, outside.before, outside.outerBefore);
        readOutside(in, outside.after, outside.outerAfter);
    }
    delta.states.resize(in.count());
    for (StateChange& change : delta.states) {
        change.key.id = readId(in);
        const std::uint64_t what = in.number();
        if (what > UINT32_MAX) in.damaged("a state's number is too large");
        change.key.what = static_cast<std::uint32_t>(what);
        change.before = readState(in, format);
        change.after = readState(in, format);
    }
}

std::vector<std::byte> packDelta(const Delta& delta, int zstdLevel) {
    ByteWriter out;
    writeWords(out, delta.words);
    writeStructure(out, delta);
    return deflate(out.bytes(), zstdLevel);
}

Delta unpackDelta(std::span<const std::byte> packed, std::uint32_t format) {
    constexpr const char* what = "a delta of the history";
    const RawBytes raw = inflate(packed, what);
    ByteReader in(raw, what);
    Delta delta;
    delta.words = readWords(in);
    if (!areGroups(delta.words)) in.damaged("its differences are invalid");
    readStructure(in, delta, format);
    in.expectEnd();
    return delta;
}

}  // namespace revenant
