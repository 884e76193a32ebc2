#include "rewind/packing_thread.hpp"

#include <utility>

#include "rewind/delta_bytes.hpp"
#include "rewind/delta_composer.hpp"
#include "rewind/frame_packer.hpp"
#include "rewind/frame_unpacker.hpp"

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

constexpr std::size_t mostDiscarded = 2;  // that wait to be freed

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

void PackingThread::start() {
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    wake_.notify_one();
}

void PackingThread::giveBack() {
    {
        const std::lock_guard lock(mutex_);
        givesBack_ = true;
    }
    start();
}

void PackingThread::discard(std::shared_ptr<PackingTask> task) {
    if (!task) return;
    task->isUnwanted = true;
    {
        const std::lock_guard lock(mutex_);
        std::erase(tasks_, task);
    }
    discard(std::shared_ptr<const void>(std::move(task)));
}

void PackingThread::discard(std::shared_ptr<const void> what) {
    if (!what || !thread_.joinable()) return;  // then it goes here
    const std::lock_guard lock(mutex_);
    if (discarded_.size() >= mostDiscarded) return;
    discarded_.push_back(std::move(what));
    wake_.notify_one();
}

void PackingThread::run() {
    beNice(niceness_);
    while (true) {
        std::shared_ptr<PackingTask> task;
        std::vector<std::shared_ptr<const void>> discarded;
        bool givesBack = false;
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] {
                return isEnding_ || !tasks_.empty() || !discarded_.empty() || givesBack_;
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
        discarded.clear();
        if (givesBack) trim();
        if (!task || task->isUnwanted) continue;
        try {
            perform(*task);
        } catch (...) {
            // Out of memory: the frames stay as they are, which is no loss.
            task->isUnwanted = true;
        }
    }
}

}  // namespace revenant
