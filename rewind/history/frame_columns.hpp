// FrameColumns: turns the differences of a slice of frames into columns over time, one stream for each word of a
// component that changes. Keeps its memory from slice to slice.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "rewind/codec/block_words.hpp"
#include "rewind/history/frame.hpp"
#include "rewind/history/frame_slices.hpp"

namespace revenant {

class FrameColumns {
public:
    // A component that has streams, by its number.
    struct Owner {
        std::uint32_t index;  // of its entity
        ComponentTypeId type;
        std::uint16_t words;
    };

    // `frames`: of the block.
    explicit FrameColumns(std::uint32_t frames) : frames_(frames) {}

    // REQUIRES: runs come in the order of frames, and of kinds.
    void add(const Frame& frame, const Run& run);
    void addGlobals(std::span<const std::uint32_t> words, std::uint32_t frame);

    // Moves the streams to `words`, and appends the components that have any to `owners`.
    void finish(BlockWords& words, std::vector<Owner>& owners);

private:
    // One word of one component, from the first frame in which it changes to the last.
    struct Stream {
        std::uint32_t first = 0;
        std::uint32_t count = 0;
        std::uint32_t before = 0;
        std::uint32_t values = 0;  // where they are in values_: room up to the last frame
    };
    struct Component {
        std::uint32_t index = 0;
        ComponentTypeId type = 0;
        bool changes = false;
        std::uint32_t words = 0;
        std::uint32_t state = 0;  // where its words are in now_, and its streams in streams_
    };

    Component& begin(std::uint32_t index, ComponentTypeId type, const std::uint32_t* words,
                     std::size_t count);
    Component& find(std::uint32_t index, ComponentTypeId type);
    void widen(Component& component, std::size_t words);
    void addBase(std::uint32_t index, ComponentTypeId type, const std::uint32_t* words,
                 std::size_t count);
    void addDifferences(const Words& words, const Run& run);
    void set(Component& component, std::size_t word, std::uint32_t value, std::uint32_t frame);
    void collect(ComponentTypeId type, std::span<const std::uint32_t> components,
                 std::span<const std::uint32_t> numbers, BlockWords& into) const;

    std::uint32_t frames_;
    std::vector<Component> components_;
    Words now_;  // of all components
    std::vector<Stream> streams_;
    Words values_;
    std::unordered_map<std::uint64_t, std::uint32_t> current_;
    std::size_t last_ = 0;  // that was found
    bool hasRenewed_ = false;
    Component globals_;
};

}  // namespace revenant
