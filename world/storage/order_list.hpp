// OrderList: the one order of the world, as a list of labelled nodes.
//
// An entity stands in it as an opening node and, once it has had children, a closing one;
// its descendants stand between the two, so that a child is appended to its parent in O(1)
// however deep the tree is, and a subtree is a contiguous range.
//
// Invariant: labels grow strictly along the list. "Does a come before b" is one comparison.
// A node inserted where no label is free makes its neighbourhood relabelled: the smallest
// aligned label range around it that is not too full (Bender et al., "Two simplified
// algorithms for maintaining order in a list"), O(log n) amortised in the worst place.
// Labels have 32 bits, so that views can keep them beside their rows for 4 bytes each; when the
// appended ones reach the end, all are relabelled evenly, at most once per as many appends as there are
// nodes. Road not taken: a second level of buckets for O(1) amortised; measured, the relabelling
// is already below the noise (bench/order.cpp).
//
// Owned by Forest, touched only on the world's thread.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <vector>

namespace revenant {

struct OrderTag;

struct OrderNode
    : boost::intrusive::list_base_hook<boost::intrusive::tag<OrderTag>,
                                       boost::intrusive::link_mode<boost::intrusive::normal_link>> {
    std::uint32_t label = 0;
    bool closes : 1 = false;  // false: opens the entity's range
    bool linked : 1 = false;
};

// Labels from `begin` to before `end` whose nodes were relabelled within the same range.
struct LabelRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

class OrderList {
public:
    using List =
        boost::intrusive::list<OrderNode,
                               boost::intrusive::base_hook<boost::intrusive::list_base_hook<
                                   boost::intrusive::tag<OrderTag>,
                                   boost::intrusive::link_mode<boost::intrusive::normal_link>>>,
                               boost::intrusive::constant_time_size<false>>;

    void pushBack(OrderNode& node);
    void pushFront(OrderNode& node);
    // REQUIRES: `place` is linked, `node` is not.
    void insertAfter(OrderNode& place, OrderNode& node);
    void erase(OrderNode& node) noexcept {
        nodes_.erase(List::s_iterator_to(node));
        node.linked = false;
    }
    void clear() noexcept { nodes_.clear(); }

    const List& nodes() const noexcept { return nodes_; }
    // The node before `node`, or nullptr at the front.
    const OrderNode* before(const OrderNode& node) const noexcept;
    // The node behind it, or nullptr at the end.
    const OrderNode* after(const OrderNode& node) const noexcept;
    const OrderNode* first() const noexcept { return nodes_.empty() ? nullptr : &nodes_.front(); }
    OrderNode* last() noexcept { return nodes_.empty() ? nullptr : &nodes_.back(); }

    // How many labels were rewritten to make room, ever.
    std::uint64_t relabelled() const noexcept { return relabelled_; }
    // Where they were rewritten since this was last cleared.
    std::vector<LabelRange>& relabelledRanges() noexcept { return relabelledRanges_; }

private:
    void makeRoomAfter(OrderNode& place);
    void spreadAll();
    void relabel(const List::iterator& first, const List::iterator& last, std::uint64_t count,
                 std::uint64_t begin, std::uint64_t gap) noexcept;

    List nodes_;
    const OrderNode* lastInserted_ = nullptr;  // only compared, never read
    std::uint64_t relabelled_ = 0;
    std::vector<LabelRange> relabelledRanges_;
};

}  // namespace revenant
