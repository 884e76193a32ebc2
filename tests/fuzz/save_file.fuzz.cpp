// libFuzzer over the loader of saves, behind the checksum: the input is a body, or JSON.
//
//     fuzz_save_file corpus/        where corpus/ may be empty
//
// Half of the mutations are of what a save means (save_mutator.hpp).
#include <nlohmann/json.hpp>
#include <span>

#include "save/format/save_bytes.hpp"
#include "tests/fuzz/mutate_input.hpp"
#include "tests/fuzz/save_mutator.hpp"
#include "tests/fuzz/save_probe.hpp"
#include "tests/save/save_envelope.hpp"

using namespace revenant;
using namespace revenant::fuzz;
using tests::bodyOf;
using tests::wrapBody;

namespace {

bool isText(const std::uint8_t* data, std::size_t size) {
    return size > 0 && data[0] == '{';
}

// Empty: it is not a save in the first place.
Bytes mutated(std::span<const std::byte> input, unsigned seed) {
    SaveMutator mutator(seed);
    const auto* text = reinterpret_cast<const char*>(input.data());
    if (!input.empty() && *text == '{') {
        Json json = Json::parse(text, text + input.size(), nullptr, false);
        if (json.is_discarded()) return {};
        mutator.mutate(json, Json(json));
        const std::string dumped = json.dump(-1, ' ', false, Json::error_handler_t::replace);
        return tests::bytesOf(dumped);
    }
    SaveImage image = readSave(wrapBody(input), false);
    mutator.mutate(image);
    return bodyOf(writeSave(image));
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t maxSize, unsigned seed) {
    if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, maxSize);
    return mutateInput(data, size, maxSize, [&] {
        static const std::vector<Bytes> seeds = seedSaves();
        return seed % 64 == 1 ? bodyOf(seeds[seed / 64 % seeds.size()])
                              : mutated(std::as_bytes(std::span(data, size)), seed);
    });
}

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static SaveProbe probe;
    const auto input = std::as_bytes(std::span(data, size));
    const Bytes save = isText(data, size) ? Bytes(input.begin(), input.end()) : wrapBody(input);
    if (!probe.probe(save).problem.empty()) __builtin_trap();
    return 0;
}
