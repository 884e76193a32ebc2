#include "tests/fuzz/history_mutator.hpp"

#include <algorithm>
#include <array>

namespace revenant::fuzz {

void HistoryMutator::learn(const Tree& tree) {
    for (const Section& section : tree.sections) learn(section.content);
}

void HistoryMutator::learn(const Node& node) {
    constexpr std::size_t mostPerName = 64;
    std::vector<Node>& known = donors_[node.name];
    if (known.size() < mostPerName)
        known.push_back(node);
    else
        known[below(mostPerName)] = node;
    for (const Node& child : node.children) learn(child);
}

const Node* HistoryMutator::donor(std::string_view name) {
    const auto found = donors_.find(name);
    return found == donors_.end() ? nullptr : &found->second[below(found->second.size())];
}

// Frames are worth more tries than names and schemas.
Section& HistoryMutator::choose(Tree& tree) {
    Section& section = tree.sections[below(tree.sections.size())];
    if (section.kind >= SectionKind::Entities || below(3) == 0) return section;
    return tree.sections[below(tree.sections.size())];
}

void HistoryMutator::mutate(Tree& tree) {
    mutateForNow(tree);
    before_.clear();
}

void HistoryMutator::mutateForNow(Tree& tree) {
    before_.clear();
    for (std::uint64_t count = 1 + (below(2) == 0 ? 0 : below(4)); count > 0; --count) {
        Section& section = choose(tree);
        before_.emplace_back(&section - tree.sections.data(), section);
        section.packed.clear();
        mutate(section.content);
    }
}

void HistoryMutator::undo(Tree& tree) {
    for (; !before_.empty(); before_.pop_back())
        tree.sections[before_.back().first] = std::move(before_.back().second);
}

// Walks down the tree at random, and changes the node where it stops.
void HistoryMutator::mutate(Node& node) {
    using enum Node::Kind;
    if (!node.children.empty() && (node.kind == Zstd || node.kind == SizedZstd || below(6) > 0))
        return mutate(node.children[below(node.children.size())]);
    switch (node.kind) {
        case Number:
        case Signed:
        case Byte:
        case U32:
        case U64: mutateNumber(node); break;
        case Sized:
        case Rest: mutateBytes(node); break;
        case List: mutateList(node); break;
        case Optional:
            if (!node.children.empty())
                node.children.clear();
            else if (const Node* other = donor(node.name))
                node = *other;
            break;
        default:
            if (const Node* other = donor(node.name)) node = *other;
    }
}

void HistoryMutator::mutateNumber(Node& node) {
    static constexpr std::array<std::uint64_t, 12> telling{
        0, 1, 2, 3, 0x7F, 0x80, 0xFFFFFFFF, 0x100000000, 0x7FFFFFFF, UINT64_MAX, INT64_MAX, 0xFFFF};
    switch (below(8)) {
        case 0: node.value += 1; break;
        case 1: node.value -= 1; break;
        case 2: node.value ^= std::uint64_t{1} << below(8); break;
        case 3: node.value ^= std::uint64_t{1} << below(64); break;
        case 4: node.value = telling[below(telling.size())]; break;
        case 5: node.value = below(8); break;
        default:
            if (const Node* other = donor(node.name)) node.value = other->value;
    }
}

void HistoryMutator::mutateBytes(Node& node) {
    const Node* other = donor(node.name);
    if (below(3) == 0 && other)
        node.bytes = other->bytes;
    else
        wound(node.bytes, random_);
}

void HistoryMutator::mutateList(Node& node) {
    auto& all = node.children;
    auto any = [&] { return all.begin() + static_cast<std::ptrdiff_t>(below(all.size())); };
    const Node* other = donor(node.name);
    switch (all.empty() ? 6 + below(3) : below(9)) {
        case 0:
        case 1: all.erase(any()); break;
        case 2: {
            Node copy = *any();
            all.insert(any(), std::move(copy));
            break;
        }
        case 3:
        case 4: std::iter_swap(any(), any()); break;
        case 5: node.miscount += below(2) == 0 ? 1 : -1; break;
        case 6:
            if (other) all = other->children;
            break;
        default:
            if (other && !other->children.empty()) {
                const auto place = all.begin() + static_cast<std::ptrdiff_t>(below(all.size() + 1));
                all.insert(place, other->children[below(other->children.size())]);
            }
    }
}

void wound(Bytes& bytes, std::mt19937_64& random) {
    constexpr std::byte telling[] = {std::byte{0},    std::byte{1},    std::byte{0x7F},
                                     std::byte{0x80}, std::byte{0xFF}, std::byte{2}};
    for (unsigned count = 1 + static_cast<unsigned>(random() % 3); count > 0; --count) {
        if (bytes.empty()) bytes.push_back(std::byte{0});
        const auto at = static_cast<std::ptrdiff_t>(random() % bytes.size());
        const auto place = bytes.begin() + at;
        const auto rest = static_cast<std::size_t>(bytes.end() - place);
        const auto length = static_cast<std::ptrdiff_t>(random() % std::min<std::size_t>(rest, 9));
        switch (random() % 6) {
            case 0: *place ^= static_cast<std::byte>(1U << (random() % 8)); break;
            case 1: *place = telling[random() % std::size(telling)]; break;
            case 2: *place = static_cast<std::byte>(static_cast<unsigned>(*place) + 1); break;
            case 3: bytes.erase(place, place + length); break;
            case 4: {
                const Bytes copy(place, place + length);
                const auto to = static_cast<std::ptrdiff_t>(random() % bytes.size());
                bytes.insert(bytes.begin() + to, copy.begin(), copy.end());
                break;
            }
            default: {
                const auto to = static_cast<std::ptrdiff_t>(
                    random() % (bytes.size() - static_cast<std::size_t>(length)));
                std::copy_n(Bytes(place, place + length).begin(), length, bytes.begin() + to);
                break;
            }
        }
    }
}

}  // namespace revenant::fuzz
