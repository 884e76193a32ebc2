// Saga: a world in which everything that a history has to remember happens at random: entities that are made long
// before they are added, trees that are built outside, zombies that come back, listeners that make requests,
// events that are queued, main characters that are out. Everything that decides what happens next is rewound, so that
// a saga that was interrupted goes on like one that was not.
// Over 300 lines: one short member per thing that may happen.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "rewind/state_hash.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "tests/rewind/saga_copy.hpp"

namespace revenant {

class Saga {
public:
    World world;
    std::shared_ptr<TimeRewindSys> rewind;
    std::vector<std::string> faults;  // of events that do not pair up
    std::shared_ptr<Memories> memories = std::make_shared<Memories>();

    Saga(std::uint64_t seed, const RewindOptions& options) {
        world.defineComponent<Trait>(
            "TraitCMP", {field("value", &Trait::value), field("friend", &Trait::friendId)});
        world.defineComponent<Burden>("BurdenCMP", {field("weight", &Burden::weight)});
        world.defineComponent<Memory>("MemoryCMP", {field("page", &Memory::page)});
        world.setRewindHooks("MemoryCMP", memories);
        world.defineEvent("echo");
        rewind = std::make_shared<TimeRewindSys>(world, options);
        world.registerSystem(rewind);
        world.registerSystem("WitnessSys", [this](World&, double) { witness(); },
                             {.priority = 1000});
        world.registerSystem("FateSys", [this](World&, double) {
            rememberSome();
            for (std::int64_t i = draw(3); i > 0; --i) act(false);
            if (rescopes && draw(3) == 0) rescope();
        });
        listen();
        world.setRandomSeed(seed);
    }
    Saga(const Saga&) = delete;
    Saga& operator=(const Saga&) = delete;

    void tick() { world.update(1.0 / 64); }
    // The view of each frame that is still kept, from when it was recorded.
    SagaCopies copies;
    std::map<std::int64_t, std::string> seen;  // of each that ever was recorded: what was in

    // Play resumes from the current frame.
    void resume() {
        copies.erase(copies.upper_bound(*rewind->getFrame()), copies.end());
        rewind->stop();
    }
    std::string describe() { return SagaCopier(world, *memories).describe(); }
    // Says what differs between the current frame and what was seen of it, if anything does.
    std::string compare() {
        const std::int64_t frame = *rewind->getFrame();
        const auto problems = world.validate();
        if (!problems.empty()) return "validator: " + problems.front();
        const auto faulty = rewind->validate();
        if (!faulty.empty()) return "validator of the history: " + faulty.front();
        if (!faults.empty()) return faults.front();
        if (stateHash(world) != rewind->frameHash(frame))
            return "the hash differs: seen " + seen[frame] + "\nis " + describe();
        copies.erase(copies.begin(), copies.lower_bound(*rewind->getOldestFrame()));
        SagaComparison comparison(copies, frame, SagaCopier(world, *memories).copy());
        return rescopes ? comparison.compareManaged() : comparison.run();
    }

private:
    std::int64_t draw(std::int64_t last) { return world.random(0, last); }

    void witness() {
        if (rewind->isRewinding() || world.isResimulating()) return;
        const std::int64_t frame = *rewind->getFrame();
        SagaCopy now = SagaCopier(world, *memories).copy();
        if (auto known = seen.find(frame);
            known != seen.end() && known->second != now.managed && !isMeddled)
            faults.push_back("frame " + std::to_string(frame) + " came out differently: was " +
                             known->second + "\nis " + now.managed);
        seen[frame] = now.managed;
        seen.erase(seen.upper_bound(frame), seen.end());
        copies[frame] = std::move(now);
        copies.erase(copies.upper_bound(frame), copies.end());
    }

public:
    // Any entity that is in becomes rewindable, or ceases to be. Where one is meanwhile, and what it is made of, is no concern of the
    // history's: so frames come out differently when they are played again.
    bool rescopes = false;
    void rescope() {
        std::vector<Entity> all;
        world.forEachManaged([&](Entity entity) { all.push_back(entity); });
        if (all.empty()) return;
        Entity one = all[static_cast<std::size_t>(draw(static_cast<int>(all.size()) - 1))];
        one.setRewindable(!WorldCore::of(world).forest().pool.at(one.getId().index).rewindable);
    }
    bool isMeddled = false;   // frames may come out differently
    bool queues = true;       // entities wait outside; those that are never added are in no file
    bool resurrects = false;  // only where frames are never dropped: zombies come back

private:
    // ---- events
    void listen() {
        auto in = [this](const Event& event) {
            // When ticks are run again, listeners are called again.
            const bool isNew = in_.insert(event.entity.getId()).second;
            if (!isNew && !world.isResimulating()) faults.emplace_back("an entity came twice");
            if (!event.entity.isValid()) faults.emplace_back("an entity came that is not there");
            answer(event);
        };
        world.on("entityAdded", in);
        world.on("entityResurrected", in);
        world.on("entityRemoved", [this](const Event& event) {
            const bool wasIn = in_.erase(event.entity.getId()) > 0;
            if (!wasIn && !world.isResimulating()) faults.emplace_back("an entity left twice");
            if (!event.entity.isValid() || event.entity.getName().empty())
                faults.emplace_back("an entity left that cannot be read");
            else if (event.entity.findComponent<Trait>())
                event.entity.getComponentNames();
            answer(event);
        });
        world.on("entityDestroyed", [this](const Event& event) {
            if (in_.contains(event.entity.getId()))
                faults.emplace_back("an entity was destroyed that never left");
        });
        world.on("componentAdded", [this](const Event& event) {
            if (event.component != "MemoryCMP") answer(event);
        });
        world.on("echo", [this](const Event&) {
            if (isPlaying()) act(true);
        });
    }
    bool isPlaying() { return !world.isInPast(); }
    // Listeners ask for something themselves.
    void answer(const Event&) {
        if (!isPlaying() || draw(3) > 0) return;
        if (rescopes && draw(3) == 0) rescope();
        act(true);
    }

    // ---- what happens
    // Entities that the saga remembers beside those that are in.
    std::vector<EntityId> list(const char* name) {
        std::vector<EntityId> ids;
        const auto* value = world.getResource<Value>(name);
        const auto* all = value ? value->as<ValueArray>() : nullptr;
        if (!all) return ids;
        for (const Value& each : *all)
            if (const auto* id = each.as<EntityId>()) ids.push_back(*id);
        return ids;
    }
    void setList(const char* name, const std::vector<EntityId>& ids) {
        ValueArray all;
        all.reserve(ids.size());
        for (const EntityId id : ids) all.emplace_back(id);
        world.setResource(name, Value(std::move(all)), {.rewind = true});
    }
    void put(const char* name, Entity entity) {
        auto ids = list(name);
        ids.push_back(entity.getId());
        if (ids.size() > 6) ids.erase(ids.begin());
        setList(name, ids);
    }
    Entity pickFrom(const char* name) {
        const auto ids = list(name);
        if (ids.empty()) return {};
        return Entity(world, ids[static_cast<std::size_t>(draw(static_cast<int>(ids.size()) - 1))]);
    }
    // One that waits outside. Never one that was in: how long such stay depends on the frames that are kept.
    Entity pickQueued() {
        const Entity queued = pickFrom("queue");
        const bool waits = queued.isValid() && queued.getState() == EntityState::Detached &&
                           !queued.getParent().isValid();
        return waits ? queued : Entity();
    }
    Entity pick() {
        std::vector<Entity> all;
        world.forEachManaged([&](Entity entity) {
            if (entity.isRewindable()) all.push_back(entity);
        });
        if (all.empty()) return {};
        return all[static_cast<std::size_t>(draw(static_cast<int>(all.size()) - 1))];
    }
    std::uint32_t serialOf(Entity entity) {
        return WorldCore::of(world).forest().pool.at(entity.getId().index).serial;
    }
    // By what time it is: nothing is drawn for it.
    void remember(Entity entity) {
        memories->written[entity.getId()] =
            static_cast<std::uint8_t>(world.getTick() * 37 + serialOf(entity));
    }
    void rememberSome() {
        std::vector<Entity> due;
        for (std::uint32_t i = 0; i < WorldCore::of(world).forest().pool.count(); ++i) {
            const EntityRecord& record = WorldCore::of(world).forest().pool.at(i);
            // What is written while its entity is out is found late, but in builds that compare everything.
            const bool isSeen = record.managed || (validating && record.isOut());
            if (isSeen && (world.getTick() + record.serial) % 5 == 0)
                due.emplace_back(world, record.id);
        }
        for (const Entity entity : due) remember(entity);
    }
    Entity make() {
        Entity made = world.newEntity("e" + std::to_string(draw(5)));
        if (draw(2) > 0) made.addComponent<Trait>({static_cast<std::int32_t>(draw(99)), {}});
        if (draw(2) == 0) made.addComponent<Burden>();
        if (serialOf(made) % 2 == 0) made.addComponent<Memory>();
        remember(made);
        return made;
    }
    static bool isAbove(Entity one, Entity other) {
        for (Entity at = other; at.isValid(); at = at.getParent())
            if (at == one) return true;
        return false;
    }
    void act(bool isListener) {
        Entity one = pick();
        Entity other = pick();
        switch (draw(isListener ? 13 : 17)) {
            case 0:
            case 1: world.addEntity(make()); break;
            case 2:
                if (one.isValid() && one.getState() == EntityState::Managed) one.addChild(make());
                break;
            case 3: {  // a queue of trees that are built outside
                Entity made = make();
                for (std::int64_t i = draw(2); i > 0; --i) made.addChild(make());
                if (queues)
                    put("queue", made);
                else
                    world.addEntity(made);
                break;
            }
            case 4:
            case 5:
                if (Entity queued = pickQueued()) {
                    remember(queued);
                    world.addEntity(queued);
                }
                break;
            case 6:
                if (Entity queued = pickQueued();
                    queued && one.isValid() && one.getState() == EntityState::Managed)
                    one.addChild(queued);
                break;
            case 7:
                if (one.isValid()) {
                    remember(one);
                    put("graves", one);
                    world.removeEntity(one);
                }
                break;
            case 8:
                if (one.isValid() && other.isValid() && !isAbove(one, other)) other.addChild(one);
                break;
            case 9:
                if (one.isValid() && one.getParent().isValid()) one.getParent().removeChild(one);
                break;
            case 10:
                if (one.isValid()) one.setEnabled(!one.isEnabled());
                break;
            case 11:
                if (!one.isValid()) break;
                if (one.hasComponent<Burden>())
                    one.removeComponent<Burden>();
                else
                    one.addComponent<Burden>({static_cast<double>(draw(9))});
                break;
            case 12:
                if (one.isValid() && one.hasComponent<Trait>()) {
                    one.getComponent<Trait>().friendId = other.getId();
                    ++one.getComponent<Trait>().value;
                }
                break;
            case 13: world.queue("echo"); break;
            default: actMore(one);
        }
    }
    // What listeners leave to systems: where it leads outside the world it depends on whether frames
    // are kept, as zombies do.
    void actMore(Entity one) {
        Entity queued = pickQueued();
        Entity grave = pickFrom("graves");
        switch (draw(6)) {
            case 0:
                if (one.isValid()) world.setMainCharacter(one);
                break;
            case 1:  // the managed follow the detached out
                if (one.isValid() && queued) queued.addChild(one);
                break;
            case 4:
                if (resurrects && grave.isValid() && grave.getState() == EntityState::Zombie &&
                    !grave.getParent().isValid()) {
                    remember(grave);
                    world.addEntity(grave);
                }
                break;
            case 5:
                if (resurrects && grave.isValid() && grave.getState() == EntityState::Zombie)
                    world.setMainCharacter(grave);
                break;
            case 6:  // only its flags: nothing else may tell the history of it
                if (!resurrects || !grave.isValid() || grave.getState() != EntityState::Zombie)
                    break;
                if (grave.hasComponent<Trait>() && draw(1) == 0)
                    grave.setComponentEnabled("TraitCMP", !grave.isComponentEnabled("TraitCMP"));
                else
                    grave.setEnabled(!grave.isEnabled());
                break;
            case 2:
                if (queued.isValid()) world.setMainCharacter(queued);
                break;
            case 3:
                if (one.isValid() && one.hasComponent<Trait>() && queued.isValid())
                    one.getComponent<Trait>().friendId = queued.getId();
                break;
            default:
                if (one.isValid() && one.hasComponent<Burden>())
                    one.getComponent<Burden>().weight += 1;
        }
    }

    std::set<EntityId> in_;  // that are in, as far as listeners were called
};

}  // namespace revenant
