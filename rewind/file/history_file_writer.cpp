#include "rewind/file/history_file.hpp"
#include "rewind/history/delta_bytes.hpp"
#include "rewind/record/plain_hash.hpp"
#include "world/codec/zstd.hpp"

namespace revenant {

namespace {

constexpr int zstdLevel = 12;

std::vector<std::byte> componentsOf(const HistoryFile& file) {
    ByteWriter out;
    out.number(file.components.size());
    for (const ComponentSchema& schema : file.components) {
        out.text(schema.name);
        out.number(schema.size);
        out.number(schema.alignment);
        out.number(schema.fields.size());
        for (const Field& field : schema.fields) {
            out.text(field.name);
            out.plain(field.type);
            out.number(field.offset);
            out.number(field.count);
            out.plain(static_cast<std::uint8_t>(field.isArray ? 1 : 0));
            out.plain(field.blend);
        }
        out.sized(schema.defaults);
    }
    return deflate(out.bytes(), zstdLevel);
}

std::vector<std::byte> stringsOf(const HistoryFile& file) {
    ByteWriter out;
    out.number(file.strings.size());
    for (const std::string& text : file.strings) out.text(text);
    return deflate(out.bytes(), zstdLevel);
}

std::vector<std::byte> entitiesOf(const Snapshot& snapshot) {
    ByteWriter out;
    out.number(snapshot.clock);
    out.number(snapshot.generations.size());
    for (const std::uint32_t generation : snapshot.generations) out.number(generation);
    out.number(snapshot.strangers.size());
    for (const Snapshot::Stranger& stranger : snapshot.strangers) {
        writeId(out, stranger.id);
        out.number(stranger.serial);
    }
    out.number(snapshot.entities.size());
    for (const Snapshot::Known& known : snapshot.entities) {
        out.number(known.id.index);
        out.number(known.parent.isNull() ? 0 : std::uint64_t{known.parent.index} + 1);
        out.number(known.name.value);
        out.number(known.serial);
        out.number(known.bornAt);
        out.plain(known.where);
        out.plain(static_cast<std::uint8_t>(known.rewindable ? 1 : 0));
    }
    return deflate(out.bytes(), zstdLevel);
}

std::vector<std::byte> momentOf(const Snapshot& snapshot) {
    ByteWriter out;
    out.number(snapshot.stateNames.size());
    for (const std::string& name : snapshot.stateNames) out.text(name);
    out.block(packDelta(snapshot.whole, zstdLevel));
    return out.take();
}

std::vector<std::byte> framesOf(const HistoryFile& file) {
    ByteWriter out;
    out.signedNumber(file.shown);
    out.number(file.checkpoints.size());
    for (const auto& [name, frame] : file.checkpoints) {
        out.text(name);
        out.signedNumber(frame);
    }
    return deflate(out.bytes(), zstdLevel);
}

std::vector<std::byte> makesOf(const HistoryFile& file) {
    ByteWriter out;
    out.number(file.makes.size());
    for (const auto& [type, makes] : file.makes) {
        out.number(type);
        out.number(makes.size());
        for (const ComponentMake& each : makes) {
            out.number(each.number);
            out.text(each.make);
        }
    }
    return deflate(out.bytes(), zstdLevel);
}

std::vector<std::byte> bytesOf(const PackedBlock& block) {
    ByteWriter out;
    out.signedNumber(block.first);
    out.number(block.hashes.size());
    for (const std::uint64_t hash : block.hashes) out.plain(hash);
    out.number(block.offsets.size());
    for (const std::uint32_t offset : block.offsets) out.number(offset);
    out.block(block.bytes);
    return out.take();
}

}  // namespace

std::uint64_t sectionChecksum(SectionKind kind, std::span<const std::byte> bytes) noexcept {
    return XXH3_64bits_withSeed(bytes.data(), bytes.size(), static_cast<std::uint64_t>(kind) + 1);
}

std::uint64_t headChecksum(std::uint32_t format, std::uint64_t size) noexcept {
    return XXH3_64bits_withSeed(&size, sizeof size, format);
}

std::vector<std::byte> writeHistory(const HistoryFile& file) {
    ByteWriter sections;
    auto add = [&sections](SectionKind kind, std::span<const std::byte> bytes) {
        sections.plain(kind);
        sections.plain(std::uint64_t{bytes.size()});
        sections.plain(sectionChecksum(kind, bytes));
        sections.block(bytes);
    };
    add(SectionKind::Components, componentsOf(file));
    add(SectionKind::Strings, stringsOf(file));
    add(SectionKind::Entities, entitiesOf(file.snapshot));
    add(SectionKind::Moment, momentOf(file.snapshot));
    add(SectionKind::Frames, framesOf(file));
    if (!file.makes.empty()) add(SectionKind::Makes, makesOf(file));
    for (const PackedBlock& block : file.blocks) add(SectionKind::Block, bytesOf(block));

    ByteWriter out;
    const std::uint64_t size = fileHeadBytes + sections.size();
    writeFileHead(out, historyKind, {historyFormat, size, headChecksum(historyFormat, size)});
    out.block(sections.bytes());
    return out.take();
}

}  // namespace revenant
