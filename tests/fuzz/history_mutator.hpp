// HistoryMutator: changes trees of history files at random: numbers to boundary values or to others of the same
// meaning, lists by leaving out, doubling, swapping or borrowing elements. It turns recorded
// histories into ones that nearly make sense.
#pragma once

#include <map>
#include <random>
#include <string_view>

#include "tests/fuzz/history_tree.hpp"

namespace revenant::fuzz {

class HistoryMutator {
public:
    explicit HistoryMutator(std::uint64_t seed) : random_(seed) {}

    // Parts of this tree may be put into others.
    void learn(const Tree& tree);
    void mutate(Tree& tree);
    // The same to a tree that is used again: undo puts back what the last mutation changed.
    void mutateForNow(Tree& tree);
    void undo(Tree& tree);
    std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

private:
    void learn(const Node& node);
    void mutate(Node& node);
    void mutateNumber(Node& node);
    void mutateBytes(Node& node);
    void mutateList(Node& node);
    const Node* donor(std::string_view name);
    Section& choose(Tree& tree);

    std::mt19937_64 random_;
    std::vector<std::pair<std::size_t, Section>> before_;  // what the last mutation changed
    std::map<std::string_view, std::vector<Node>> donors_;
};

// Damages bytes that may mean anything.
void wound(Bytes& bytes, std::mt19937_64& random);

}  // namespace revenant::fuzz
