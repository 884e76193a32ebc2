// PackingThread: packs and unpacks blocks of frames beside the game. It touches only what its tasks
// hold; whoever no longer wants a task lets go of it, and never waits: the work is finished or
// passed over, and its result dropped. Starts its thread with the first task.
// Tasks are given and looked at on the owner's thread. The destructor waits for the task under way.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "rewind/history/frame.hpp"

namespace revenant {

// What to do, and what came of it. The result may be read once `isDone`.
struct PackingTask {
    enum class Kind : std::uint8_t { Pack, Unpack, Join };

    Kind kind = Kind::Pack;
    int zstdLevel = 12;
    std::shared_ptr<const std::vector<Frame>> frames;     // to pack; or unpacked
    std::shared_ptr<const std::vector<std::byte>> block;  // to unpack; or packed
    std::shared_ptr<const std::vector<std::byte>> net;    // of what was packed or joined: the delta
    std::vector<std::shared_ptr<const std::vector<std::byte>>> nets;  // to join, in order
    std::atomic<bool> isDone = false;
    std::atomic<bool> isUnwanted = false;
    std::atomic<bool> hasFailed = false;  // memory ran out; it may be tried again
};

// Does the task, on whatever thread.
void perform(PackingTask& task);
// The same; if memory runs out, the task has failed. What is kept for the game is not touched.
void tryToPerform(PackingTask& task) noexcept;

class PackingThread {
public:
    // How nice it is to the game and to everything else, as Unix has it: the more, the later.
    explicit PackingThread(int niceness) noexcept : niceness_(niceness) {}
    PackingThread(const PackingThread&) = delete;
    PackingThread& operator=(const PackingThread&) = delete;
    ~PackingThread();

    void add(std::shared_ptr<PackingTask> task);
    // Lets the thread free it: to free many small things takes a while. What waits for that is in
    // nobody's budget: little does, the rest is freed here.
    void discard(std::shared_ptr<const void> what) noexcept;
    // The same for a task, which need not be done any more; of one that was not begun nothing waits.
    void discard(std::shared_ptr<PackingTask> task) noexcept;
    // Where no thread could be had: tries again. Answers whether there is one.
    bool keepRunning() noexcept;
    // Takes a task back that was not begun; answers whether it was not.
    bool takeBack(const std::shared_ptr<PackingTask>& task) noexcept;
    // Has the allocator return to the system what is free, once nothing else is to be done.
    void giveBack();

private:
    void start() noexcept;
    void run();

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::shared_ptr<PackingTask>> tasks_;
    std::array<std::shared_ptr<const void>, 2> discarded_;  // that wait to be freed
    bool givesBack_ = false;
    bool isEnding_ = false;
    int niceness_;
    std::thread thread_;
};

}  // namespace revenant
