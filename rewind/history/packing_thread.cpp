#include "rewind/history/packing_thread.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "rewind/history/delta_bytes.hpp"
#include "rewind/history/delta_composer.hpp"
#include "rewind/history/frame_packer.hpp"
#include "rewind/history/frame_unpacker.hpp"
#include "world/storage/memory_reserve.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace revenant {

namespace {

// The game comes first, where the system lets a thread say so.
void beNice([[maybe_unused]] int niceness) noexcept {
#ifdef __linux__
    setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), niceness);
#endif
}

// Of allocators that are known to keep what is freed.
void trim() noexcept {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

}  // namespace

void perform(PackingTask& task) {
    auto finish = [&task](DeltaComposer& composer) {
        task.net = std::make_shared<const std::vector<std::byte>>(
            packDelta(composer.finish(), task.zstdLevel));
    };
    if (task.kind == PackingTask::Kind::Unpack) {
        task.frames = std::make_shared<const std::vector<Frame>>(unpackFrames(*task.block));
    } else if (task.kind == PackingTask::Kind::Join) {
        DeltaComposer composer;
        for (const auto& net : task.nets) composer.add(unpackDelta(*net));
        finish(composer);
    } else {
        task.block = std::make_shared<const std::vector<std::byte>>(
            packFrames(*task.frames, {.zstdLevel = task.zstdLevel}));
        DeltaComposer composer;
        for (const Frame& frame : *task.frames) composer.add(frame.delta);
        finish(composer);
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
    {
        const std::lock_guard lock(mutex_);
        tasks_.push_back(std::move(task));
    }
    start();
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
    const std::lock_guard lock(mutex_);
    return std::erase(tasks_, task) > 0;
}

void PackingThread::giveBack() {
    {
        const std::lock_guard lock(mutex_);
        givesBack_ = true;
    }
    start();
}

void PackingThread::discard(std::shared_ptr<PackingTask> task) noexcept {
    if (!task) return;
    task->isUnwanted = true;
    {
        const std::lock_guard lock(mutex_);
        std::erase(tasks_, task);
    }
    discard(std::shared_ptr<const void>(std::move(task)));
}

void PackingThread::discard(std::shared_ptr<const void> what) noexcept {
    if (!what || !thread_.joinable()) return;  // then it goes here
    const std::lock_guard lock(mutex_);
    auto free = std::ranges::find(discarded_, nullptr);
    if (free == discarded_.end()) return;
    *free = std::move(what);
    wake_.notify_one();
}

void PackingThread::run() {
    beNice(niceness_);
    while (true) {
        std::shared_ptr<PackingTask> task;
        decltype(discarded_) discarded;
        bool givesBack = false;
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] {
                return isEnding_ || !tasks_.empty() || discarded_.front() || givesBack_;
            });
            if (isEnding_) return;
            discarded.swap(discarded_);
            if (!tasks_.empty()) {
                task = std::move(tasks_.front());
                tasks_.pop_front();
            } else {
                givesBack = std::exchange(givesBack_, false);
            }
        }
        discarded = {};
        if (givesBack) trim();
        if (!task || task->isUnwanted) continue;
        tryToPerform(*task);
    }
}

}  // namespace revenant
