// Finds writes without a change mark: through a reference, a row or a run kept from an earlier tick.
#include <bit>
#include <cstring>

#include "rewind/record/shadow.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

// The first field that differs, with its element if it is an array; the padding has none.
std::string fieldAt(const ComponentSchema& schema, std::size_t byte) {
    for (const Field& field : schema.fields) {
        const std::size_t size = sizeOf(field.type);
        if (byte < field.offset || byte >= field.offset + size * field.count) continue;
        if (!field.isArray) return field.name;
        return sentence(field.name, "[", (byte - field.offset) / size + 1, "]");
    }
    return "its padding";
}

}  // namespace

StrayWrite Shadow::describeStray(const ComponentType& type, std::uint32_t owner,
                                 const std::byte* copy, const std::byte* slot) const {
    std::size_t byte = 0;
    while (copy[byte] == slot[byte]) ++byte;
    return {world_.forest().pool.at(owner).id, type.schema.name, fieldAt(type.schema, byte)};
}

// Calls visit(slot in the page) for each tracked slot of a block whose bytes are not those of its copy.
template <class Visit>
void Shadow::forStrays(const ComponentType& type, const ComponentPool::Page& page,
                       const Chunk& chunk, std::uint32_t first, Visit visit) {
    const std::size_t size = type.schema.size;
    const std::uint32_t slots = trackedIn(chunk, first);
    const std::byte* const copies = chunk.data.get() + first % chunkSlots * size;
    const std::byte* const now = page.data + first * size;
    const auto row = static_cast<std::size_t>(std::countr_one(slots));
    const bool isOneRow = (slots & (slots + 1)) == 0;
    if (slots == 0 || (isOneRow && std::memcmp(copies, now, row * size) == 0)) return;
    for (std::uint32_t bits = slots; bits != 0; bits &= bits - 1) {
        const auto slot = static_cast<std::uint32_t>(std::countr_zero(bits));
        if (std::memcmp(copies + slot * size, now + slot * size, size) != 0) visit(first + slot);
    }
}

// Calls visit(type, page, chunk, first slot) for the next blocks that hold something, all of them at
// most once, and moves the cursor on. What holds nothing is passed, but not too much of it at once.
template <class Visit>
void Shadow::forNextBlocks(std::size_t blocks, Visit visit) {
    constexpr std::size_t mostSteps = 256;
    const bool isAll = blocks == SIZE_MAX;
    Cursor& at = cursor_;
    if (isAll) at = {};
    const Cursor start = at;
    bool hasWrapped = false;
    for (std::size_t steps = 0; blocks > 0 && (isAll || steps < mostSteps); ++steps) {
        if (hasWrapped && !(at < start)) return;
        if (at.type >= types_.size()) {
            at = {};
            hasWrapped = true;
            if (isAll || types_.empty()) return;
            continue;
        }
        auto& pages = types_[at.type].pages;
        if (at.page >= pages.size()) {
            at = {at.type + 1, 0, 0};
            continue;
        }
        ComponentType& type = world_.components().at(static_cast<ComponentTypeId>(at.type));
        if (pages[at.page].empty() || at.slot >= type.pool.blocksPerPage() * blockSlots) {
            at = {at.type, at.page + 1, 0};
            continue;
        }
        Chunk& chunk = pages[at.page][at.slot / chunkSlots];
        if (chunk.live == 0) {
            at.slot = (at.slot / chunkSlots + 1) * chunkSlots;
            continue;
        }
        const std::uint32_t first = at.slot;
        at.slot += blockSlots;
        if (trackedIn(chunk, first) == 0) continue;
        visit(type, *type.pool.pages()[at.page], chunk, first);
        --blocks;
    }
}

std::optional<StrayWrite> Shadow::takeStrays(std::size_t blocks, Words& words, Words& bases) {
    std::optional<StrayWrite> found;
    forNextBlocks(blocks, [&](ComponentType& type, const ComponentPool::Page& page, Chunk& chunk,
                              std::uint32_t first) {
        forStrays(type, page, chunk, first, [&](std::uint32_t slot) {
            const std::byte* const now = page.data + slot * type.schema.size;
            const std::byte* const copy = chunk.data.get() + slot % chunkSlots * type.schema.size;
            const std::uint32_t owner = page.owners[slot];
            if (!found) found = describeStray(type, owner, copy, now);
            takeChanges(world_.forest().pool.at(owner), type, now, words, bases);
        });
    });
    return found;
}

void Shadow::revertStrays(std::size_t blocks) {
    forNextBlocks(blocks, [&](ComponentType& type, const ComponentPool::Page& page, Chunk& chunk,
                              std::uint32_t first) {
        forStrays(type, page, chunk, first, [&](std::uint32_t slot) {
            const std::size_t size = type.schema.size;
            std::memcpy(page.data + slot * size, chunk.data.get() + slot % chunkSlots * size, size);
            type.pool.markChanged(page.data + slot * size, world_.getClock());
        });
    });
}

void Shadow::revert(const ComponentType& type, std::byte* slot) {
    if (const std::byte* copy = copyOf(type, slot)) std::memcpy(slot, copy, type.schema.size);
}

}  // namespace revenant
