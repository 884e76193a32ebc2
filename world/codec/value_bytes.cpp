#include "world/codec/value_bytes.hpp"

#include "world/codec/byte_stream.hpp"

namespace revenant {

namespace {

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

Value read(ByteReader& in, int depth, std::size_t& left) {
    if (depth > deepestValue) in.damaged("it is nested too deeply");
    if (left-- == 0) in.damaged("there are too many values");
    switch (in.plain<std::uint8_t>()) {
        case 0: return {};
        case 1: return in.flag();
        case 2: return in.plain<std::int64_t>();
        case 3: return in.plain<double>();
        case 4: return in.text();
        case 5: return EntityId::fromBits(in.plain<std::uint64_t>());
        case 6: {
            // One by one: arrays in arrays could all claim to be as long as the bytes.
            ValueArray values;
            for (std::size_t count = in.count(); count > 0; --count)
                values.push_back(read(in, depth + 1, left));
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
    std::size_t any = SIZE_MAX;
    return readValue(bytes, any);
}

Value readValue(std::span<const std::byte> bytes, std::size_t& left) {
    ByteReader reader(bytes, "a value");
    Value value = read(reader, 0, left);
    reader.expectEnd();
    return value;
}

}  // namespace revenant
