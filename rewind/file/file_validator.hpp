// FileValidator: plays the frames of a history file on a model of the world, and throws
// Error{BadArgument}, which names the frame, where they contradict each other. The model holds all that
// the frames tell: the forest, what each entity is made of to the last word, and the states. So each
// delta is checked against both of its sides, and what passes can be undone and redone in a world
// without another check.
//
// It checks one direction of each delta; what the other direction needs beyond that (an order in which
// parents and previous siblings come first, nothing listed twice) is checked as such.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rewind/file/history_file.hpp"
#include "rewind/history/request.hpp"

namespace revenant {

class FileValidator {
public:
    // Begins with the current frame, if its snapshot makes sense. The file outlives the validator.
    FileValidator(const HistoryFile& file, bool checksHashes);

    // REQUIRES: called for consecutive frames.
    void undo(const Frame& frame);
    void redo(const Frame& frame);
    // Compares the hash of the model with that of the frame it shows, unless states of hooks are part of it.
    void checkHash(const Frame& frame, std::uint64_t hash);

private:
    static constexpr std::uint32_t none = UINT32_MAX;
    struct Node {
        EntityId id;  // null: the table has no entity here
        bool isIn = false;
        bool isPlaced = false;  // it is linked to its siblings; one that moves is not, for a while
        std::uint32_t parent = none;
        std::uint32_t previous = none;
        std::uint32_t next = none;
        std::uint32_t firstChild = none;
        Makeup makeup;           // while it is in
        bool isChanged = false;  // since it was hashed
        bool isOpaque = false;   // when it was hashed
        std::uint32_t serial = 0;
        std::uint64_t name = 0;  // its hash
        std::uint64_t hash = 0;
    };
    // The fields of a component that do not take any bits: a string is in the table, a bool is 0 or 1.
    struct Strict {
        FieldType type;
        std::uint32_t offset;
        std::uint32_t count;
    };

    [[noreturn]] void damaged(std::string_view why) const;
    void require(bool holds, std::string_view otherwise) const {
        if (!holds) damaged(otherwise);
    }

    // ---- file_validator.cpp: the forest
    void readTable(const Snapshot& snapshot);
    Node& nodeOf(EntityId id);
    std::uint32_t indexOf(EntityId id);  // may be null
    bool isKnown(EntityId id) const noexcept {
        return id.index < nodes_.size() && nodes_[id.index].id == id;
    }
    std::uint32_t& firstChildOf(std::uint32_t parent) {
        return parent == none ? firstRoot_ : nodes_[parent].firstChild;
    }
    void unlink(Node& node);
    void link(Node& node, std::uint32_t parent, std::uint32_t previous);
    void noteChange(std::uint32_t index);
    void checkSteps(const Delta& delta);
    void checkOrder(const std::vector<Step>& steps);
    void leave(const Delta& delta, const std::vector<Step>& steps);
    void enter(const Delta& delta, const std::vector<Step>& steps);
    void finishMoves(const std::vector<Step>& left);

    // ---- file_validator_content.cpp: what entities are made of, and states
    void prepareSchemas();
    std::size_t wordsOfType(ComponentTypeId type) const;
    void checkMakeup(const Makeup& makeup) const;
    void checkDisabled(std::uint64_t disabled, const Words& image) const;
    void checkComponent(ComponentTypeId type, const std::uint32_t* words) const;
    void rebind(const Delta& delta, bool isUndone);
    void toggle(const std::vector<Toggle>& toggles, bool isUndone);
    void applyWords(const Words& words);
    void checkOutsides(const std::vector<Outside>& outsides);
    void changeStates(const std::vector<StateChange>& changes, bool isUndone);
    void checkState(const StateKey& key, const State& state);
    void checkRequests(const std::vector<Request>& requests);
    void checkAsked(const StateChange& change);

    // ---- file_validator_hash.cpp
    void readSerials();
    bool isOpaque(const Node& node) const;
    std::uint64_t hashOf(const Node& node) const;
    std::uint64_t hashOf(const StateKey& key, std::span<const std::byte> state) const;
    void countState(const StateKey& key, std::span<const std::byte> state, bool isThere);

    const HistoryFile& file_;
    bool checksHashes_;
    std::vector<std::vector<Strict>> strict_;  // by type
    std::vector<Node> nodes_;
    std::map<StateKey, State> states_;
    std::uint32_t firstRoot_ = none;
    std::size_t moving_ = 0;   // are in, but not placed
    bool isBeginning_ = true;  // the snapshot is read
    std::int64_t frame_ = 0;   // for sentences
    std::shared_ptr<const std::unordered_map<EntityId, std::uint32_t>> serials_;
    std::vector<bool> plain_;             // by type: nothing but numbers, no padding
    std::vector<std::uint32_t> changed_;  // nodes to be hashed anew
    std::uint64_t nodeSum_ = 0;
    std::uint64_t stateSum_ = 0;
    std::uint64_t resourceSum_ = 0;
    std::int64_t hookStates_ = 0;
    std::size_t opaqueNodes_ = 0;
};

}  // namespace revenant
