#include "rewind/history/packing_thread.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "rewind/history/delta_bytes.hpp"
#include "rewind/history/delta_composer.hpp"
#include "rewind/history/delta_pair.hpp"
#include "rewind/history/frame_packer.hpp"
#include "rewind/history/frame_unpacker.hpp"
#include "world/storage/memory_reserve.hpp"

namespace revenant {

namespace {

// All of them together. By twos, those by twos, and so on: where the same components change in every frame, that is
// a pass over their words.
Delta netOf(const std::vector<Frame>& frames) {
    std::vector<std::optional<Delta>> sums;  // of 1, 2, 4, ... frames, the later ones first
    for (const Frame& frame : frames) {
        Delta sum = frame.delta;
        std::size_t level = 0;
        for (; level < sums.size() && sums[level]; ++level)
            sum = composePair(*std::exchange(sums[level], std::nullopt), sum);
        if (level == sums.size()) sums.emplace_back();
        sums[level] = std::move(sum);
    }
    std::optional<Delta> whole;
    for (std::optional<Delta>& sum : sums) {
        if (!sum) continue;
        whole = whole ? composePair(*std::move(sum), *whole) : *std::move(sum);
    }
    return whole ? *std::move(whole) : Delta{};
}

}  // namespace

void perform(PackingTask& task) {
    auto pack = [&task](const Delta& net) {
        task.net = std::make_shared<const std::vector<std::byte>>(packDelta(net, task.zstdLevel));
    };
    if (task.kind == PackingTask::Kind::Unpack) {
        task.frames = std::make_shared<std::vector<Frame>>(unpackFrames(*task.block));
    } else if (task.kind == PackingTask::Kind::Join) {
        DeltaComposer composer;
        for (const auto& net : task.nets) composer.add(unpackDelta(*net));
        pack(composer.finish());
    } else {
        task.block = std::make_shared<const std::vector<std::byte>>(
            packFrames(*task.frames, {.zstdLevel = task.zstdLevel}));
        pack(netOf(*task.frames));
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

// Answers whether anything was.
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
    return true;
}

void PackingThread::flush() noexcept {
    if (!late_.empty() || isLateToGiveBack_)
        if (tryToHandOver()) wake_.notify_one();
}

// Where the system has no thread to give, tasks wait until it has.
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

void PackingThread::run() {
    setThreadClass(class_);
    while (true) {
        std::shared_ptr<PackingTask> task;
        bool givesBack = false;
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] { return isEnding_ || !tasks_.empty() || givesBack_; });
            if (isEnding_) return;
            if (!tasks_.empty()) {
                task = std::move(tasks_.front());
                tasks_.pop_front();
            } else {
                givesBack = std::exchange(givesBack_, false);
            }
        }
        if (givesBack) trimFreeMemory();
        if (!task || task->isUnwanted) continue;
        tryToPerform(*task);
    }
}

}  // namespace revenant
