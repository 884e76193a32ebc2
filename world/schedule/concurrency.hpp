// Concurrency: ticks systems, and chunks of loops, at the same time. It opens a section, runs its tasks on the world's threads, or one by
// one where there is one thread, and merges what they asked for: the same in either case.
// Owned by WorldCore; called on the main thread, forChunks also from a task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "world/schedule/section.hpp"
#include "world/schedule/task.hpp"

namespace revenant {

class System;
class SystemSchedule;
class Workers;
class WorldCore;
struct PlannedSystem;
struct Stage;

class Concurrency {
public:
    Concurrency(WorldCore& world, int threads);
    Concurrency(const Concurrency&) = delete;
    Concurrency& operator=(const Concurrency&) = delete;
    ~Concurrency();

    int threads() const noexcept;
    void setThreads(int threads);

    // Ticks the systems of a stage that are still registered, and merges. Returns the first error, in their order.
    std::exception_ptr tickStage(const Stage& stage, double dt, const SystemSchedule& registered);
    // Ticks one system by hand, as a stage of its own. Throws its error.
    void tickAlone(System& system, double dt);

    // Calls visit(first, end) for chunks of `rows`, and merges what they ask for in their order. How rows are split depends on
    // their number alone. `rowsPerChunk` 0: some 64 chunks at most. `writes`: what the loop writes.
    // Throws the error of the first chunk that has one, after all of them.
    void forChunks(std::size_t rows, std::size_t rowsPerChunk, std::vector<ComponentTypeId> writes,
                   const std::function<void(std::size_t, std::size_t)>& visit);

private:
    class Opened;

    std::exception_ptr runStage(const std::vector<PlannedSystem>& systems,
                                const std::vector<bool>& written, double dt,
                                const SystemSchedule* registered);
    void runSystem(Task& task, System& system, double dt) noexcept;
    void runLoop(Task& task, std::size_t rows, std::size_t chunkRows,
                 std::vector<ComponentTypeId> writes,
                 const std::function<void(std::size_t, std::size_t)>& visit);

    WorldCore& world_;
    std::unique_ptr<Workers> workers_;
    std::vector<std::unique_ptr<Section>>
        spare_;  // several: a listener may split a loop during a merge
    std::uint32_t stamp_ = 1;
};

}  // namespace revenant
