// Workers: the threads of a world, which tick systems and chunks of loops. On oneTBB; a build without it has none, and the Lua
// module has none either, as no C++ system can be in it. Owned by Concurrency.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "world/schedule/schedule_plan.hpp"

namespace revenant {

class Workers {
public:
    // Calls call(context, i). A plain function: nothing of it is read before it runs.
    struct Work {
        void (*call)(void* context, std::size_t i);
        void* context;

        void operator()(std::size_t i) const { call(context, i); }
    };

    Workers() = default;
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;
    virtual ~Workers() = default;

    virtual int count() const noexcept = 0;  // the calling thread included
    // Calls work(i) for each system of the stage, as soon as all that it waits for have ended. REQUIRES: it does not throw.
    virtual void runStage(const std::vector<PlannedSystem>& systems, Work work) = 0;
    // Calls work(i) for each i below `count`.
    virtual void runChunks(std::size_t count, Work work) = 0;
    // Which of the threads is calling: 0 is the main one.
    virtual int lane() const noexcept = 0;
};

// Null where one thread is enough, or where there are no others. 0: one per core.
std::unique_ptr<Workers> makeWorkers(int threads);

}  // namespace revenant
