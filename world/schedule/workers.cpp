// Workers on oneTBB. The only file that sees it.
#include "world/schedule/workers.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

namespace revenant {

namespace {

// TBB makes no more threads than there are cores unless it is configured to. Configured once for all worlds, and never undone: TBB 2021.8
// may give an arena no worker any more after the limit was lowered.
void allowThreads(int threads) {
    static std::mutex mutex;
    static int allowed = tbb::info::default_concurrency();
    static tbb::global_control* control = nullptr;
    const std::scoped_lock lock(mutex);
    if (threads <= allowed) return;
    auto* raised = new tbb::global_control(tbb::global_control::max_allowed_parallelism,
                                           static_cast<std::size_t>(threads));
    delete control;  // the lowest of them counts
    control = raised;
    allowed = threads;
}

// Arenas that no world uses, by their number of threads. They are used again: on a busy machine threads stay for seconds in an arena
// that was given up, and a new one would wait for them. Never freed: worlds may end after everything else.
struct SpareArenas {
    std::mutex mutex;
    std::multimap<int, std::unique_ptr<tbb::task_arena>> arenas;
};

SpareArenas& spareArenas() {
    static auto* const spare = new SpareArenas;
    return *spare;
}

std::unique_ptr<tbb::task_arena> takeArena(int threads) {
    SpareArenas& spare = spareArenas();
    const std::scoped_lock lock(spare.mutex);
    const auto found = spare.arenas.find(threads);
    if (found == spare.arenas.end()) return std::make_unique<tbb::task_arena>(threads, 1);
    return std::move(spare.arenas.extract(found).mapped());
}

class TbbWorkers final : public Workers {
public:
    explicit TbbWorkers(int threads) : threads_(threads) {
        allowThreads(threads);
        arena_ = takeArena(threads);
    }
    ~TbbWorkers() override {
        SpareArenas& spare = spareArenas();
        const std::scoped_lock lock(spare.mutex);
        spare.arenas.emplace(threads_, std::move(arena_));
    }

    int count() const noexcept override { return threads_; }
    int lane() const noexcept override {
        return std::max(tbb::this_task_arena::current_thread_index(), 0);
    }

    void runStage(const std::vector<PlannedSystem>& systems, Work work) override {
        if (waiting_.size() < systems.size())
            waiting_ = std::vector<std::atomic<std::uint32_t>>(systems.size());
        for (std::size_t i = 0; i < systems.size(); ++i)
            waiting_[i].store(systems[i].waitsFor, std::memory_order_relaxed);
        arena_->execute([&] {
            tbb::task_group group;
            std::size_t own = systems.size();  // the first that waits for nothing: for this thread
            for (std::size_t i = 0; i < systems.size(); ++i) {
                if (systems[i].waitsFor != 0) continue;
                if (own == systems.size())
                    own = i;
                else
                    group.run([&, i] { runFrom(i, systems, work, group); });
            }
            if (own < systems.size()) runFrom(own, systems, work, group);
            group.wait();
        });
    }

    void runChunks(std::size_t count, Work work) override {
        arena_->execute([&] {
            // Isolated: a thread that waits for the last chunk takes up no other system meanwhile.
            tbb::this_task_arena::isolate([&] {
                tbb::parallel_for(
                    tbb::blocked_range<std::size_t>(0, count, 1),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                        for (std::size_t i = range.begin(); i != range.end(); ++i) work(i);
                    },
                    tbb::simple_partitioner());
            });
        });
    }

private:
    // Runs a system, then one of those that waited for it last of all; others are handed over.
    void runFrom(std::size_t i, const std::vector<PlannedSystem>& systems, Work work,
                 tbb::task_group& group) {
        for (std::size_t next = i; next < systems.size();) {
            work(next);
            const std::vector<std::uint32_t>& followers = systems[next].followers;
            next = systems.size();
            for (const std::uint32_t follower : followers) {
                if (waiting_[follower].fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
                if (next == systems.size())
                    next = follower;
                else
                    // It may begin when this call has ended: it takes `work` along.
                    group.run([this, &systems, &group, work, follower] {
                        runFrom(follower, systems, work, group);
                    });
            }
        }
    }

    int threads_;
    std::unique_ptr<tbb::task_arena> arena_;
    std::vector<std::atomic<std::uint32_t>> waiting_;  // by place in the stage
};

}  // namespace

std::unique_ptr<Workers> makeWorkers(int threads) {
    if (threads == 0) threads = tbb::info::default_concurrency();
    if (threads <= 1) return nullptr;
    return std::make_unique<TbbWorkers>(threads);
}

}  // namespace revenant
