// Over 300 lines: one reader per part of the file format, in the order of the format.
#include "tests/fuzz/history_tree.hpp"

#include "rewind/codec/prediction.hpp"
#include "world/codec/byte_stream.hpp"
#include "world/codec/zstd.hpp"

namespace revenant::fuzz {

namespace {

using Kind = Node::Kind;

// ---- reading: one function per rule of the grammar

Node leaf(Kind kind, const char* name, std::uint64_t value) {
    return {.kind = kind, .name = name, .value = value};
}
Node number(ByteReader& in, const char* name) {
    return leaf(Kind::Number, name, in.number());
}
Node signedNumber(ByteReader& in, const char* name) {
    return leaf(Kind::Signed, name, static_cast<std::uint64_t>(in.signedNumber()));
}
Node byte(ByteReader& in, const char* name) {
    return leaf(Kind::Byte, name, in.plain<std::uint8_t>());
}
Node u32(ByteReader& in, const char* name) {
    return leaf(Kind::U32, name, in.plain<std::uint32_t>());
}
Node u64(ByteReader& in, const char* name) {
    return leaf(Kind::U64, name, in.plain<std::uint64_t>());
}
Node sized(ByteReader& in, const char* name) {
    const auto bytes = in.sized();
    return {.kind = Kind::Sized, .name = name, .bytes = Bytes(bytes.begin(), bytes.end())};
}
template <class... Nodes>
Node tuple(const char* name, Nodes&&... nodes) {
    Node all{.kind = Kind::Tuple, .name = name};
    (all.children.push_back(std::forward<Nodes>(nodes)), ...);
    return all;
}
template <class Read>
Node list(ByteReader& in, const char* name, Read read) {
    Node all{.kind = Kind::List, .name = name};
    for (std::size_t count = in.count(); count > 0; --count) all.children.push_back(read(in));
    return all;
}
template <class Read>
Node repeated(const char* name, std::size_t count, Read read) {
    Node all{.kind = Kind::Tuple, .name = name};
    for (; count > 0; --count) all.children.push_back(read());
    return all;
}
template <class Read>
Node optional(ByteReader& in, const char* name, Read read) {
    Node node{.kind = Kind::Optional, .name = name};
    if (in.flag()) node.children.push_back(read(in));
    return node;
}
template <class Read>
Node zstd(std::span<const std::byte> packed, Kind kind, Read read) {
    const RawBytes raw = inflate(packed, "a section");
    ByteReader in(raw, "a section");
    Node node{.kind = kind, .name = "zstd"};
    node.children.push_back(read(in));
    in.expectEnd();
    return node;
}

// Arguments of a call are evaluated in any order; these are not.
#define REVENANT_TUPLE(name, ...)      \
    Node {                             \
        Kind::Tuple, name, 0, 0, {}, { \
            __VA_ARGS__                \
        }                              \
    }

Node id(ByteReader& in, const char* name) {
    return REVENANT_TUPLE(name, number(in, "index"), number(in, "generation"));
}
Node words(ByteReader& in, const char* name) {
    return list(in, name, [](ByteReader& r) { return u32(r, "word"); });
}
Node makeup(ByteReader& in) {
    return REVENANT_TUPLE("makeup", byte(in, "enabled"), number(in, "disabled"),
                          words(in, "image"));
}
Node emptyMakeup() {
    return tuple("makeup", leaf(Kind::Byte, "enabled", 1), leaf(Kind::Number, "disabled", 0),
                 Node{.kind = Kind::List, .name = "image"});
}
// Of a step: see delta_bytes.cpp.
constexpr std::uint64_t crossesFlag = 1;
constexpr std::uint64_t elsewhereFlag = 32;
Node step(ByteReader& in) {
    Node node{.kind = Kind::Step, .name = "step"};
    node.children = {id(in, "id"), id(in, "id"), id(in, "id"), byte(in, "flags")};
    const std::uint64_t flags = node.children.back().value;
    const bool crosses = (flags & crossesFlag) != 0;
    Node outer = crosses && (flags & elsewhereFlag) != 0 ? id(in, "id") : node.children[1];
    node.children.push_back(crosses ? makeup(in) : emptyMakeup());
    node.children.push_back(std::move(outer));
    return node;
}
Node rebinding(ByteReader& in) {
    return REVENANT_TUPLE("rebinding", id(in, "id"), number(in, "type"), byte(in, "had"),
                          byte(in, "had"), words(in, "words"), words(in, "words"));
}
Node toggle(ByteReader& in) {
    return REVENANT_TUPLE("toggle", id(in, "id"), byte(in, "enabled"), byte(in, "enabled"),
                          number(in, "disabled"), number(in, "disabled"));
}
// One side of an entity that is out: how much is said, its makeup, and where it hangs.
Node side(ByteReader& in) {
    Node node = REVENANT_TUPLE("side", byte(in, "said"));
    const std::uint64_t said = node.children.front().value;
    if (said > 0) node.children.push_back(makeup(in));
    if (said > 1) node.children.push_back(id(in, "id"));
    if (said > 1) node.children.push_back(id(in, "id"));
    return node;
}
Node outside(ByteReader& in) {
    return REVENANT_TUPLE("outside", id(in, "id"), side(in), side(in));
}
Node state(ByteReader& in) {
    auto value = [](ByteReader& r) { return sized(r, "value"); };
    return REVENANT_TUPLE("state", id(in, "id"), number(in, "what"), optional(in, "valued", value),
                          optional(in, "valued", value));
}
Node structure(ByteReader& in) {
    return REVENANT_TUPLE("structure", list(in, "steps", step), list(in, "steps", step),
                          list(in, "rebindings", rebinding), list(in, "toggles", toggle),
                          list(in, "outsides", outside), list(in, "states", state));
}
Node delta(ByteReader& in) {
    return REVENANT_TUPLE("delta", words(in, "differences"), structure(in));
}

Node field(ByteReader& in) {
    return REVENANT_TUPLE("field", sized(in, "text"), byte(in, "fieldType"), number(in, "offset"),
                          number(in, "count"), byte(in, "isArray"), byte(in, "blend"));
}
Node component(ByteReader& in) {
    return REVENANT_TUPLE("component", sized(in, "text"), number(in, "size"),
                          number(in, "alignment"), list(in, "fields", field),
                          sized(in, "defaults"));
}
Node stranger(ByteReader& in) {
    return REVENANT_TUPLE("stranger", id(in, "id"), number(in, "serial"));
}
Node entity(ByteReader& in) {
    return REVENANT_TUPLE("entity", number(in, "index"), number(in, "index"), number(in, "name"),
                          number(in, "serial"), number(in, "clock"), byte(in, "where"),
                          byte(in, "rewindable"));
}
Node entities(ByteReader& in) {
    auto generation = [](ByteReader& r) { return number(r, "generation"); };
    return REVENANT_TUPLE("entities", number(in, "clock"), list(in, "slots", generation),
                          list(in, "strangers", stranger), list(in, "known", entity));
}
Node moment(ByteReader& in) {
    auto name = [](ByteReader& r) { return sized(r, "stateName"); };
    return REVENANT_TUPLE("moment", list(in, "stateNames", name),
                          zstd(in.block(in.rest().size()), Kind::Zstd, delta));
}
Node frames(ByteReader& in) {
    auto checkpoint = [](ByteReader& r) {
        return REVENANT_TUPLE("checkpoint", sized(r, "text"), signedNumber(r, "frame"));
    };
    return REVENANT_TUPLE("frames", signedNumber(in, "frame"), list(in, "checkpoints", checkpoint));
}

Node makes(ByteReader& in) {
    auto make = [](ByteReader& r) {
        return REVENANT_TUPLE("make", number(r, "tableNumber"), sized(r, "text"));
    };
    auto ofType = [&make](ByteReader& r) {
        return REVENANT_TUPLE("makesOfType", number(r, "type"), list(r, "makes", make));
    };
    return list(in, "makeList", ofType);
}

Node randomState(ByteReader& in) {
    return repeated("random", 4, [&] { return u64(in, "random"); });
}
Node globals(ByteReader& in, std::size_t count) {
    return repeated("globals", count, [&] { return u32(in, "word"); });
}

std::uint32_t wordOfPlanes(std::span<const std::byte> planes, std::size_t count, std::size_t i) {
    std::uint32_t word = 0;
    for (std::size_t plane = 0; plane < 4; ++plane)
        word |= static_cast<std::uint32_t>(planes[plane * count + i]) << (plane * 8);
    return word;
}

Node runLength(std::uint32_t format) {
    Node node{.kind = Kind::Tuple, .name = "run"};
    if (format >= 6) node.children.push_back(leaf(Kind::Number, "length", 1));
    return node;
}

// Each stream with its own words, rather than with those of all behind each other. The streams of a run, which format 6
// has, stand each for itself, as runs of one.
Node streams(ByteReader& in, std::uint32_t format) {
    Node node{.kind = Kind::Streams, .name = "streams"};
    node.children.push_back(number(in, "frames"));
    Node& all = node.children.emplace_back(Node{.kind = Kind::List, .name = "streamList"});
    std::vector<std::size_t> counts;
    std::size_t values = 0;
    std::size_t constants = 0;
    for (std::size_t runs = in.count(); runs > 0; --runs) {
        Node keyDelta = number(in, "keyDelta");
        std::uint64_t length = format < 6 ? 1 : in.number();
        Node first = number(in, "first");
        const std::uint64_t count = in.number();
        Node predictor = byte(in, "predictor");
        const Prediction prediction =
            predictionOf(static_cast<std::uint8_t>(predictor.value)).value_or(Prediction{});
        Node parameters{.kind = Kind::Tuple, .name = "parameters"};
        Node known = parameters;  // the same where each constant is known
        if (prediction.predictor == Predictor::Integrate) {
            parameters.children.push_back(signedNumber(in, "source"));
            known = parameters;
        }
        for (std::size_t k = 0; k < constantCount(prediction.predictor); ++k) {
            parameters.children.push_back(number(in, "constant"));
            known.children.push_back(parameters.children.back());
            if (parameters.children.back().value != constants) continue;
            ++constants;
            parameters.children.push_back(u64(in, "constantValue"));
        }
        for (; length > 0; --length) {
            counts.push_back(count);
            values += count;
            all.children.push_back(
                tuple("stream", keyDelta, runLength(format), first, predictor, parameters));
            keyDelta.value = 1;
            parameters = known;
        }
    }
    const auto before = in.block(counts.size() * 4);
    const auto residuals = in.block(values * 4);
    std::size_t at = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        Node& stream = all.children[i];
        stream.children.push_back(leaf(Kind::U32, "word", wordOfPlanes(before, counts.size(), i)));
        Node& own = stream.children.emplace_back(Node{.kind = Kind::List, .name = "residuals"});
        for (std::size_t k = 0; k < counts[i]; ++k, ++at)
            own.children.push_back(leaf(Kind::U32, "word", wordOfPlanes(residuals, values, at)));
    }
    return node;
}

// Likewise.
Node changedList(ByteReader& in, std::uint32_t format) {
    Node all{.kind = Kind::List, .name = "changedList"};
    for (std::size_t runs = in.count(); runs > 0; --runs) {
        Node index = format < 6 ? number(in, "index") : signedNumber(in, "indexSkip");
        const Node type = number(in, "type");
        const Node words = number(in, "words");
        for (std::uint64_t length = format < 6 ? 1 : in.number(); length > 0; --length) {
            all.children.push_back(tuple("changed", index, type, words, runLength(format)));
            index.value = 0;
        }
    }
    return all;
}

Node gap(ByteReader& in) {
    auto crossing = [](ByteReader& r) {
        return REVENANT_TUPLE("crossing", number(r, "age"), id(r, "id"), id(r, "id"),
                              byte(r, "crossingKind"));
    };
    return REVENANT_TUPLE("gap", number(in, "first"), number(in, "missing"),
                          list(in, "crossings", crossing));
}

Node rest(ByteReader& in, std::uint32_t format) {
    constexpr std::size_t globalsOfFormat2 = 11;
    const std::size_t globalCount = format == 2 ? globalsOfFormat2 : 12;
    auto jump = [](ByteReader& r) {
        return REVENANT_TUPLE("jump", number(r, "first"), randomState(r));
    };
    auto framed = [](ByteReader& r) {
        return REVENANT_TUPLE("framed", number(r, "first"), structure(r));
    };
    Node node = REVENANT_TUPLE("rest", number(in, "frames"), signedNumber(in, "frame"),
                               globals(in, globalCount), randomState(in), list(in, "jumps", jump),
                               changedList(in, format), list(in, "structures", framed));
    if (format >= 4) node.children.push_back(list(in, "gaps", gap));
    return node;
}

// From format 4 on with offsets, and with a list of slices rather than one.
Node block(ByteReader& in, std::uint32_t format) {
    Node node = REVENANT_TUPLE("block", signedNumber(in, "frame"));
    node.children.push_back(list(in, "hashes", [](ByteReader& r) { return u64(r, "hash"); }));
    if (format >= 4)
        node.children.push_back(
            list(in, "offsets", [](ByteReader& r) { return number(r, "frameOffset"); }));
    node.children.push_back(
        zstd(in.sized(), Kind::SizedZstd, [&](ByteReader& r) { return rest(r, format); }));
    auto words = [format](ByteReader& r) { return streams(r, format); };
    if (format >= 4)
        node.children.push_back(list(
            in, "slices", [&](ByteReader& r) { return zstd(r.sized(), Kind::SizedZstd, words); }));
    else
        node.children.push_back(zstd(in.block(in.rest().size()), Kind::Zstd, words));
    return node;
}

Node contentOf(SectionKind kind, std::span<const std::byte> bytes, std::uint32_t format) {
    ByteReader in(bytes, "a section");
    auto packed = [&](auto read) { return zstd(bytes, Kind::Zstd, read); };
    switch (kind) {
        case SectionKind::Components:
            return packed([](ByteReader& r) { return list(r, "components", component); });
        case SectionKind::Strings:
            return packed([](ByteReader& r) {
                return list(r, "strings", [](ByteReader& s) { return sized(s, "text"); });
            });
        case SectionKind::Entities: return packed(entities);
        case SectionKind::Moment: return moment(in);
        case SectionKind::Frames: return packed(frames);
        case SectionKind::Makes: return packed(makes);
        case SectionKind::Block: return block(in, format);
    }
    return {};
}

#undef REVENANT_TUPLE

// ---- writing

void write(ByteWriter& out, const Node& node);

void writeAll(ByteWriter& out, const std::vector<Node>& nodes) {
    for (const Node& node : nodes) write(out, node);
}

void writePlanes(ByteWriter& out, const std::vector<std::uint32_t>& words) {
    for (int shift = 0; shift < 32; shift += 8)
        for (const std::uint32_t word : words) out.plain(static_cast<std::uint8_t>(word >> shift));
}

std::uint64_t countOf(const Node& list) {
    return list.children.size() + static_cast<std::uint64_t>(list.miscount);
}

void writeStreams(ByteWriter& out, const Node& node) {
    write(out, node.children[0]);
    const Node& all = node.children[1];
    out.number(countOf(all));
    std::vector<std::uint32_t> before;
    std::vector<std::uint32_t> residuals;
    for (const Node& stream : all.children) {
        for (std::size_t i = 0; i < 3; ++i) write(out, stream.children[i]);
        out.number(countOf(stream.children[6]));
        write(out, stream.children[3]);
        write(out, stream.children[4]);
        before.push_back(static_cast<std::uint32_t>(stream.children[5].value));
        for (const Node& word : stream.children[6].children)
            residuals.push_back(static_cast<std::uint32_t>(word.value));
    }
    writePlanes(out, before);
    writePlanes(out, residuals);
}

Bytes packed(const Node& node) {
    constexpr int zstdLevel = 1;
    ByteWriter raw;
    writeAll(raw, node.children);
    return deflate(raw.bytes(), zstdLevel);
}

void write(ByteWriter& out, const Node& node) {
    switch (node.kind) {
        case Kind::Number: out.number(node.value); break;
        case Kind::Signed: out.signedNumber(static_cast<std::int64_t>(node.value)); break;
        case Kind::Byte: out.plain(static_cast<std::uint8_t>(node.value)); break;
        case Kind::U32: out.plain(static_cast<std::uint32_t>(node.value)); break;
        case Kind::U64: out.plain(node.value); break;
        case Kind::Sized: out.sized(node.bytes); break;
        case Kind::Rest: out.block(node.bytes); break;
        case Kind::Tuple: writeAll(out, node.children); break;
        case Kind::List:
            out.number(countOf(node));
            writeAll(out, node.children);
            break;
        case Kind::Optional:
            out.plain(static_cast<std::uint8_t>(node.children.empty() ? 0 : 1));
            writeAll(out, node.children);
            break;
        case Kind::Step:
            for (std::size_t i = 0; i < 4; ++i) write(out, node.children[i]);
            if ((node.children[3].value & crossesFlag) == 0) break;
            if ((node.children[3].value & elsewhereFlag) != 0) write(out, node.children[5]);
            write(out, node.children[4]);
            break;
        case Kind::Streams: writeStreams(out, node); break;
        case Kind::Zstd: out.block(packed(node)); break;
        case Kind::SizedZstd: out.sized(packed(node)); break;
    }
}

}  // namespace

Tree treeOf(std::span<const std::byte> file) {
    ByteReader in(file, "a file");
    Tree tree;
    in.block(sizeof historyMagic);
    tree.format = in.plain<std::uint32_t>();
    in.block(16);
    while (!in.rest().empty()) {
        Section& section = tree.sections.emplace_back();
        section.kind = static_cast<SectionKind>(in.plain<std::uint8_t>());
        const auto size = in.plain<std::uint64_t>();
        in.block(8);
        section.content = contentOf(section.kind, in.block(size), tree.format);
    }
    return tree;
}

Tree inFormat2(Tree tree) {
    tree.format = 2;
    for (Section& section : tree.sections) {
        if (section.kind != SectionKind::Block) continue;
        section.packed.clear();
        auto& parts = section.content.children;
        parts.erase(parts.begin() + 2);  // the offsets, of which there are none
        Node& rest = parts[1 + 1].children[0];
        rest.children[2].children.pop_back();  // the upper half of the ticks
        rest.children.pop_back();              // the gaps
        std::uint64_t next = 0;                // the components' indices are their own
        for (Node& changed : rest.children[5].children) {
            next += changed.children[0].value;
            changed.children[0] = leaf(Kind::Number, "index", next++);
            changed.children[3].children.clear();
        }
        Node slice = std::move(parts.back().children.front());
        for (Node& stream : slice.children[0].children[1].children)
            stream.children[1].children.clear();
        slice.kind = Node::Kind::Zstd;
        parts.back() = std::move(slice);
    }
    return tree;
}

Bytes bytesOf(Tree& tree) {
    ByteWriter body;
    for (Section& section : tree.sections) {
        if (section.packed.empty()) {
            ByteWriter own;
            write(own, section.content);
            section.packed = own.take();
        }
        body.plain(section.kind);
        body.plain(std::uint64_t{section.packed.size()});
        body.plain(sectionChecksum(section.kind, section.packed));
        body.block(section.packed);
    }
    ByteWriter out;
    out.block(std::as_bytes(std::span(historyMagic)));
    out.plain(tree.format);
    const std::uint64_t size = out.size() + 16 + body.size();
    out.plain(size);
    out.plain(headChecksum(tree.format, size));
    out.block(body.bytes());
    return out.take();
}

}  // namespace revenant::fuzz
