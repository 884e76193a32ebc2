// ViewLinks: the views that one Lua state uses of one world, and the cells of their columns.
//
// When the clock is raised, as a reconcile begins, all columns close: their `count` is 0, so that the bounds check of the first
// access fails and comes here (openColumn), where pages are marked open for writing. So a mark costs
// nothing per row, and columns that no script touches are never marked.
//
// Owned by WorldLink. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "views/components_view.hpp"

namespace revenant {

// What a column's Lua object looks like in memory; Lua owns it. `count` is what the bounds check
// compares with.
struct ColumnCells {
    const void* rows;       // pointers to components; of `entities`: RowHeads
    std::int32_t count;     // 0 while closed
    std::int32_t released;  // 1: its view was released
};

// A view that Lua uses.
struct ViewLink {
    std::shared_ptr<ComponentsView> view;
    std::uint32_t uses = 0;
    std::vector<ColumnCells*> cells;  // of `entities`, of the columns, then of loops over runs
    struct Run {
        std::uint32_t first, count;
    };
    struct Runs {
        std::uint64_t columns = 0;  // one bit per column
        bool mayScatter = false;
        bool isScattered = false;
        std::uint64_t asOf = 0;
        std::vector<Run> runs;
        std::vector<const void*> starts;  // of the columns, where there is one run
        std::uint32_t startChanges = 0;
        // How often rows must look long before runs stop being scattered, doubled each time: loops are compiled for one or
        // the other.
        std::uint32_t patience = 1;
        std::uint32_t longSince = 0;
    };
    std::vector<Runs> runs;
};

class ViewLinks {
public:
    // The view's number; the same one for the same view. Counted: a finalizer of the script's may ask for a
    // view, and give it back, while another is being made of it.
    std::uint32_t add(std::shared_ptr<ComponentsView> view);
    ViewLink& at(std::uint32_t number);
    // Releases the view; its columns raise from now on.
    void release(std::uint32_t number);
    // Releases a view of which no columns were handed out.
    void drop(std::uint32_t number);
    // Column -1: `entities`.
    void openColumn(ColumnCells& cells, std::uint32_t view, std::int32_t column,
                    std::uint32_t tick);
    void closeColumns() noexcept;
    // The rows that lie side by side in all of `columns`, a set of bits, which it opens. If they `mayScatter` and runs would be
    // short, runs are of rows that have the same of these components. `cells` are open, with the number of runs, until the
    // columns close.
    const ViewLink::Runs& openRuns(ColumnCells& cells, std::uint32_t view, std::uint64_t columns,
                                   bool mayScatter, std::uint32_t tick);
    // The world was reset: access to the columns raises from now on.
    void releaseAll() noexcept;
    // The cells may be gone already.
    void forget() noexcept {
        open_.clear();
        views_.clear();
    }

private:
    static ViewLink::Runs& findRuns(ViewLink& view, std::uint64_t columns, bool mayScatter);
    static void noteStarts(const ViewLink& view, ViewLink::Runs& runs);

    std::vector<ViewLink> views_;
    std::vector<ColumnCells*> open_;
};

}  // namespace revenant
