#include <algorithm>
#include <unordered_set>

#include "rewind/file/history_file.hpp"
#include "rewind/history/delta_bytes.hpp"
#include "world/codec/zstd.hpp"
#include "world/storage/component_store.hpp"

namespace revenant {

namespace {

// A file that claims more than this is forged.
constexpr std::uint32_t latestClock = INT32_MAX;
constexpr std::size_t mostSlots = std::size_t{1} << 24;

const char* nameOf(SectionKind kind) noexcept {
    static constexpr const char* names[] = {
        "the part with the components",  "the part with the strings",
        "the part with the entities",    "the part with the current frame",
        "the part with the checkpoints", "a block of frames",
        "the part with the classes"};
    return names[static_cast<std::size_t>(kind)];
}

// Cuts the bytes into sections, which it hands out in the order in which they must come.
class Sections {
public:
    Sections(std::span<const std::byte> bytes, const ParseOptions& options)
        : in_(bytes, "it"), options_(options) {
        const FileHead head = readFileHead(in_, historyKind);
        format_ = head.format;
        if (options.checksums && head.checksum != headChecksum(head.format, head.size))
            in_.damaged("the checksum of its beginning is wrong");
        if (head.size != bytes.size())
            fail(ErrorCode::BadArgument, "it is cut off or was added to: it has ", bytes.size(),
                 " bytes, but should have ", head.size);
    }

    std::uint32_t format() const noexcept { return format_; }
    bool atEnd() const noexcept { return in_.rest().empty(); }
    bool has(SectionKind kind) const noexcept {
        return !atEnd() && in_.rest().front() == static_cast<std::byte>(kind);
    }
    std::span<const std::byte> take(SectionKind kind) {
        if (in_.plain<std::uint8_t>() != static_cast<std::uint8_t>(kind))
            fail(ErrorCode::BadArgument, "it is damaged: ", nameOf(kind), " is not there");
        const auto size = in_.plain<std::uint64_t>();
        const auto checksum = in_.plain<std::uint64_t>();
        const auto bytes = in_.block(size);
        if (options_.checksums && checksum != sectionChecksum(kind, bytes))
            fail(ErrorCode::BadArgument, nameOf(kind), " is damaged: its checksum is wrong");
        return bytes;
    }

private:
    ByteReader in_;
    ParseOptions options_;
    std::uint32_t format_ = 0;
};

// The alignment in C++, where an entity is two words of four bytes.
std::uint32_t alignmentOf(FieldType type) noexcept {
    return type == FieldType::Entity ? alignof(EntityId) : sizeOf(type);
}

Field readSchemaField(ByteReader& in) {
    Field field;
    field.name = in.text();
    field.type = in.enumerator(FieldType::String);
    field.offset = in.number32(maxComponentBytes);
    field.count = in.number32(maxComponentBytes);
    field.isArray = in.flag();
    field.blend = in.enumerator(Blend::Angle);
    if (field.count > 1 && !field.isArray)
        in.damaged("a field has several elements, but is no array");
    if (field.offset % alignmentOf(field.type) != 0) in.damaged("a field is not aligned");
    return field;
}

void readComponents(std::span<const std::byte> section, HistoryFile& file) {
    const char* what = nameOf(SectionKind::Components);
    const RawBytes bytes = inflate(section, what);
    ByteReader in(bytes, what);
    std::unordered_set<std::string> names;
    std::size_t count = in.count();
    if (count > INT16_MAX) in.damaged("there are too many components");
    for (; count > 0; --count) {
        ComponentSchema& schema = file.components.emplace_back();
        schema.name = in.text();
        schema.size = in.number32(maxComponentBytes);
        schema.alignment = in.number32(ComponentStore::parkedAlignment);
        if (!names.insert(schema.name).second) in.damaged("two components have one name");
        if (schema.size == 0 || !std::has_single_bit(schema.alignment))
            in.damaged("a component has no size or no alignment");
        if (schema.size % schema.alignment != 0)
            in.damaged("a component's size does not go with its alignment");
        for (std::size_t fields = in.count(); fields > 0; --fields) {
            schema.fields.push_back(readSchemaField(in));
            if (alignmentOf(schema.fields.back().type) > schema.alignment)
                in.damaged("a component is aligned less than its fields");
        }
        const auto defaults = in.sized();
        schema.defaults.assign(defaults.begin(), defaults.end());
        if (defaults.size() != schema.size) in.damaged("a component's defaults have another size");
        checkSchema(schema);
    }
    in.expectEnd();
}

void readStrings(std::span<const std::byte> section, HistoryFile& file) {
    const char* what = nameOf(SectionKind::Strings);
    const RawBytes bytes = inflate(section, what);
    ByteReader in(bytes, what);
    std::unordered_set<std::string> seen;
    for (std::size_t count = in.count(); count > 0; --count) {
        file.strings.push_back(in.text());
        if (!file.strings.back().empty() && !seen.insert(file.strings.back()).second)
            in.damaged("a string is there twice");
    }
    in.expectEnd();
    if (file.strings.empty() || !file.strings.front().empty())
        in.damaged("the empty string is not the first");
}

void readEntities(std::span<const std::byte> section, HistoryFile& file) {
    const char* what = nameOf(SectionKind::Entities);
    const RawBytes bytes = inflate(section, what);
    ByteReader in(bytes, what);
    Snapshot& snapshot = file.snapshot;
    snapshot.clock = in.number32(latestClock);
    const std::size_t slots = in.count();
    if (slots > mostSlots) in.damaged("the world is too large");
    snapshot.generations.resize(slots);
    for (std::uint32_t& generation : snapshot.generations) generation = in.number32();
    auto slotId = [&](std::uint64_t index) -> EntityId {
        if (index >= snapshot.generations.size()) in.damaged("an entity has no slot");
        return {static_cast<std::uint32_t>(index), snapshot.generations[index]};
    };
    snapshot.strangers.resize(in.count());
    for (Snapshot::Stranger& stranger : snapshot.strangers) {
        stranger.id = readId(in);
        stranger.serial = in.number32();
    }
    snapshot.entities.resize(in.count());
    for (Snapshot::Known& known : snapshot.entities) {
        known.id = slotId(in.number());
        if (const std::uint64_t hangsOn = in.number()) known.parent = slotId(hangsOn - 1);
        known.name.value = in.number32();
        if (known.name.value >= file.strings.size() ||
            (known.name.value != 0 && file.strings[known.name.value].empty()))
            in.damaged("an entity has no name");
        known.serial = in.number32();
        known.bornAt = in.number32();
        known.where = in.enumerator(Snapshot::Whereabouts::Unborn);
        known.rewindable = in.flag();
    }
    in.expectEnd();
}

void readMoment(std::span<const std::byte> section, HistoryFile& file) {
    ByteReader in(section, nameOf(SectionKind::Moment));
    std::unordered_set<std::string> seen;
    for (std::size_t count = in.count(); count > 0; --count) {
        const std::string& name = file.snapshot.stateNames.emplace_back(in.text());
        if (name.size() < 2 || (name[0] != 'r' && name[0] != 's'))
            in.damaged("a state has no name");
        if (!seen.insert(name).second) in.damaged("two states have one name");
    }
    file.snapshot.whole = unpackDelta(in.rest(), file.format);
}

void readFrames(std::span<const std::byte> section, HistoryFile& file) {
    const char* what = nameOf(SectionKind::Frames);
    const RawBytes bytes = inflate(section, what);
    ByteReader in(bytes, what);
    file.shown = in.signedNumber();
    for (std::size_t count = in.count(); count > 0; --count) {
        std::string name = in.text();
        if (name.empty()) in.damaged("a checkpoint has no name");
        if (!file.checkpoints.emplace(std::move(name), in.signedNumber()).second)
            in.damaged("two checkpoints have one name");
    }
    in.expectEnd();
}

void readMakes(std::span<const std::byte> section, HistoryFile& file) {
    const char* what = nameOf(SectionKind::Makes);
    const RawBytes bytes = inflate(section, what);
    ByteReader in(bytes, what);
    for (std::size_t types = in.count(); types > 0; --types) {
        const std::uint64_t type = in.number();
        if (type >= file.components.size()) in.damaged("it names a component that is not there");
        auto& makes = file.makes[static_cast<ComponentTypeId>(type)];
        if (!makes.empty()) in.damaged("a component is there twice");
        makes.resize(in.count());
        if (makes.empty()) in.damaged("a component has no classes");
        std::uint64_t least = 0;
        for (ComponentMake& each : makes) {
            each.number = in.number32();
            each.make = in.text();
            if (each.number < least) in.damaged("its numbers do not ascend");
            if (each.make.empty()) in.damaged("a class has no name");
            least = std::uint64_t{each.number} + 1;
        }
    }
    in.expectEnd();
}

// The offsets of kept frames from the first; none: all frames are kept.
std::vector<std::uint32_t> readOffsets(ByteReader& in, std::size_t frames) {
    std::vector<std::uint32_t> offsets(in.count());
    if (!offsets.empty() && offsets.size() != frames) in.damaged("frames have no number");
    std::uint64_t least = 0;
    for (std::uint32_t& offset : offsets) {
        const std::uint64_t number = in.number();
        if (number < least || number > UINT32_MAX || (least == 0 && number != 0))
            in.damaged("the numbers of its frames do not ascend");
        offset = static_cast<std::uint32_t>(number);
        least = number + 1;
    }
    return offsets;
}

void readBlock(std::span<const std::byte> section, HistoryFile& file) {
    ByteReader in(section, nameOf(SectionKind::Block));
    PackedBlock block;
    block.first = in.signedNumber();
    constexpr std::int64_t mostFrames = std::int64_t{1} << 48;
    if (block.first < 0 || block.first > mostFrames)
        in.damaged("the number of its first frame is out of range");
    block.hashes.resize(in.count());
    for (std::uint64_t& hash : block.hashes) hash = in.plain<std::uint64_t>();
    if (block.hashes.empty()) in.damaged("it has no frames");
    if (file.format >= 4) block.offsets = readOffsets(in, block.hashes.size());
    block.bytes.assign(in.rest().begin(), in.rest().end());
    const std::int64_t missing = file.blocks.empty() ? 0 : block.first - file.newest() - 1;
    if (missing < 0 || (missing > 0 && file.format < 4))
        in.damaged("it does not follow the one before");
    file.blocks.push_back(std::move(block));
}

}  // namespace

HistoryFile parseHistory(std::span<const std::byte> bytes, const ParseOptions& options) {
    HistoryFile file;
    Sections sections(bytes, options);
    file.format = sections.format();
    readComponents(sections.take(SectionKind::Components), file);
    readStrings(sections.take(SectionKind::Strings), file);
    readEntities(sections.take(SectionKind::Entities), file);
    readMoment(sections.take(SectionKind::Moment), file);
    readFrames(sections.take(SectionKind::Frames), file);
    if (sections.has(SectionKind::Makes)) readMakes(sections.take(SectionKind::Makes), file);
    do readBlock(sections.take(SectionKind::Block), file);
    while (!sections.atEnd());
    auto isKept = [&](std::int64_t frame) {
        return frame >= file.oldest() && frame <= file.newest();
    };
    if (!isKept(file.shown) || !std::ranges::all_of(file.checkpoints, isKept,
                                                    [](const auto& each) { return each.second; }))
        fail(ErrorCode::BadArgument, nameOf(SectionKind::Frames),
             " is damaged: it names a frame that is not there");
    checkFrames(file, options);
    return file;
}

}  // namespace revenant
