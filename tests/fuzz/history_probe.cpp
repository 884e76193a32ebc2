#include "tests/fuzz/history_probe.hpp"
#include "rewind/file/history_file.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <memory>

#include "rewind/record/recorder.hpp"
#include "rewind/state_hash.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "tests/rewind/flight.hpp"
#include "world/core/world_core.hpp"

namespace revenant::fuzz {

namespace {

RewindOptions options() {
    return {.seconds = 1e9,
            .bytes = std::size_t{1} << 30,
            .blockFrames = 600,
            .packInBackground = false};
}

struct Inconsistent : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A world with a loaded history, and what was seen of it so far.
class Player {
public:
    explicit Player(HistoryFile file)
        : rewind_(std::make_shared<TimeRewindSys>(world_, options())) {
        world_.registerSystem(rewind_);
        rewind_->openHistory(std::move(file));
    }

    void checkAll() {
        check("loaded");
        const std::int64_t oldest = *rewind_->getOldestFrame();
        const std::int64_t newest = *rewind_->getNewestFrame();
        constexpr std::int64_t mostFrames = 64;
        const std::int64_t last = std::min(newest, oldest + mostFrames);
        for (std::int64_t frame = last; frame >= oldest; --frame) show(frame);
        for (std::int64_t frame = oldest; frame <= last; ++frame) show(frame);
        show(oldest);
        show(newest);
        show(oldest + (newest - oldest) / 2);
    }
    void playOn() {
        rewind_->stop();
        check("resumed");
        for (int i = 0; i < 5; ++i) {
            world_.update(1.0 / 64);
            check("played on");
        }
        const std::int64_t newest = *rewind_->getNewestFrame();
        for (std::int64_t frame = newest; frame > std::max(*rewind_->getOldestFrame(), newest - 9);
             --frame) {
            rewind_->seek(frame);
            check("went back");
        }
    }
    HistoryFile save() { return rewind_->takeHistory(); }

private:
    void check(const char* when) {
        std::vector<std::string> problems = world_.validate();
        if (problems.empty()) problems = rewind_->validate();
        if (!problems.empty())
            throw Inconsistent(sentence(when, ", frame ", rewind_->getFrame().value_or(-1), ": ",
                                        problems.front()));
    }
    void show(std::int64_t frame) {
        rewind_->seek(frame);
        check("sought");
        const std::uint64_t hash = stateHash(world_);
        if (const auto [found, isNew] = seen_.emplace(frame, hash); found->second != hash)
            throw Inconsistent(sentence("frame ", frame, " is another on the second visit"));
        const std::uint64_t kept = WorldCore::of(world_).observer<Recorder>().hash();
        if (const auto [found, isNew] = kept_.emplace(frame, kept); found->second != kept)
            throw Inconsistent(sentence("frame ", frame, " has another hash on the second visit"));
    }

    World world_;
    std::shared_ptr<TimeRewindSys> rewind_;
    std::map<std::int64_t, std::uint64_t> seen_;
    std::map<std::int64_t, std::uint64_t> kept_;
};

}  // namespace

Verdict probe(std::span<const std::byte> bytes) {
    std::unique_ptr<Player> player;
    bool isNearEnd = false;
    try {
        HistoryFile file = parseHistory(bytes, {.checksums = false, .hashes = false});
        // A clock that is about to end, after years, ends while it plays on here.
        isNearEnd = file.snapshot.clock > INT32_MAX - 1000;
        player = std::make_unique<Player>(std::move(file));
    } catch (const Error&) {
        return {};
    } catch (const std::exception& error) {
        return {true, sentence("loading: ", error.what())};
    }
    try {
        player->checkAll();
        if (isNearEnd) return {true, {}};
        // Packing takes most of the time: some of the files are enough.
        const bool saves = bytes.size() % 16 == 0;
        // Frames that were made up have hashes that were.
        const ParseOptions trusting{.checksums = true, .hashes = false};
        if (saves) Player(parseHistory(writeHistory(player->save()), trusting)).checkAll();
        player->playOn();
        if (saves) parseHistory(writeHistory(player->save()), trusting);
    } catch (const std::exception& error) {
        return {true, error.what()};
    }
    return {true, {}};
}

namespace {

// Bodies that move by their speeds, as floats and as doubles: columns that are packed by formulas.
Bytes bodies() {
    Flight flight({.seconds = 1000, .blockFrames = 12, .packInBackground = false});
    flight.world.defineComponent("BodyCMP", {{"x", FieldType::F32}, {"v", FieldType::F32}});
    flight.world.defineComponent("OrbitCMP", {{"x", FieldType::F64}, {"v", FieldType::F64}});
    std::vector<Entity> all;
    for (int i = 0; i < 3; ++i) {
        all.push_back(flight.world.newEntity("body"));
        all.back().addComponent("BodyCMP");
        all.back().addComponent("OrbitCMP");
        flight.world.addEntity(all.back());
    }
    for (int tick = 0; tick < 12; ++tick) {
        flight.ticks(1);
        for (std::size_t i = 0; i < all.size(); ++i)
            for (const char* name : {"BodyCMP", "OrbitCMP"}) {
                const double v = 1.5 * static_cast<double>(i + 1) - 0.25 * tick * tick;
                const double x = *all[i].getField(name, "x").as<double>();
                all[i].setField(name, "v", v);
                all[i].setField(name, "x", x + v * (1.0 / 64));
            }
    }
    return writeHistory(flight.rewind->takeHistory());
}

// A history that was thinned: frames that lead over others.
Bytes thinned() {
    Flight flight({.seconds = 1000, .bytes = 40 << 10, .blockFrames = 6, .pack = false});
    flight.define();
    flight.world.setRandomSeed(5);
    flight.takeOff();
    for (int i = 0; i < 400 && flight.rewind->getStatistics().thinned < 12; ++i) flight.ticks(1);
    return writeHistory(flight.rewind->takeHistory());
}

}  // namespace

std::vector<Bytes> seedHistories() {
    std::vector<Bytes> all{bodies(), thinned()};
    for (unsigned seed = 1; seed <= 12; ++seed) {
        Flight flight({.seconds = 1000,
                       .bytes = std::size_t{1} << 30,
                       .blockFrames = seed % 3 == 0 ? 600U : 3U,
                       .packInBackground = false});
        flight.define();
        flight.world.setRandomSeed(seed);
        flight.rescopes = seed % 2 == 0;
        flight.takeOff();
        flight.ticks(4 + static_cast<int>(seed % 5));
        if (seed % 4 == 1) {
            flight.rewind->seek(2);
            flight.rewind->stop();
            flight.ticks(5);
        }
        if (flight.rescopes || seed % 3 == 1) flight.rewind->seek(3);
        flight.rewind->setCheckpoint("here");
        all.push_back(writeHistory(flight.rewind->takeHistory()));
        if (seed % 6 != 0) continue;
        Tree old = inFormat2(treeOf(all.back()));
        all.push_back(bytesOf(old));
    }
    return all;
}

}  // namespace revenant::fuzz
