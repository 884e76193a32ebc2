// Timeline: goes through what frames do to a forest, without a world, and throws where they make no
// sense: Error{BadArgument} that names the frame. Behind it, whoever puts the frames into a
// world need not ask again who is where and made of what.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "rewind/frame.hpp"
#include "rewind/snapshot.hpp"
#include "world/component_schema.hpp"

namespace revenant {

class Timeline {
public:
    // Begins with what the snapshot says, if that makes sense. The components outlive it.
    Timeline(const std::vector<ComponentSchema>& components, const Snapshot& snapshot,
             std::int64_t shown);

    // REQUIRES: called for consecutive frames.
    void undo(const Frame& frame);
    void redo(const Frame& frame);

private:
    static constexpr std::uint32_t none = UINT32_MAX;
    struct Node {
        EntityId id;  // null: nobody is known here
        bool in = false;
        bool placed = false;  // it is among its siblings
        std::uint32_t parent = none;
        std::uint32_t elder = none;
        std::uint32_t younger = none;
        std::uint32_t eldest = none;         // of its children
        std::vector<ComponentTypeId> types;  // ascending
    };

    [[noreturn]] void damaged(std::string_view why) const;
    void require(bool holds, std::string_view otherwise) const {
        if (!holds) damaged(otherwise);
    }
    Node& nodeOf(EntityId id);
    std::uint32_t indexOf(EntityId id);  // of one that may be null
    std::uint32_t& eldestOf(std::uint32_t parent) {
        return parent == none ? eldestRoot_ : nodes_[parent].eldest;
    }
    std::size_t wordsOfType(ComponentTypeId type) const;
    std::vector<ComponentTypeId> typesOf(const Makeup& makeup) const;
    void unlink(Node& node);
    void link(Node& node, std::uint32_t parent, std::uint32_t elder);
    void leave(const std::vector<Step>& steps);
    void enter(const std::vector<Step>& steps);
    void finishMoves(const std::vector<Step>& left);
    void rebind(const std::vector<Rebinding>& rebindings, bool undone);
    void checkDisabled(std::uint64_t disabled, std::size_t components) const;
    void checkToggles(const std::vector<Toggle>& toggles, bool before);
    void checkWords(const Words& words);
    void checkRest(const Delta& delta);

    const std::vector<ComponentSchema>& components_;
    std::vector<char> stateKinds_;  // by number of the name
    std::vector<Node> nodes_;
    std::uint32_t eldestRoot_ = none;
    std::size_t floating_ = 0;  // in, but between two places
    std::int64_t frame_ = 0;    // for sentences
};

}  // namespace revenant
