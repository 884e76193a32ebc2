#include <algorithm>
#include <unordered_set>

#include "rewind/delta_bytes.hpp"
#include "rewind/history_file.hpp"

namespace revenant {

namespace {

constexpr std::uint32_t latestClock = INT32_MAX;  // further ones are made up

const char* nameOf(SectionKind kind) noexcept {
    static constexpr const char* names[] = {
        "the part with the components",  "the part with the strings",
        "the part with the entities",    "the part with the frame on show",
        "the part with the checkpoints", "a stretch of frames"};
    return names[static_cast<std::size_t>(kind)];
}

std::uint32_t number32(ByteReader& in, std::uint32_t most = UINT32_MAX) {
    const std::uint64_t value = in.number();
    if (value > most) in.damaged("a number is too large");
    return static_cast<std::uint32_t>(value);
}

template <class Enum>
Enum enumerator(ByteReader& in, Enum last) {
    const auto value = in.plain<std::uint8_t>();
    if (value > static_cast<std::uint8_t>(last)) in.damaged("a kind is not known");
    return static_cast<Enum>(value);
}

// Cuts the bytes into sections, which it hands out in the order in which they must come.
class Sections {
public:
    Sections(std::span<const std::byte> bytes, const ParseOptions& options)
        : in_(bytes, "it"), options_(options) {
        constexpr std::size_t headBytes = sizeof historyMagic + 20;
        const auto magic = std::as_bytes(std::span(historyMagic));
        if (!std::ranges::equal(bytes.first(std::min(bytes.size(), magic.size())),
                                magic.first(std::min(bytes.size(), magic.size()))))
            fail(ErrorCode::BadArgument, "it is no history file, or one that something else wrote");
        if (bytes.size() < headBytes)
            fail(ErrorCode::BadArgument, "it is cut off: it has only ", bytes.size(), " bytes");
        in_.block(magic.size());
        const auto format = in_.plain<std::uint32_t>();
        const auto size = in_.plain<std::uint64_t>();
        const auto checksum = in_.plain<std::uint64_t>();
        if (format != historyFormat)
            fail(ErrorCode::BadArgument, "it has format ", format, ", but this version reads ",
                 historyFormat, " alone");
        if (options.checksums && checksum != headChecksum(format, size))
            in_.damaged("the checksum of its beginning is wrong");
        if (size != bytes.size())
            fail(ErrorCode::BadArgument, "it is cut off or was added to: it has ", bytes.size(),
                 " bytes, but should have ", size);
    }

    bool atEnd() const noexcept { return in_.rest().empty(); }
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
};

Field readSchemaField(ByteReader& in) {
    Field field;
    field.name = in.text();
    field.type = enumerator(in, FieldType::String);
    field.offset = number32(in, maxComponentBytes);
    field.count = number32(in, maxComponentBytes);
    field.isArray = in.flag();
    field.blend = enumerator(in, Blend::Angle);
    if (field.count > 1 && !field.isArray) in.damaged("a field is many, but no array");
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
        schema.size = number32(in, maxComponentBytes);
        schema.alignment = number32(in, ComponentStore::parkedAlignment);
        if (!names.insert(schema.name).second) in.damaged("two components have one name");
        if (schema.size == 0 || !std::has_single_bit(schema.alignment))
            in.damaged("a component has no size or no alignment");
        for (std::size_t fields = in.count(); fields > 0; --fields)
            schema.fields.push_back(readSchemaField(in));
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
        if (!seen.insert(file.strings.back()).second) in.damaged("a string is there twice");
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
    snapshot.clock = number32(in, latestClock);
    snapshot.generations.resize(in.count());
    for (std::uint32_t& generation : snapshot.generations) generation = number32(in);
    auto slotId = [&](std::uint64_t index) -> EntityId {
        if (index >= snapshot.generations.size()) in.damaged("an entity has no slot");
        return {static_cast<std::uint32_t>(index), snapshot.generations[index]};
    };
    snapshot.strangers.resize(in.count());
    for (Snapshot::Stranger& stranger : snapshot.strangers) {
        stranger.id = readId(in);
        stranger.serial = number32(in);
    }
    snapshot.entities.resize(in.count());
    for (Snapshot::Known& known : snapshot.entities) {
        known.id = slotId(in.number());
        if (const std::uint64_t hangsOn = in.number()) known.parent = slotId(hangsOn - 1);
        known.name.value = number32(in);
        if (known.name.value >= file.strings.size()) in.damaged("an entity has no name");
        known.serial = number32(in);
        known.bornAt = number32(in);
        known.where = enumerator(in, Snapshot::Whereabouts::Unborn);
        known.rewindable = in.flag();
    }
    in.expectEnd();
}

void readMoment(std::span<const std::byte> section, HistoryFile& file) {
    ByteReader in(section, nameOf(SectionKind::Moment));
    for (std::size_t count = in.count(); count > 0; --count)
        file.snapshot.stateNames.push_back(in.text());
    file.snapshot.whole = unpackDelta(in.rest());
}

void readFrames(std::span<const std::byte> section, HistoryFile& file) {
    const char* what = nameOf(SectionKind::Frames);
    const RawBytes bytes = inflate(section, what);
    ByteReader in(bytes, what);
    file.shown = in.signedNumber();
    for (std::size_t count = in.count(); count > 0; --count) {
        std::string name = in.text();
        if (name.empty()) in.damaged("a checkpoint has no name");
        file.checkpoints.insert_or_assign(std::move(name), in.signedNumber());
    }
    in.expectEnd();
}

void readStretch(std::span<const std::byte> section, HistoryFile& file) {
    ByteReader in(section, nameOf(SectionKind::Stretch));
    PackedStretch stretch;
    stretch.first = in.signedNumber();
    stretch.hashes.resize(in.count());
    for (std::uint64_t& hash : stretch.hashes) hash = in.plain<std::uint64_t>();
    stretch.block.assign(in.rest().begin(), in.rest().end());
    if (stretch.hashes.empty()) in.damaged("it has no frames");
    if (!file.stretches.empty() && stretch.first - 1 != file.newest())
        in.damaged("it does not follow the one before");
    file.stretches.push_back(std::move(stretch));
}

}  // namespace

HistoryFile parseHistory(std::span<const std::byte> bytes, const ParseOptions& options) {
    HistoryFile file;
    Sections sections(bytes, options);
    readComponents(sections.take(SectionKind::Components), file);
    readStrings(sections.take(SectionKind::Strings), file);
    readEntities(sections.take(SectionKind::Entities), file);
    readMoment(sections.take(SectionKind::Moment), file);
    readFrames(sections.take(SectionKind::Frames), file);
    do readStretch(sections.take(SectionKind::Stretch), file);
    while (!sections.atEnd());
    auto isKept = [&](std::int64_t frame) {
        return frame >= file.oldest() && frame <= file.newest();
    };
    if (!isKept(file.shown) || !std::ranges::all_of(file.checkpoints, isKept,
                                                    [](const auto& each) { return each.second; }))
        fail(ErrorCode::BadArgument, nameOf(SectionKind::Frames),
             " is damaged: it names a frame that is not there");
    checkFrames(file);
    return file;
}

}  // namespace revenant
