#include "world/codec/zstd.hpp"

#include <zstd.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <new>

#include "world/codec/byte_stream.hpp"
#include "world/thread_kept.hpp"

namespace revenant {

namespace {

using PackingContext = std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)>;
using UnpackingContext = std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)>;

PackingContext makePackingContext() {
    PackingContext context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
    if (!context) throw std::bad_alloc();
    return context;
}

// Measured: left alone, zstd packs tightly with tables of sixteen bytes for each byte of its input. A
// quarter of the places makes the same of frames.
void setParameters(ZSTD_CCtx& context, std::size_t bytes, int zstdLevel) {
    constexpr int tightLevel = 12;
    constexpr int leastLog = 6;
    ZSTD_CCtx_reset(&context, ZSTD_reset_session_and_parameters);
    ZSTD_CCtx_setParameter(&context, ZSTD_c_compressionLevel, zstdLevel);
    if (zstdLevel >= tightLevel) {
        const int log = std::max(static_cast<int>(std::bit_width(bytes)) - 2, leastLog);
        ZSTD_CCtx_setParameter(&context, ZSTD_c_hashLog, log);
        ZSTD_CCtx_setParameter(&context, ZSTD_c_chainLog, log);
    }
}

struct KeptPacking {
    const PackingContext context = makePackingContext();
};

struct KeptUnpacking {
    UnpackingContext context{ZSTD_createDCtx(), &ZSTD_freeDCtx};
};

// Measured: making a context takes several times as long as packing or unpacking a small delta with it.
// So each thread keeps one for small deltas; a context for a large one is freed at once.
std::size_t packInto(std::span<std::byte> packed, std::span<const std::byte> raw, int zstdLevel) {
    constexpr std::size_t smallBytes = 16 * 1024;
    auto pack = [&](ZSTD_CCtx& context) {
        setParameters(context, raw.size(), zstdLevel);
        return ZSTD_compress2(&context, packed.data(), packed.size(), raw.data(), raw.size());
    };
    if (raw.size() > smallBytes) return pack(*makePackingContext());
    return pack(*threadKept<KeptPacking>().context);
}

ZSTD_DCtx& unpackingContext() {
    UnpackingContext& kept = threadKept<KeptUnpacking>().context;
    if (!kept) kept.reset(ZSTD_createDCtx());
    if (!kept) throw std::bad_alloc();
    return *kept;
}

bool unpackInto(std::span<std::byte> raw, std::span<const std::byte> frame) {
    const std::size_t unpacked = ZSTD_decompressDCtx(&unpackingContext(), raw.data(), raw.size(),
                                                     frame.data(), frame.size());
    return !ZSTD_isError(unpacked) && unpacked == raw.size();
}

}  // namespace

std::vector<std::byte> deflate(std::span<const std::byte> raw, int zstdLevel) {
    ByteWriter out;
    out.number(raw.size());
    std::vector<std::byte> packed = out.take();
    const std::size_t head = packed.size();
    packed.resize(head + ZSTD_compressBound(raw.size()));
    const std::size_t size = packInto(std::span(packed).subspan(head), raw, zstdLevel);
    if (ZSTD_isError(size))
        fail(ErrorCode::LimitReached, "packing with zstd: ", ZSTD_getErrorName(size));
    packed.resize(head + size);
    packed.shrink_to_fit();
    return packed;
}

RawBytes inflate(std::span<const std::byte> packed, const char* what) {
    // Nothing that we write comes near these: larger claims are made up, and would cost memory.
    constexpr std::uint64_t mostBytes = std::uint64_t{1} << 30;
    constexpr std::uint64_t mostPerByte = 1 << 15;
    ByteReader in(packed, what);
    const std::uint64_t size = in.number();
    if (size > mostBytes || size / mostPerByte > in.rest().size())
        in.damaged("it claims to be too large");
    if (ZSTD_getFrameContentSize(in.rest().data(), in.rest().size()) != size)
        in.damaged("its size is not what it says");
    RawBytes raw(size);
    if (!unpackInto(raw, in.rest())) in.damaged("it cannot be unpacked");
    return raw;
}

RawBytes inflateFrame(std::span<const std::byte> frame, std::size_t size, const char* what) {
    RawBytes raw(size);
    if (!unpackInto(raw, frame)) ByteReader(frame, what).damaged("it cannot be unpacked");
    return raw;
}

}  // namespace revenant
