#include "world/order_list.hpp"

#include <iterator>

#include "world/error.hpp"

namespace revenant {

namespace {
constexpr int labelBits = 62;
constexpr std::uint64_t labelLimit = std::uint64_t{1} << labelBits;
// Between nodes appended at the end: room for many insertions, and for 2^34 appends.
constexpr std::uint64_t appendGap = std::uint64_t{1} << 28;
// Overflow threshold of a range of 2^i labels is (2/1.5)^i nodes.
constexpr double rangeGrowth = 2.0 / 1.5;
}  // namespace

const OrderNode* OrderList::before(const OrderNode& node) const noexcept {
    auto at = List::s_iterator_to(node);
    return at == nodes_.begin() ? nullptr : &*std::prev(at);
}

void OrderList::pushBack(OrderNode& node) {
    if (nodes_.empty()) {
        node.label = appendGap;
    } else if (nodes_.back().label < labelLimit - appendGap) {
        node.label = nodes_.back().label + appendGap;
    } else {
        insertAfter(nodes_.back(), node);
        return;
    }
    nodes_.push_back(node);
    node.linked = true;
}

void OrderList::insertAfter(OrderNode& place, OrderNode& node) {
    auto next = std::next(List::s_iterator_to(place));
    if (next == nodes_.end() && place.label < labelLimit - appendGap) {
        pushBack(node);
        return;
    }
    auto freeLabels = [&] {
        const std::uint64_t end = next == nodes_.end() ? labelLimit : next->label;
        return end - place.label - 1;
    };
    if (freeLabels() == 0) makeRoomAfter(place);
    // Opening nodes arrive in ascending order (children are appended), closing ones in
    // descending order (trees grow deeper): lean to the side from which no more will come,
    // so that a gap serves 64 times the insertions that halving it would.
    const std::uint64_t room = freeLabels();
    const std::uint64_t step = room / 64;
    node.label = node.closes ? place.label + room - step : place.label + 1 + step;
    nodes_.insert(next, node);
    node.linked = true;
}

void OrderList::makeRoomAfter(OrderNode& place) {
    auto first = List::s_iterator_to(place);
    auto last = first;
    std::uint64_t count = 1;
    double capacity = 1;
    for (int bits = 1; bits <= labelBits; ++bits) {
        capacity *= rangeGrowth;
        const std::uint64_t size = std::uint64_t{1} << bits;
        const std::uint64_t begin = place.label & ~(size - 1);
        while (first != nodes_.begin() && std::prev(first)->label >= begin) --first, ++count;
        while (std::next(last) != nodes_.end() && std::next(last)->label - begin < size)
            ++last, ++count;
        // A few labels of room beside each node are the least that helps; the whole range is
        // the last resort, however full.
        const bool tooFull = static_cast<double>(count) > capacity && bits < labelBits;
        if (tooFull || size / count < 4) continue;
        const std::uint64_t gap = size / count;
        std::uint64_t label = begin;
        for (auto node = first;; ++node, label += gap) {
            node->label = label;
            if (node == last) break;
        }
        relabelled_ += count;
        return;
    }
    fail(ErrorCode::LimitReached, "the world's order list is full");
}

}  // namespace revenant
