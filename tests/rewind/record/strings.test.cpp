// Strings that only the past names are kept with its frames, and go with them.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "tests/rewind/stage.hpp"
#include "tests/scratch_folder.hpp"
#include "world/core/world_core.hpp"

using namespace revenant;

namespace {

struct Note {
    StringId text;
};

struct Notes : Stage {
    explicit Notes(const RewindOptions& options = {}) : Stage(options) {
        world.defineComponent<Note>("NoteCMP", {field("text", &Note::text)});
    }
    Entity note(const char* name) {
        Entity entity = spawn(name);
        entity.addComponent<Note>();
        return entity;
    }
    static void write(Entity entity, const std::string& text) {
        entity.setField("NoteCMP", "text", Value(text));
    }
    static std::string read(Entity entity) {
        return *entity.getField("NoteCMP", "text").as<std::string>();
    }
    void writeMany(Entity entity, int count) {
        for (int i = 0; i < count; ++i) {
            write(entity, "passing " + std::to_string(i));
            if (i % 10 == 9) ticks(1);
        }
    }
};

}  // namespace

TEST_CASE("a string that only a frame names comes back with it", "[rewind][strings]") {
    Notes notes({.seconds = 1e6, .bytes = std::size_t{1} << 30, .blockFrames = 50});
    Entity entity = notes.note("entity");
    Entity shot = notes.note("a shot with a name of its own");
    Notes::write(entity, "the first value");
    Notes::write(shot, "the shot's value");
    notes.ticks(3);
    notes.world.removeEntity(shot);
    notes.ticks(3);
    notes.writeMany(entity, 20'000);
    notes.rewind->finishPacking();
    notes.rewind->seek(2);
    CHECK(notes.isExact());
    CHECK(Notes::read(entity) == "the first value");
    CHECK(Notes::read(shot) == "the shot's value");
    CHECK(shot.getName() == "a shot with a name of its own");
    for (std::int64_t frame = 1; frame <= *notes.rewind->getNewestFrame(); frame += 97) {
        notes.rewind->seek(frame);
        REQUIRE(notes.isExact());
    }
    CHECK(notes.world.validate().empty());
}

TEST_CASE("a bounded history bounds the strings of its frames", "[rewind][strings]") {
    Notes notes({.seconds = 1, .blockFrames = 16});
    Entity entity = notes.note("entity");
    for (int i = 0; i < 20'000; ++i) {
        Entity shot = notes.spawn(("shot number " + std::to_string(i)).c_str());
        Notes::write(entity, "value " + std::to_string(i));
        notes.ticks(1);
        notes.world.removeEntity(shot);
        REQUIRE(notes.world.getStats().strings < 8000);
    }
    for (auto frame = *notes.rewind->getOldestFrame(); frame <= *notes.rewind->getNewestFrame();
         ++frame) {
        notes.rewind->seek(frame);
        REQUIRE(notes.isExact());
        REQUIRE(Notes::read(entity) == "value " + std::to_string(frame - 1));
    }
}

TEST_CASE("strings of a future that was dropped do not harm those of the past",
          "[rewind][strings]") {
    Notes notes;
    Entity entity = notes.note("entity");
    Notes::write(entity, "before");
    notes.ticks(5);
    for (int round = 0; round < 5; ++round) {
        notes.writeMany(entity, 3000);
        notes.rewind->seek(4);
        REQUIRE(Notes::read(entity) == "before");
        REQUIRE(notes.isExact());
        notes.rewind->stop();
        notes.ticks(1);
        REQUIRE(Notes::read(entity) == "before");
    }
}

TEST_CASE("a zombie that outlives the history keeps its strings", "[rewind][strings]") {
    Notes notes({.seconds = 0.5, .blockFrames = 8});
    Entity writer = notes.note("writer");
    Entity kept = notes.note("kept");
    Notes::write(kept, "of a zombie");
    kept.retain();
    notes.ticks(3);
    notes.world.removeEntity(kept);
    notes.writeMany(writer, 10'000);
    CHECK(Notes::read(kept) == "of a zombie");
    notes.rewind->clear();
    notes.writeMany(writer, 10'000);
    CHECK(Notes::read(kept) == "of a zombie");
}

TEST_CASE("a history file keeps its strings where numbers are free between them",
          "[rewind][strings][file]") {
    const ScratchFolder folder;
    const std::string path = folder.file("strings.rev");
    std::uint64_t hash = 0;
    {
        Notes notes({.seconds = 1, .blockFrames = 16});
        Entity entity = notes.note("entity");
        notes.writeMany(entity, 20'000);
        REQUIRE(notes.world.getStats().strings <
                WorldCore::of(notes.world).components().strings().idLimit());
        notes.rewind->saveHistory(path);
        hash = notes.rewind->frameHash(*notes.rewind->getFrame());
    }
    World world;
    auto rewind = std::make_shared<TimeRewindSys>(world);
    world.registerSystem(rewind);
    rewind->loadHistory(path);
    CHECK(stateHash(world) == hash);
    for (auto frame = *rewind->getOldestFrame(); frame <= *rewind->getNewestFrame(); ++frame) {
        rewind->seek(frame);
        REQUIRE(stateHash(world) == rewind->frameHash(frame));
    }
    CHECK(world.validate().empty());
    rewind->stop();
    for (int i = 0; i < 100; ++i) world.update(0.1);
    CHECK(world.validate().empty());
}
