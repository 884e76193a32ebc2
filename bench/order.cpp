// The order list under insertion in its worst place, always at the same spot: the cost per
// insertion must stay flat, beside a std::list that keeps no labels at all.
#include <list>
#include <memory>
#include <vector>

#include "bench/report.hpp"
#include "bench/scene.hpp"
#include "world/storage/order_list.hpp"

namespace {

using namespace revenant;

enum class Spot { BehindTheLast, BehindTheFirst };

void insertAt(benchmark::State& state, Spot spot, std::size_t count) {
    std::int64_t inserted = 0;
    for ([[maybe_unused]] auto iteration : state) {
        const auto nodes = std::make_unique<OrderNode[]>(count + 2);
        OrderList order;
        order.pushBack(nodes[count]);
        order.pushBack(nodes[count + 1]);
        OrderNode* place = &nodes[count];
        const scene::Stopwatch watch;
        for (std::size_t i = 0; i < count; ++i) {
            order.insertAfter(*place, nodes[i]);
            if (spot == Spot::BehindTheLast) place = &nodes[i];
        }
        state.SetIterationTime(watch.seconds());
        inserted += static_cast<std::int64_t>(count);
        order.clear();
    }
    state.SetItemsProcessed(inserted);
}

void plainList(benchmark::State& state, std::size_t count) {
    for ([[maybe_unused]] auto iteration : state) {
        std::list<OrderNode*> list(2);
        const scene::Stopwatch watch;
        for (std::size_t i = 0; i < count; ++i) list.insert(std::next(list.begin()), nullptr);
        state.SetIterationTime(watch.seconds());
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * count));
}

const bool registered = [] {
    for (const std::size_t count : {1000UL, 10000UL, 100000UL, 1000000UL}) {
        const std::string suffix = "/" + std::to_string(count);
        bench::add("order/last" + suffix,
                   [count](auto& state) { insertAt(state, Spot::BehindTheLast, count); });
        bench::add("order/first" + suffix,
                   [count](auto& state) { insertAt(state, Spot::BehindTheFirst, count); });
        bench::add("order/plainList" + suffix, [count](auto& state) { plainList(state, count); });
        bench::addRow({"order: children inserted in one gap, " + std::to_string(count),
                       "order/last" + suffix, "order/plainList" + suffix, 0, 0});
        bench::addRow({"order: always right behind the same node, " + std::to_string(count),
                       "order/first" + suffix, "order/plainList" + suffix, 0, 0});
    }
    return true;
}();

}  // namespace
