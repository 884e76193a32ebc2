#include "rewind/record/parking.hpp"

#include <cstring>
#include <utility>

#include "rewind/record/makeup.hpp"

namespace revenant {

namespace {

// Behind the components in a blob.
struct ParkedTail {
    const Shape* shape;
    std::uint64_t disabled;
    bool enabled;
    Outer outer;
};

ParkedTail tailOf(const KnownEntity& entry) noexcept {
    ParkedTail tail{};
    std::memcpy(&tail, entry.parked.get() + entry.parkedSize - sizeof tail, sizeof tail);
    return tail;
}

}  // namespace

void Parking::park(EntityRecord& record) {
    if (record.managed || record.parked) return;
    KnownEntity& entry = known_.of(record);
    const std::size_t size = BlobPool::sizeFor(record.shape->parkedBytes() + sizeof(ParkedTail));
    ParkedBlob blob(known_.blobs().take(size));
    const ParkedTail tail{record.shape, record.disabledComponents(), record.enabled,
                          revenant::outerOf(record)};
    std::memcpy(blob.get() + size - sizeof tail, &tail, sizeof tail);
    free(entry);
    entry.parked = std::move(blob);
    entry.parkedSize = static_cast<std::uint32_t>(size);
    bytes_ += size + sizeof(EntityRecord);
    world_.components().park(record, entry.parked.get());
}

void Parking::free(KnownEntity& entry) noexcept {
    if (entry.parked) bytes_ -= entry.parkedSize + sizeof(EntityRecord);
    entry.parked = nullptr;
}

bool Parking::wasWritten(const EntityRecord& record) const noexcept {
    return known_.knows(record) && record.isOut() && !record.parked && known_.of(record).parked;
}

Makeup Parking::makeupOf(const KnownEntity& entry) const {
    const ParkedTail tail = tailOf(entry);
    Makeup makeup;
    makeup.disabled = tail.disabled;
    makeup.enabled = tail.enabled;
    const auto& types = tail.shape->types();
    for (std::size_t i = 0; i < types.size(); ++i)
        appendImage(makeup.image, world_.components().at(types[i]),
                    entry.parked.get() + tail.shape->parkedOffset(i));
    return makeup;
}

Outer Parking::outerOf(const KnownEntity& entry) const noexcept {
    return tailOf(entry).outer;
}

void Parking::setOuter(KnownEntity& entry, const Outer& outer) noexcept {
    ParkedTail tail = tailOf(entry);
    tail.outer = outer;
    std::memcpy(entry.parked.get() + entry.parkedSize - sizeof tail, &tail, sizeof tail);
}

void Parking::notePlaces() noexcept {
    for (std::size_t i = 0; i < known_.size(); ++i)
        if (const EntityRecord* record = known_[i].parked ? known_.find(known_[i].id) : nullptr;
            record && record->isOut())
            setOuter(known_[i], revenant::outerOf(*record));
}

void Parking::release(KnownEntity& entry) {
    if (!entry.parked) return;
    bytes_ -= entry.parkedSize + sizeof(EntityRecord);
    released_.push_back({entry.id, std::move(entry.parked)});
}

void Parking::freeReleased() {
    for (const Released& each : released_)
        if (EntityRecord& record = world_.forest().pool.at(each.id.index);
            record.id == each.id && record.parked == each.parked.get())
            world_.components().unpark(record, world_.getClock());
    released_.clear();
}

void Parking::validate(std::vector<std::string>& problems) const {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < known_.size(); ++i) {
        const KnownEntity& entry = known_[i];
        if (!entry.parked) continue;
        bytes += entry.parkedSize + sizeof(EntityRecord);
        const EntityRecord* record = known_.find(entry.id);
        if (!record || (record->parked && record->parked != entry.parked.get()))
            problems.push_back(sentence(describe(world_.entity(entry.id)),
                                        " has its components elsewhere than the history put them"));
    }
    if (bytes != bytes_)
        problems.push_back(
            sentence("components of entities that are out take ", bytes, " bytes, not ", bytes_));
}

void Parking::clear() noexcept {
    bytes_ = 0;
    world_.components().unparked().clear();
}

}  // namespace revenant
