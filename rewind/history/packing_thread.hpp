// PackingThread: packs and unpacks blocks of frames beside the game. It touches only what its tasks
// hold. A task that is no longer needed is dropped without waiting: its work is finished or
// skipped, and its result discarded. The thread starts with the first task.
// Tasks are given and looked at on the owner's thread. The destructor waits for the task under way.
//
// The owner never waits for the lock either: a thread of the idle class that was preempted while it holds it
// would hold the owner up for as long as the machine is busy. What cannot be handed over now waits on the
// owner's side until the next call.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "rewind/history/frame.hpp"
#include "rewind/history/thread_scheduling.hpp"

namespace revenant {

// What to do, and what came of it. The result may be read once `isDone`.
struct PackingTask {
    enum class Kind : std::uint8_t { Pack, Unpack, Join };

    Kind kind = Kind::Pack;
    int zstdLevel = 12;
    bool makesNet = true;                                  // of what is packed
    std::shared_ptr<const std::vector<Frame>> frames;      // to pack; or unpacked
    std::shared_ptr<const std::vector<std::byte>> packed;  // to unpack; or packed
    std::shared_ptr<const std::vector<std::byte>> net;  // of what was packed or joined: the delta
    std::vector<std::shared_ptr<const std::vector<std::byte>>> nets;  // to join, in order
    std::atomic<bool> isDone = false;
    std::atomic<bool> isUnwanted = false;
    std::atomic<bool> hasFailed = false;  // memory ran out; it may be tried again
};

// Does the task, on the calling thread.
void perform(PackingTask& task);
// The same; if memory runs out, the task has failed. What is kept for the game is not touched.
void tryToPerform(PackingTask& task) noexcept;

class PackingThread {
public:
    explicit PackingThread(ThreadClass threadClass) : class_(threadClass) {}
    PackingThread(const PackingThread&) = delete;
    PackingThread& operator=(const PackingThread&) = delete;
    ~PackingThread();

    void add(std::shared_ptr<PackingTask> task);
    // Tries again where no thread could be started. Returns whether there is one.
    bool keepRunning() noexcept;
    // Takes a task back that has not begun. Returns whether it did.
    bool takeBack(const std::shared_ptr<PackingTask>& task) noexcept;
    // While it is held, no task is begun; an empty lock: the thread is just taking one.
    std::unique_lock<std::mutex> tryToHold() noexcept {
        return std::unique_lock(mutex_, std::try_to_lock);
    }
    // Whether a task waits; takes it out. REQUIRE: it is held.
    bool isQueued(const std::shared_ptr<PackingTask>& task) const noexcept;
    void dropQueued(const std::shared_ptr<PackingTask>& task) noexcept;
    // Has the allocator return free memory to the system once there is nothing else to do.
    void giveBack();
    // Hands over the tasks that wait on the owner's side.
    void flush() noexcept;
    // While it is paused, no task is begun. One that was begun is finished.
    void setPaused(bool isPaused) noexcept;
    bool isPaused() const noexcept { return (state_ & paused) != 0; }
    // Whether a task was begun and is not finished. While it is paused, false stays false.
    bool isWorking() const noexcept { return (state_ & working) != 0; }

private:
    void start() noexcept;
    void run();
    static bool findsTime(std::unique_lock<std::mutex>& lock);
    bool tryToHandOver() noexcept;
    bool hasTask() const noexcept { return !tasks_.empty() && !isPaused(); }
    bool tryToBegin() noexcept;

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::shared_ptr<PackingTask>> tasks_;
    std::deque<std::shared_ptr<PackingTask>> late_;  // the owner's: to be handed over
    bool givesBack_ = false;
    bool isEnding_ = false;
    bool isLateToGiveBack_ = false;  // the owner's
    bool isLateToWake_ = false;      // likewise
    // Together: a task begins only if it is not paused, with nothing in between.
    static constexpr unsigned paused = 1;
    static constexpr unsigned working = 2;
    std::atomic<unsigned> state_ = 0;
    ThreadClass class_;
    std::thread thread_;
};

}  // namespace revenant
