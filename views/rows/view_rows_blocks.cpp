// Rows that are spread: how they come to be, how they change, and how code that knows rows by number only reads them.
#include <algorithm>

#include "views/empty.hpp"
#include "views/rows/view_rows.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

constexpr std::uint32_t mostPatience = 256;

std::byte* emptyPointer() noexcept {
    return const_cast<std::byte*>(emptyComponent.bytes);
}

// So many rows in each of so many blocks.
std::vector<std::uint32_t> evenly(std::size_t rows, std::size_t blocks) {
    std::vector<std::uint32_t> counts(blocks, static_cast<std::uint32_t>(rows / blocks));
    std::fill_n(counts.begin(), rows % blocks, static_cast<std::uint32_t>(rows / blocks + 1));
    return counts;
}

}  // namespace

std::size_t ViewRows::nextSpreadPlace(std::size_t place) const noexcept {
    if (place >= places()) return places();
    std::size_t block = blocks_.blockOf(place);
    if (place < blocks_.endOf(block)) return place;
    while (++block < blocks_.size())
        if (blocks_.rowsIn(block) > 0) return blocks_.beginOf(block);
    return places();
}

bool ViewRows::wouldRatherSpread(std::size_t changes, std::uint64_t moved) noexcept {
    const bool wouldSave = !isReadByRow_ && moved >= rule_.fewestMoved &&
                           moved >= std::uint64_t{changes} * rule_.rowsPerChange && count() > 0;
    passesToSpare_ = wouldSave ? passesToSpare_ + 1 : 0;
    return wouldSave && passesToSpare_ >= patience_;
}

bool ViewRows::maySpreadStay(std::size_t changes) const noexcept {
    const bool isWide = blocks_.places() / 4 > count() + blocks_.blockPlaces();
    return !isReadByRow_ && !isWide && count() >= rule_.fewestMoved / 2 &&
           changes * rule_.rowsPerChange <= count();
}

void ViewRows::spread() {
    const std::size_t rows = count();
    const std::size_t perBlock = blocks_.blockPlaces() * 3 / 4;
    const auto counts = evenly(rows, (rows + perBlock - 1) / perBlock);
    blocks_.replace(0, 0, counts);
    refill({{0, rows}}, stretchesOf(0, blocks_.size()), blocks_.places());
    clearSpare(0, blocks_.size());
    patchBlocks(0, blocks_.size());
    passesToSpare_ = 0;
}

void ViewRows::bringTogether() {
    const std::size_t rows = count();
    const std::size_t placesBefore = places();
    const std::vector<Stretch> before = stretchesOf(0, blocks_.size());
    blocks_.clear();
    refill(before, {{0, rows}}, rows);
    reboundRows_.clear();
    patchSegments(placesBefore);
    patience_ = std::min(patience_ * 2, std::max(mostPatience, rule_.patience));
}

std::vector<ViewRows::Stretch> ViewRows::stretchesOf(std::size_t firstBlock,
                                                     std::size_t endBlock) const {
    std::vector<Stretch> stretches;
    for (std::size_t block = firstBlock; block < endBlock; ++block)
        stretches.push_back({blocks_.beginOf(block), blocks_.rowsIn(block)});
    return stretches;
}

// Moves the rows of some stretches to others, in their order. REQUIRES: as many places in all.
void ViewRows::refill(const std::vector<Stretch>& before, const std::vector<Stretch>& after,
                      std::size_t placesAfter) {
    kept_.clear();
    moves_.clear();
    Stretch from{0, 0};
    auto nextFrom = before.begin();
    for (Stretch to : after)
        while (to.count > 0) {
            while (from.count == 0) from = *nextFrom++;
            const std::size_t count = std::min(from.count, to.count);
            kept_.push_back({from.first, to.first, count});
            if (from.first != to.first) moves_.push_back(kept_.back());
            if (from.first != to.first) stats_.rowsMoved += count;
            from = {from.first + count, from.count - count};
            to = {to.first + count, to.count - count};
        }
    moveRows(placesAfter);
}

void ViewRows::clearPlace(std::size_t place) noexcept {
    heads_[place] = {place == 0 ? 0 : heads_[place - 1].label, RowHead::noEntity};
    for (ViewColumn& column : columns_) column.pointers[place] = emptyPointer();
}

void ViewRows::clearSpare(std::size_t firstBlock, std::size_t endBlock) {
    for (std::size_t block = firstBlock; block < endBlock && block + 1 < blocks_.size(); ++block)
        for (std::size_t place = blocks_.endOf(block); place < blocks_.beginOf(block + 1); ++place)
            clearPlace(place);
}

void ViewRows::resizeAll(std::size_t places) {
    for (ViewColumn& column : columns_) column.pointers.resize(places);
    heads_.resize(places);
}

void ViewRows::moveAll(std::size_t from, std::size_t to, std::size_t count) noexcept {
    for (ViewColumn& column : columns_) column.pointers.move(from, to, count);
    heads_.move(from, to, count);
    stats_.rowsMoved += count;
}

void ViewRows::applySpread(const ChangeSet& changes) {
    std::size_t place = 0;
    for (const std::uint32_t label : drops_) {
        place = findRow(label, place);
        dropAt(place);
    }
    relabel(changes.relabelled);
    if (!additions_.empty() && addedAt_.size() < world_.forest().pool.count())
        addedAt_.resize(world_.forest().pool.count());
    place = 0;
    for (const Addition& addition : additions_) {
        place = addAt(*addition.record, place);
        if (addition.isNew) addedAt_[addition.head.index] = changes.clock;
    }
    place = 0;
    for (const EntityRecord* record : rebinds_) {
        place = findRow(record->opening.label, place);
        discountRow(place);
        writeRow(place, *record);
        countRow(place);
        const std::size_t block = blocks_.blockOf(place);
        const std::size_t begin = blocks_.beginOf(block);
        kept_.clear();
        if (place > begin) kept_.push_back({begin, begin, place - begin});
        if (const std::size_t behind = blocks_.endOf(block) - place - 1; behind > 0)
            kept_.push_back({place + 1, place + 1, behind});
        patchBlocks(block, block + 1);
    }
}

void ViewRows::dropAt(std::size_t place) {
    const std::size_t block = blocks_.blockOf(place);
    const std::size_t begin = blocks_.beginOf(block);
    const std::size_t last = blocks_.endOf(block) - 1;
    discountRow(place);
    moveAll(place + 1, place, last - place);
    // The label stays: between those of the rows around it.
    heads_[last].index = RowHead::noEntity;
    for (ViewColumn& column : columns_) column.pointers[last] = emptyPointer();
    blocks_.dropRow(block);
    kept_.clear();
    if (place > begin) kept_.push_back({begin, begin, place - begin});
    if (last > place) kept_.push_back({place + 1, place, last - place});
    patchBlocks(block, block + 1);
    if (block + 1 == blocks_.size()) {
        blocks_.dropEmptyBlocks();
        resizeAll(blocks_.places());
    }
}

// Makes a place for the row of a record and writes it. REQUIRES: rows before `from` have lower labels.
std::size_t ViewRows::addAt(const EntityRecord& record, std::size_t from) {
    std::size_t place = 0;
    std::size_t block = 0;
    while (true) {
        place = lowerBound(record.opening.label, from);
        block = blocks_.blockOf(place);
        place = std::min(place, blocks_.endOf(block));
        // What comes before the first row of a block may as well come behind the last of the block before.
        if (place == blocks_.beginOf(block) && block > 0 && !blocks_.isFull(block - 1))
            place = blocks_.endOf(--block);
        if (!blocks_.isFull(block)) break;
        if (block + 1 == blocks_.size() && place == blocks_.endOf(block)) {
            blocks_.addBlock();
            place = blocks_.beginOf(++block);
            break;
        }
        makeRoom(block);
        from = 0;
    }
    const std::size_t begin = blocks_.beginOf(block);
    const std::size_t behind = blocks_.endOf(block) - place;
    if (block + 1 == blocks_.size()) resizeAll(blocks_.endOf(block) + 1);
    moveAll(place, place + 1, behind);
    blocks_.addRow(block);
    writeRow(place, record);
    countRow(place);
    for (std::size_t spare = place + 1;
         spare < places() && heads_[spare].index == RowHead::noEntity &&
         heads_[spare].label < record.opening.label;
         ++spare)
        heads_[spare].label = record.opening.label;
    kept_.clear();
    if (place > begin) kept_.push_back({begin, begin, place - begin});
    if (behind > 0) kept_.push_back({place, place + 1, behind});
    patchBlocks(block, block + 1);
    return place;
}

// Spreads the rows of a full block over it and those around it: as few as have room. So a row is moved O(log n) times for as many
// that come, wherever they come (the packed-memory array of Itai, Konheim and Rodeh).
void ViewRows::makeRoom(std::size_t block) {
    for (std::size_t width = 2;; width *= 2) {
        const std::size_t first = block / width * width;
        const std::size_t end = std::min(first + width, blocks_.size());
        const bool isAtEnd = end == blocks_.size();
        std::size_t rows = 0;
        for (std::size_t i = first; i < end; ++i) rows += blocks_.rowsIn(i);
        const std::size_t most = std::min(blocks_.blockPlaces() * 7 / 8, blocks_.blockPlaces() - 1);
        if (!isAtEnd && rows > (end - first) * most) continue;
        // At the end there may be more blocks.
        const std::size_t perBlock = blocks_.blockPlaces() * 3 / 4;
        const std::size_t blocks =
            isAtEnd ? std::max(end - first, (rows + perBlock - 1) / perBlock) : end - first;
        const std::vector<Stretch> before = stretchesOf(first, end);
        blocks_.replace(first, end, evenly(rows, blocks));
        refill(before, stretchesOf(first, first + blocks), blocks_.places());
        clearSpare(first, first + blocks);
        patchBlocks(first, first + blocks);
        return;
    }
}

const RowHead* ViewRows::headsByRow() const {
    isReadByRow_ = true;
    if (!isSpread()) return heads_.data();
    if (copies_.asOf != version_) {
        copies_.asOf = 0;  // until all are there
        copies_.columns.resize(columns_.size());
        const auto copy = [this](const auto& from, auto& to) {
            to.resize(count());
            for (std::size_t place = nextPlace(0); place < places();
                 place = nextPlace(endOfPiece(place)))
                std::copy(from.begin() + place, from.begin() + endOfPiece(place),
                          to.data() + rowAt(place));
        };
        copy(heads_, copies_.heads);
        for (std::size_t i = 0; i < columns_.size(); ++i)
            copy(columns_[i].pointers, copies_.columns[i]);
        copies_.asOf = version_;
    }
    return copies_.heads.data();
}

std::byte* const* ViewRows::pointersByRow(const ViewColumn& column) const {
    headsByRow();
    if (!isSpread()) return column.pointers.data();
    return copies_.columns[static_cast<std::size_t>(&column - columns_.data())].data();
}

void ViewRows::validateBlocks(std::vector<std::string>& problems) const {
    const auto fail = [&](auto... what) {
        problems.push_back(sentence("a view whose rows are spread ", what...));
    };
    for (std::size_t place = 1; place < places(); ++place)
        if (heads_[place].label < heads_[place - 1].label)
            return fail("has labels out of order at place ", place);
    if (!isSpread()) return;
    if (blocks_.places() != places()) return fail("has ", places(), " places in its arrays");
    for (std::size_t block = 0; block + 1 < blocks_.size(); ++block)
        for (std::size_t place = blocks_.endOf(block); place < blocks_.beginOf(block + 1); ++place)
            if (heads_[place].index != RowHead::noEntity)
                return fail("has a row at place ", place, ", which should be spare");
    for (const ViewColumn& column : columns_)
        if (column.pointers.size() != places()) return fail("has columns of unequal length");
}

}  // namespace revenant
