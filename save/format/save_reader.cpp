#include <algorithm>
#include <unordered_set>

#include "save/format/save_bytes.hpp"
#include "save/image/entity_references.hpp"
#include "world/codec/byte_stream.hpp"
#include "world/codec/value_bytes.hpp"
#include "world/codec/zstd.hpp"
#include "world/storage/entity_record.hpp"

namespace revenant {

namespace {

constexpr const char* what = "the save";

// The fewest bytes that each part takes, so that no memory is allocated for counts that cannot be true.
constexpr std::size_t leastFieldBytes = 4;
constexpr std::size_t leastMakeupBytes = 2;
constexpr std::size_t leastEntityBytes = 5;
constexpr std::size_t leastSystemBytes = 10;

void readComponents(ByteReader& in, SaveImage& image) {
    const std::size_t components = in.count();
    if (components > INT16_MAX) in.damaged("there are too many components");
    image.components.resize(components);
    for (SavedComponent& component : image.components) {
        component.name = in.text();
        component.version = in.number32();
        component.stateKind = in.enumerator(StateKind::Plain);
        const std::size_t fields = in.count(leastFieldBytes);
        if (fields > maxComponentBytes) in.damaged("a component has too many fields");
        component.fields.resize(fields);
        std::size_t bytes = 0;
        for (SavedField& field : component.fields) {
            field.name = in.text();
            field.type = in.enumerator(FieldType::String);
            field.count = in.number32();
            field.isArray = in.flag();
            if (field.count > maxComponentBytes) in.damaged("an array is too long");
            bytes += field.bytes();
            if (bytes > maxComponentBytes) in.damaged("a component is too large");
        }
        layOut(component);
    }
    image.makeups.resize(in.count(leastMakeupBytes + leastEntityBytes));  // each has an entity
    for (SavedMakeup& makeup : image.makeups) {
        const std::size_t count = in.count();
        if (count > maxComponentsPerEntity) in.damaged("an entity has too many components");
        makeup.components.resize(count);
        for (std::uint32_t& component : makeup.components) component = in.number32();
        makeup.disabled = in.number();
    }
}

void readEntities(ByteReader& in, SaveImage& image) {
    std::vector<SavedEntity>& entities = image.entities;
    entities.resize(in.count(leastEntityBytes));
    for (SavedEntity& each : entities) {
        const auto flags = in.plain<std::uint8_t>();
        if (flags > 3) in.damaged("an entity has flags that are not known");
        each.enabled = (flags & 1) != 0;
        each.rewindable = (flags & 2) != 0;
    }
    for (SavedEntity& each : entities) each.name = in.number32();
    for (std::size_t i = 0; i < entities.size(); ++i) {
        const std::uint64_t distance = in.number();
        if (distance > i) in.damaged("a parent does not come before its child");
        entities[i].parent = distance == 0 ? 0 : static_cast<std::uint32_t>(i + 1 - distance);
    }
    std::int64_t last = 0;
    for (SavedEntity& each : entities) {
        const std::int64_t step = in.signedNumber();
        if (step < -INT64_C(0xFFFFFFFF) || step > INT64_C(0xFFFFFFFF) || last + step < 0 ||
            last + step > UINT32_MAX)
            in.damaged("a serial is out of range");
        last += step;
        each.serial = static_cast<std::uint32_t>(last);
    }
    for (SavedEntity& each : entities) {
        each.makeup = in.number32();
        if (each.makeup >= image.makeups.size()) in.damaged("an entity has no makeup");
        for (const std::uint32_t component : image.makeups[each.makeup].components) {
            if (component >= image.components.size()) in.damaged("a component is not there");
            ++image.components[component].rowCount;
        }
    }
}

void readRows(ByteReader& in, SavedComponent& component) {
    if (component.rowCount == 0) return;
    const std::size_t bytes = std::size_t{component.rowCount} * component.rowBytes;
    const auto planes = in.block(bytes);
    component.rows.resize(bytes);
    const std::byte* from = planes.data();
    for (const SavedField& field : component.fields) {
        joinPlanes(from, component.rows.data() + field.offset, component.rowBytes, field.bytes(),
                   component.rowCount);
        from += std::size_t{field.bytes()} * component.rowCount;
    }
    if (component.stateKind == StateKind::None) return;
    if (component.rowCount > in.rest().size()) in.damaged("it ends too early");
    component.stateOfRow.reserve(component.rowCount);
    for (std::uint32_t row = 0; row < component.rowCount; ++row) {
        if (!in.flag()) {
            component.addNoState();
            continue;
        }
        SavedState& state = component.addState();
        state.make = in.text();
        const auto content = in.sized();
        state.bytes.assign(content.begin(), content.end());
    }
}

void readGlobals(ByteReader& in, SaveImage& image) {
    WorldGlobals& globals = image.globals;
    globals.seconds = in.plain<double>();
    globals.ticks = in.number();
    for (std::uint64_t& word : globals.random) word = in.plain<std::uint64_t>();
    globals.draws = in.number();
    globals.lastSerial = in.number32();
    for (EntityId* id : {&globals.mainCharacter, &globals.mainCamera})
        *id = SavedReference::unpack(in.number());
    std::size_t values = mostValues;
    for (std::size_t count = in.count(); count > 0; --count) {
        const std::string name = in.text();
        const auto value = in.sized();
        try {
            if (!image.resources.emplace(name, readValue(value, values)).second)
                in.damaged("it is there twice");
        } catch (const Error& error) {
            error.throwBehind(sentence("resource '", name, "': "));
        }
    }
    image.systems.resize(in.count(leastSystemBytes));
    for (SavedSystem& system : image.systems) {
        system.name = in.text();
        system.accumulatedSeconds = in.plain<double>();
        system.stateKind = in.enumerator(StateKind::Plain);
        if (system.stateKind == StateKind::None) continue;
        const auto state = in.sized();
        system.state.assign(state.begin(), state.end());
    }
}

std::span<const std::byte> openEnvelope(std::span<const std::byte> bytes, bool checksums) {
    ByteReader in(bytes, what);
    const FileHead head = readFileHead(in, saveKind);
    if (head.size != in.rest().size())
        fail(ErrorCode::BadArgument, "it is cut off or was added to: it has ", in.rest().size(),
             " bytes behind its head, but should have ", head.size);
    if (checksums && head.checksum != saveChecksum(head.format, in.rest()))
        in.damaged("its checksum is wrong");
    return in.rest();
}

}  // namespace

void joinPlanes(const std::byte* from, std::byte* to, std::size_t stride, std::size_t size,
                std::size_t count) noexcept {
    for (std::size_t plane = 0; plane < size; ++plane)
        for (std::size_t i = 0; i < count; ++i) to[i * stride + plane] = *from++;
}

SaveImage readSave(std::span<const std::byte> bytes, bool checksums) {
    const auto packed = openEnvelope(bytes, checksums);
    const std::uint64_t claimed = ByteReader(packed, what).number();
    if (claimed > freeBytes && claimed / mostPerByte > packed.size())
        fail(ErrorCode::BadArgument, "the save is damaged: it claims to be too large");
    const RawBytes body = inflate(packed, what);
    ByteReader in(body, what);
    SaveImage image;
    const std::size_t strings = in.count();
    if (strings > in.rest().size() / 2 + 1) in.damaged("there are more strings than bytes");
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = 0; i < strings; ++i) {
        const auto content = in.sized();
        const std::string_view text(reinterpret_cast<const char*>(content.data()), content.size());
        if (!seen.insert(text).second) in.damaged("a string is there twice");
        image.strings.emplace_back(text);
    }
    readComponents(in, image);
    readEntities(in, image);
    for (SavedComponent& component : image.components) readRows(in, component);
    readGlobals(in, image);
    in.expectEnd();
    checkImage(image);
    return image;
}

}  // namespace revenant
