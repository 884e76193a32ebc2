// The third part of FileValidator: whether frames show what their hashes were computed from.
#include <unordered_map>

#include "rewind/file/file_validator.hpp"
#include "rewind/record/hash_parts.hpp"
#include "rewind/record/state_hash.hpp"
#include "world/codec/value_bytes.hpp"
#include "world/forest/entity_serial.hpp"

namespace revenant {

namespace {

struct FileNames {
    const HistoryFile& file;
    const std::unordered_map<EntityId, std::uint32_t>& serials;

    std::uint64_t serialOf(EntityId id) const {
        if (GoneEntity::isOne(id)) return GoneEntity::serialOf(id);
        const auto found = serials.find(id);
        return found == serials.end() || id.index >= file.snapshot.generations.size()
                   ? 0
                   : found->second;
    }
    const std::string& textOf(StringId id) const { return file.strings[id.value]; }
};

}  // namespace

void FileValidator::readSerials() {
    auto serials = std::make_shared<std::unordered_map<EntityId, std::uint32_t>>();
    // Entities of the table come before strangers that were there once.
    for (const Snapshot::Known& known : file_.snapshot.entities) {
        serials->emplace(known.id, known.serial);
        Node& node = nodes_[known.id.index];
        node.serial = known.serial;
        node.name = textHash(file_.strings[known.name.value]);
    }
    for (const Snapshot::Stranger& stranger : file_.snapshot.strangers)
        serials->emplace(stranger.id, stranger.serial);
    serials_ = std::move(serials);
    for (const ComponentSchema& schema : file_.components) plain_.push_back(isPlain(schema));
}

// What has hooks whose states are not kept counts for no hash. The file does not say which components do, but those of scripts
// have no fields, and are no tags.
bool FileValidator::isOpaque(const Node& node) const {
    const Words& image = node.makeup.image;
    for (std::size_t at = 0; node.isIn && at < image.size(); at += 1 + wordsOf(image[at])) {
        const ComponentSchema& schema = file_.components[typeOf(image[at])];
        if (schema.fields.empty() && schema.size > sizeof(std::uint32_t)) return true;
    }
    return false;
}

std::uint64_t FileValidator::hashOf(const Node& node) const {
    if (!node.isIn) return 0;
    auto serialAt = [this](std::uint32_t index) -> std::uint64_t {
        return index == none ? 0 : nodes_[index].serial;
    };
    const FileNames names{file_, *serials_};
    std::uint64_t types = 0;
    std::uint64_t sum = 0;
    std::size_t position = 0;
    const Words& image = node.makeup.image;
    for (std::size_t at = 0; at < image.size(); at += 1 + wordsOf(image[at]), ++position) {
        const ComponentTypeId type = typeOf(image[at]);
        const ComponentSchema& schema = file_.components[type];
        const auto* bytes = reinterpret_cast<const std::byte*>(&image[at + 1]);
        types += typeHash(type, (node.makeup.disabled >> position & 1) != 0);
        sum += plain_[type] ? plainHash(node.serial, type, bytes, schema.size)
                            : fieldsHash(names, schema, bytes, componentSeed(node.serial, type));
    }
    const PlaceParts place{node.serial, serialAt(node.parent), serialAt(node.previous),
                           node.makeup.enabled, node.name};
    return sum + placeHash(place, types);
}

std::uint64_t FileValidator::hashOf(const StateKey& key, std::span<const std::byte> state) const {
    if (!key.id.isNull() || key == requestsKey) return 0;
    const std::string& name = file_.snapshot.stateNames[key.what];
    if (name[0] == 's') return systemHash(name.substr(1), state);
    return valueHash(FileNames{file_, *serials_}, readValue(state), textHash(name.substr(1)));
}

void FileValidator::countState(const StateKey& key, std::span<const std::byte> state,
                               bool isThere) {
    if (!key.id.isNull()) {
        hookStates_ += isThere ? 1 : -1;
        return;
    }
    if (!checksHashes_ || key == requestsKey) return;
    const bool isResource = file_.snapshot.stateNames[key.what][0] == 'r';
    if (!isResource && mayNameEntities(state)) {
        hookStates_ += isThere ? 1 : -1;
        return;
    }
    std::uint64_t& sum = isResource ? resourceSum_ : stateSum_;
    sum += isThere ? hashOf(key, state) : 0 - hashOf(key, state);
}

void FileValidator::checkHash(const Frame& frame, std::uint64_t hash) {
    if (!checksHashes_) return;
    for (const std::uint32_t index : changed_) {
        Node& node = nodes_[index];
        node.isChanged = false;
        nodeSum_ -= node.hash;
        node.hash = hashOf(node);
        nodeSum_ += node.hash;
        opaqueNodes_ -= node.isOpaque ? 1 : 0;
        node.isOpaque = isOpaque(node);
        opaqueNodes_ += node.isOpaque ? 1 : 0;
    }
    changed_.clear();
    // Only the hook can read its state.
    if (hookStates_ > 0 || opaqueNodes_ > 0) return;
    frame_ = frame.number;
    const std::uint64_t moment = momentHash(FileNames{file_, *serials_}, frame.globals);
    require(finishHash(nodeSum_ + stateSum_, moment, resourceSum_) == hash,
            "it does not show what its hash was taken of");
}

}  // namespace revenant
