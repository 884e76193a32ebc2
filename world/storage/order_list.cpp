#include "world/storage/order_list.hpp"

#include <algorithm>
#include <iterator>

#include "world/error.hpp"

namespace revenant {

namespace {
constexpr int labelBits = 32;
constexpr std::uint64_t labelLimit = std::uint64_t{1} << labelBits;
// Between nodes appended at the end: room for insertions, and for four million appends before all
// are relabelled evenly. Measured: once in a million, that was a fiftieth of the cost of churn.
constexpr std::uint64_t appendGap = std::uint64_t{1} << 10;
// A range of 2^i labels is too full with more than 1.75^i nodes: all 2^32 hold some sixty
// million, and small ranges leave room beside each node.
constexpr double rangeGrowth = 1.75;
}  // namespace

const OrderNode* OrderList::before(const OrderNode& node) const noexcept {
    auto at = List::s_iterator_to(node);
    return at == nodes_.begin() ? nullptr : &*std::prev(at);
}

const OrderNode* OrderList::after(const OrderNode& node) const noexcept {
    auto next = std::next(List::s_iterator_to(node));
    return next == nodes_.end() ? nullptr : &*next;
}

void OrderList::pushBack(OrderNode& node) {
    std::uint64_t label = nodes_.empty() ? appendGap : nodes_.back().label + appendGap;
    if (label >= labelLimit) {
        spreadAll();
        label = nodes_.back().label + std::min(appendGap, (labelLimit - nodes_.back().label) / 2);
    }
    node.label = static_cast<std::uint32_t>(label);
    nodes_.push_back(node);
    node.linked = true;
}

void OrderList::pushFront(OrderNode& node) {
    if (nodes_.empty()) {
        pushBack(node);
        return;
    }
    if (nodes_.front().label == 0) spreadAll();
    const std::uint32_t room = nodes_.front().label;
    node.label = room - 1 - room / 64;
    nodes_.push_front(node);
    node.linked = true;
}

void OrderList::insertAfter(OrderNode& place, OrderNode& node) {
    auto next = std::next(List::s_iterator_to(place));
    if (next == nodes_.end()) {
        pushBack(node);
        return;
    }
    if (next->label - place.label == 1) makeRoomAfter(place);
    // Children are appended, so opening nodes mostly arrive in ascending order; closing ones, and
    // whatever keeps coming in front of the last, in descending order. Lean to the side from
    // which no more will come: a gap then serves many more insertions than halving it would.
    const std::uint32_t room = next->label - place.label - 1;
    const std::uint32_t step = room / 64;
    const bool descending = node.closes || (&*next == lastInserted_ && !next->closes);
    node.label = descending ? place.label + room - step : place.label + 1 + step;
    lastInserted_ = &node;
    nodes_.insert(next, node);
    node.linked = true;
}

// Leaves the upper half of the labels free for those to be appended.
void OrderList::spreadAll() {
    const std::uint64_t count = nodes_.size();
    const std::uint64_t gap = std::min(appendGap, labelLimit / 2 / count);
    if (gap < 2) fail(ErrorCode::LimitReached, "the world's order list is full");
    relabel(nodes_.begin(), std::prev(nodes_.end()), count, gap, gap);
    relabelledRanges_.push_back({0, labelLimit});
}

void OrderList::makeRoomAfter(OrderNode& place) {
    auto first = List::s_iterator_to(place);
    auto last = first;
    std::uint64_t count = 1;
    double capacity = 1;
    for (int bits = 1; bits < labelBits; ++bits) {
        capacity *= rangeGrowth;
        const std::uint64_t size = std::uint64_t{1} << bits;
        const std::uint64_t begin = place.label & ~(size - 1);
        while (first != nodes_.begin() && std::prev(first)->label >= begin) --first, ++count;
        while (std::next(last) != nodes_.end() && std::next(last)->label - begin < size)
            ++last, ++count;
        // A few labels of room beside each node are the least that helps.
        if (static_cast<double>(count) > capacity || size / count < 4) continue;
        relabel(first, last, count, begin, size / count);
        relabelledRanges_.push_back({begin, begin + size});
        return;
    }
    spreadAll();
}

void OrderList::relabel(const List::iterator& first, const List::iterator& last,
                        std::uint64_t count, std::uint64_t begin, std::uint64_t gap) noexcept {
    for (auto node = first;; ++node, begin += gap) {
        node->label = static_cast<std::uint32_t>(begin);
        if (node == last) break;
    }
    relabelled_ += count;
}

}  // namespace revenant
