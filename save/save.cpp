#include "save/save.hpp"

#include <memory>

#include "save/format/save_bytes.hpp"
#include "save/image/world_image.hpp"
#include "save/json/save_json.hpp"
#include "save/load/world_loader.hpp"
#include "world/codec/file_bytes.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

// No save unpacks to more.
constexpr std::uint64_t mostSaveBytes = std::uint64_t{1} << 30;

// Prefixes errors with the file's path.
template <class Call>
auto naming(const char* call, const std::string& path, Call work) {
    try {
        return work();
    } catch (const Error& error) {
        error.throwBehind(sentence(call, ": '", path, "': "));
        throw;  // g++ 12 does not see that the call never returns
    }
}

// Parses the bytes and checks that they fit the definitions.
std::shared_ptr<const SaveImage> readImage(World& world, std::span<const std::byte> save,
                                           const LoadOptions& options) {
    auto image = std::make_shared<const SaveImage>(
        isJson(save) ? readSaveJson(save) : readSave(save, options.checksums));
    checkFits(*image, WorldCore::of(world), options);
    return image;
}

}  // namespace

std::vector<std::byte> saveToBytes(const World& world, const SaveOptions& options) {
    // Hooks are asked, which changes nothing.
    const SaveImage image = takeImage(WorldCore::of(const_cast<World&>(world)));
    return options.format == SaveFormat::Json ? writeSaveJson(image) : writeSave(image);
}

void loadFromBytes(World& world, std::span<const std::byte> save, const LoadOptions& options) {
    WorldCore& core = WorldCore::of(world);
    core.callBetweenTicks([image = readImage(world, save, options), &core, options] {
        putIntoWorld(*image, core, options);
    });
}

void save(const World& world, const std::string& path, const SaveOptions& options) {
    const std::vector<std::byte> bytes = saveToBytes(world, options);
    naming("save", path, [&] { writeFile(path, bytes); });
}

void load(World& world, const std::string& path, const LoadOptions& options) {
    auto image = naming("load", path,
                        [&] { return readImage(world, readFile(path, mostSaveBytes), options); });
    WorldCore& core = WorldCore::of(world);
    core.callBetweenTicks([image = std::move(image), &core, options, path] {
        naming("load", path, [&] { putIntoWorld(*image, core, options); });
    });
}

}  // namespace revenant
