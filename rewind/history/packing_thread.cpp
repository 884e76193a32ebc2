#include "rewind/history/packing_thread.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>

#include "rewind/history/delta_bytes.hpp"
#include "rewind/history/delta_pair.hpp"
#include "rewind/history/frame_packer.hpp"
#include "rewind/history/frame_unpacker.hpp"
#include "world/storage/memory_reserve.hpp"

namespace revenant {

namespace {

// Composes deltas in pairs, the results in pairs, and so on: where the same components change in each, that is one pass
// over their words.
class DeltaSum {
public:
    void add(Delta sum) {
        std::size_t level = 0;
        for (; level < sums_.size() && sums_[level]; ++level)
            sum = composePair(*std::exchange(sums_[level], std::nullopt), std::move(sum));
        if (level == sums_.size()) sums_.emplace_back();
        sums_[level] = std::move(sum);
    }
    Delta finish() {
        std::optional<Delta> whole;
        for (std::optional<Delta>& sum : sums_) {
            if (!sum) continue;
            whole = whole ? composePair(*std::move(sum), *std::move(whole)) : *std::move(sum);
        }
        return whole ? *std::move(whole) : Delta{};
    }

private:
    std::vector<std::optional<Delta>> sums_;  // of 1, 2, 4, ... deltas, the later ones first
};

}  // namespace

void perform(PackingTask& task) {
    auto pack = [&task](const Delta& net) {
        task.net = std::make_shared<const std::vector<std::byte>>(packDelta(net, task.zstdLevel));
    };
    if (task.kind == PackingTask::Kind::Unpack) {
        task.frames = std::make_shared<std::vector<Frame>>(unpackFrames(*task.packed));
    } else if (task.kind == PackingTask::Kind::Join) {
        DeltaSum sum;
        for (const auto& net : task.nets) sum.add(unpackDelta(*net));
        pack(sum.finish());
    } else {
        task.packed = std::make_shared<const std::vector<std::byte>>(
            packFrames(*task.frames, {.zstdLevel = task.zstdLevel}));
        if (task.makesNet) {
            DeltaSum sum;
            for (const Frame& frame : *task.frames) sum.add(frame.delta);
            pack(sum.finish());
        }
    }
    task.isDone.store(true, std::memory_order_release);
}

void tryToPerform(PackingTask& task) noexcept {
    const MemoryReserve::Pause pause;
    try {
        perform(task);
    } catch (...) {
        // The frames stay as they are, and are packed later.
        task.hasFailed = true;
    }
}

PackingThread::~PackingThread() {
    {
        const std::lock_guard lock(mutex_);
        isEnding_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
}

void PackingThread::add(std::shared_ptr<PackingTask> task) {
    late_.push_back(std::move(task));
    start();
    flush();
}

// Returns whether there was any.
bool PackingThread::tryToHandOver() noexcept {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return false;
    try {
        while (!late_.empty()) {
            tasks_.push_back(late_.front());
            late_.pop_front();
        }
    } catch (const std::bad_alloc&) {
        return !tasks_.empty();
    }
    givesBack_ = givesBack_ || std::exchange(isLateToGiveBack_, false);
    isLateToWake_ = false;
    return true;
}

void PackingThread::flush() noexcept {
    if (!late_.empty() || isLateToGiveBack_ || isLateToWake_)
        if (tryToHandOver()) wake_.notify_one();
}

void PackingThread::setPaused(bool isPaused) noexcept {
    const unsigned before = isPaused ? state_.fetch_or(paused) : state_.fetch_and(~paused);
    if (isPaused == ((before & paused) != 0)) return;
    isLateToWake_ = !isPaused;
    flush();
}

bool PackingThread::tryToBegin() noexcept {
    unsigned idle = 0;
    return state_.compare_exchange_strong(idle, working);
}

// If the system cannot start a thread, tasks wait until it can.
void PackingThread::start() noexcept {
    try {
        if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    } catch (const std::exception&) {
        return;
    }
    wake_.notify_one();
}

bool PackingThread::keepRunning() noexcept {
    if (!thread_.joinable()) start();
    return thread_.joinable();
}

bool PackingThread::takeBack(const std::shared_ptr<PackingTask>& task) noexcept {
    if (std::erase(late_, task) > 0) return true;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    return lock && std::erase(tasks_, task) > 0;
}

bool PackingThread::isQueued(const std::shared_ptr<PackingTask>& task) const noexcept {
    return std::ranges::count(tasks_, task) > 0 || std::ranges::count(late_, task) > 0;
}

void PackingThread::dropQueued(const std::shared_ptr<PackingTask>& task) noexcept {
    std::erase(tasks_, task);
    std::erase(late_, task);
}

void PackingThread::giveBack() {
    isLateToGiveBack_ = true;
    start();
    flush();
}

// Whether the machine has time for a thread of the idle class: whether half a millisecond of work takes less than
// ten times as long. The lock is released meanwhile.
bool PackingThread::findsTime(std::unique_lock<std::mutex>& lock) {
    using namespace std::chrono;
    constexpr auto work = microseconds(500);
    constexpr auto longest =
        microseconds(100);  // between two looks at the clock, if nothing else runs
    lock.unlock();
    const auto begin = steady_clock::now();
    auto last = begin;
    for (auto done = steady_clock::duration::zero(); done < work;) {
        const auto now = steady_clock::now();
        if (now - last < longest) done += now - last;
        last = now;
    }
    lock.lock();
    return last - begin < 10 * work;
}

void PackingThread::run() {
    constexpr auto pause = std::chrono::milliseconds(20);
    setThreadClass(class_);
    while (true) {
        std::shared_ptr<PackingTask> task;
        bool givesBack = false;
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] { return isEnding_ || hasTask() || givesBack_; });
            if (isEnding_) return;
            // A task that was begun pins its frames: on a busy machine they are thinned instead.
            if (class_ == ThreadClass::Idle && !findsTime(lock)) {
                wake_.wait_for(lock, pause, [this] { return isEnding_; });
                continue;
            }
            if (!tasks_.empty() && tryToBegin()) {
                task = std::move(tasks_.front());
                tasks_.pop_front();
            } else {
                givesBack = std::exchange(givesBack_, false);
            }
        }
        if (givesBack) trimFreeMemory();
        if (!task) continue;
        if (!task->isUnwanted) tryToPerform(*task);
        state_ &= ~working;
    }
}

}  // namespace revenant
