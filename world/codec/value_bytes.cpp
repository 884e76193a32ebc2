#include "world/codec/value_bytes.hpp"

#include "world/codec/byte_stream.hpp"

namespace revenant {

namespace {

constexpr int deepestValue = 100;

void write(ByteWriter& out, const Value& value) {
    out.plain(static_cast<std::uint8_t>(value.index()));
    if (const auto* flag = value.as<bool>()) out.plain(*flag);
    if (const auto* whole = value.as<std::int64_t>()) out.plain(*whole);
    if (const auto* real = value.as<double>()) out.plain(*real);
    if (const auto* text = value.as<std::string>()) out.text(*text);
    if (const auto* id = value.as<EntityId>()) out.plain(id->bits());
    if (const auto* values = value.as<ValueArray>()) {
        out.number(values->size());
        for (const Value& each : *values) write(out, each);
    }
}

Value read(ByteReader& in, int depth) {
    if (depth > deepestValue) in.damaged("it is nested too deeply");
    switch (in.plain<std::uint8_t>()) {
        case 0: return {};
        case 1: return in.flag();
        case 2: return in.plain<std::int64_t>();
        case 3: return in.plain<double>();
        case 4: return in.text();
        case 5: return EntityId::fromBits(in.plain<std::uint64_t>());
        case 6: {
            ValueArray values(in.count());
            for (Value& each : values) each = read(in, depth + 1);
            return values;
        }
        default: in.damaged("a value is of no known kind");
    }
}

}  // namespace

void appendValue(std::vector<std::byte>& out, const Value& value) {
    ByteWriter writer;
    write(writer, value);
    out.insert(out.end(), writer.bytes().begin(), writer.bytes().end());
}

Value readValue(std::span<const std::byte> bytes) {
    ByteReader reader(bytes, "a value");
    Value value = read(reader, 0);
    reader.expectEnd();
    return value;
}

}  // namespace revenant
