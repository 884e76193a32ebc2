#include "world/schedule/concurrency.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>

#include "world/core/world_core.hpp"
#include "world/schedule/provisional_id.hpp"
#include "world/schedule/schedule_plan.hpp"
#include "world/schedule/workers.hpp"

namespace revenant {

namespace {

// Fewer rows are not worth handing over; more chunks balance no better.
constexpr std::size_t fewestChunkRows = 512;
constexpr std::size_t mostChunks = 64;

const std::string mainThreadName = "(main thread)";

// Counts hand-overs of all worlds. It orders what one thread wrote before what the next one reads. The workers do that
// already, but the thread sanitizer does not look into oneTBB.
std::atomic<std::uint32_t> handOvers{0};

// Calls work(i), in the form that Workers takes.
template <class Function>
Workers::Work handedOver(const Function& work) {
    handOvers.fetch_add(1, std::memory_order_release);
    return {[](void* context, std::size_t i) {
                (void)handOvers.load(std::memory_order_acquire);
                (*static_cast<const Function*>(context))(i);
                handOvers.fetch_add(1, std::memory_order_release);
            },
            const_cast<Function*>(&work)};
}

void takeOver() noexcept {
    (void)handOvers.load(std::memory_order_acquire);
}

}  // namespace

// A section from its beginning to its merge. If an exception leaves it before the merge, its requests are dropped.
class Concurrency::Opened {
public:
    Opened(Concurrency& owner, std::size_t systems) : owner_(owner), systems_(systems) {
        if (owner.spare_.empty()) owner.spare_.push_back(std::make_unique<Section>(owner.world_));
        owner.spare_.back()->begin(systems, owner.stamp_);
        section_ = std::move(owner.spare_.back());
        owner.spare_.pop_back();
        owner.spare_.reserve(owner.spare_.size() + 1);
        owner.world_.setSection(section_.get());
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    ~Opened() {
        owner_.world_.setSection(nullptr);
        for (std::size_t i = 0; i < systems_; ++i) section_->task(i).reset();
        owner_.spare_.push_back(std::move(section_));
    }

    Task& task(std::size_t system) noexcept { return section_->task(system); }
    void merge(const std::vector<bool>& written) {
        owner_.world_.setSection(nullptr);
        // Provisional ids of this section must not be taken for those of a later one, or of one that a listener opens.
        if (section_->hasMade()) owner_.stamp_ = owner_.stamp_ % (ProvisionalId::stamps - 1) + 1;
        section_->merge(written);
    }

private:
    Concurrency& owner_;
    std::size_t systems_;
    std::unique_ptr<Section> section_;
};

Concurrency::Concurrency(WorldCore& world, int threads) : world_(world) {
    setThreads(threads);
}

Concurrency::~Concurrency() = default;

int Concurrency::threads() const noexcept {
    return workers_ ? workers_->count() : 1;
}

void Concurrency::setThreads(int threads) {
    if (threads < 0 || threads > 1024)
        fail(ErrorCode::BadArgument,
             "threads: a number from 1 to 1024, or 0 for one per core, not ", threads);
    workers_ = makeWorkers(threads);
}

std::exception_ptr Concurrency::tickStage(const Stage& stage, double dt,
                                          const SystemSchedule& registered) {
    return runStage(stage.systems, stage.written, dt, &registered);
}

void Concurrency::tickAlone(System& system, double dt) {
    std::vector<PlannedSystem> alone(1);
    alone[0].system = system.weak_from_this().lock();
    if (!alone[0].system)  // not kept by a shared_ptr
        alone[0].system = std::shared_ptr<System>(std::shared_ptr<System>(), &system);
    alone[0].access = accessOf(system, world_.components());
    const std::vector<bool> written = alone[0].access.writes;
    if (const std::exception_ptr error = runStage(alone, written, dt, nullptr))
        std::rethrow_exception(error);
}

std::exception_ptr Concurrency::runStage(const std::vector<PlannedSystem>& systems,
                                         const std::vector<bool>& written, double dt,
                                         const SystemSchedule* registered) {
    const TickScope still(world_);
    const MemoryReserve::Pause pause;
    std::size_t active = 0;
    for (const PlannedSystem& planned : systems) {
        const System& system = *planned.system;
        if (!system.isEnabled()) continue;
        ++active;
        for (const HeldView& held : system.getOptions().access->views)
            held.prepare(held.view.get());
    }
    Opened opened(*this, systems.size());
    for (std::size_t i = 0; i < systems.size(); ++i)
        opened.task(i).begin(systems[i].system->getName(), static_cast<std::uint32_t>(i),
                             &systems[i].access);
    const auto work = [&](std::size_t i) {
        System& system = *systems[i].system;
        if (!registered || registered->has(system)) runSystem(opened.task(i), system, dt);
    };
    if (workers_ && active > 1) {
        workers_->runStage(systems, handedOver(work));
        takeOver();
    } else {
        for (std::size_t i = 0; i < systems.size(); ++i) work(i);
    }
    opened.merge(written);
    for (std::size_t i = 0; i < systems.size(); ++i)
        if (opened.task(i).error) return opened.task(i).error;
    return nullptr;
}

void Concurrency::runSystem(Task& task, System& system, double dt) noexcept {
    const TaskScope scope(task);
    const MemoryReserve::Pause pause;
    try {
        system.lastTickLane_ = workers_ ? workers_->lane() : 0;
        system.run(dt);
    } catch (...) {
        task.error = std::current_exception();
    }
}

void Concurrency::forChunks(std::size_t rows, std::size_t rowsPerChunk,
                            std::vector<ComponentTypeId> writes,
                            const std::function<void(std::size_t, std::size_t)>& visit) {
    if (rows == 0) return;
    std::size_t chunkRows = std::max(fewestChunkRows, (rows + mostChunks - 1) / mostChunks);
    if (rowsPerChunk > 0) chunkRows = rowsPerChunk;
    if (Task* task = world_.task()) {
        if (task->isChunk()) return visit(0, rows);  // a loop in a chunk of another
        runLoop(*task, rows, chunkRows, std::move(writes), visit);
        if (task->error) std::rethrow_exception(std::exchange(task->error, nullptr));
        return;
    }
    const TickScope still(world_);
    const MemoryReserve::Pause pause;
    std::vector<bool> written(world_.components().count());
    for (const ComponentTypeId type : writes) written[type] = true;
    Opened opened(*this, 1);
    Task& task = opened.task(0);
    task.begin(mainThreadName, 0, nullptr);
    runLoop(task, rows, chunkRows, std::move(writes), visit);
    opened.merge(written);
    if (task.error) std::rethrow_exception(std::exchange(task.error, nullptr));
}

void Concurrency::runLoop(Task& task, std::size_t rows, std::size_t chunkRows,
                          std::vector<ComponentTypeId> writes,
                          const std::function<void(std::size_t, std::size_t)>& visit) {
    const std::size_t chunks = (rows + chunkRows - 1) / chunkRows;
    const std::span<Task* const> parts = task.openLoop(chunks, std::move(writes));
    const auto work = [&](std::size_t i) noexcept {
        const TaskScope scope(*parts[i]);
        const MemoryReserve::Pause pause;
        try {
            visit(i * chunkRows, std::min(rows, (i + 1) * chunkRows));
        } catch (...) {
            parts[i]->error = std::current_exception();
        }
    };
    if (workers_ && chunks > 1) {
        workers_->runChunks(chunks, handedOver(work));
        takeOver();
    } else {
        for (std::size_t i = 0; i < chunks; ++i) work(i);
    }
    task.closeLoop();
}

}  // namespace revenant
