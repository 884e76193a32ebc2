// Saga: a world in which all that a history has to remember happens at random: entities that are made long
// before they are added, trees that are built outside, zombies that come back, listeners that ask for more,
// events that are queued, main characters that are out. All that decides what happens next is rewound, so that
// a saga that was interrupted goes on as one that was not.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "rewind/state_hash.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

struct Trait {
    std::int32_t value = 0;
    EntityId friendId;
};
struct Burden {
    double weight = 1;
};

class Saga {
public:
    World world;
    std::shared_ptr<TimeRewindSys> rewind;
    std::vector<std::string> faults;  // of events that do not pair up

    Saga(std::uint64_t seed, const RewindOptions& options) {
        world.defineComponent<Trait>(
            "TraitCMP", {field("value", &Trait::value), field("friend", &Trait::friendId)});
        world.defineComponent<Burden>("BurdenCMP", {field("weight", &Burden::weight)});
        world.defineEvent("echo");
        rewind = std::make_shared<TimeRewindSys>(world, options);
        world.registerSystem(rewind);
        world.registerSystem("WitnessSys", [this](World&, double) { witness(); },
                             {.priority = 1000});
        world.registerSystem("FateSys", [this](World&, double) {
            for (std::int64_t i = draw(3); i > 0; --i) act(false);
        });
        listen();
        world.setRandomSeed(seed);
    }
    Saga(const Saga&) = delete;
    Saga& operator=(const Saga&) = delete;

    void tick() { world.update(1.0 / 64); }
    // What was to be seen when the frame was recorded.
    std::map<std::int64_t, std::string> seen;
    // Where every entity was then, by its serial.
    std::map<std::int64_t, std::map<std::uint32_t, EntityState>> whereabouts;

    // Play resumes from the frame on show.
    void resume() {
        whereabouts.erase(whereabouts.upper_bound(*rewind->getFrame()), whereabouts.end());
        rewind->stop();
    }
    // All that is in the world, by serials: two worlds in which the same happened have other ids.
    std::string describe() {
        std::ostringstream out;
        world.forEachManaged([&](Entity entity) {
            if (!entity.isRewindable()) return;
            const EntityRecord& record = recordOf(entity.getId());
            const EntityRecord* parent = forest().settledParentOf(record);
            out << record.serial << entity.getName() << (parent ? parent->serial : 0) << ':'
                << entity.isActive();
            if (const auto* trait = settled<Trait>(record, "TraitCMP"))
                out << 't' << trait->value << '/' << serialOf(trait->friendId);
            if (const auto* burden = settled<Burden>(record, "BurdenCMP"))
                out << 'b' << burden->weight;
            out << '\n';
        });
        out << world.getTime() << ' ' << serialOf(world.getMainCharacter().getId());
        return std::move(out).str();
    }
    std::map<std::uint32_t, EntityState> whereaboutsNow() {
        std::map<std::uint32_t, EntityState> all;
        for (std::uint32_t i = 0; i < forest().pool.count(); ++i)
            if (const EntityRecord& record = forest().pool.at(i);
                (record.alive || record.unborn) && record.rewindable)
                all[record.serial] = Entity(world, record.id).getState();
        return all;
    }
    // Says what differs between the frame on show and what was seen of it, if anything does.
    std::string compare() {
        const std::int64_t frame = *rewind->getFrame();
        const auto problems = world.validate();
        if (!problems.empty()) return "validator: " + problems.front();
        const auto faulty = rewind->validate();
        if (!faulty.empty()) return "validator of the history: " + faulty.front();
        if (!faults.empty()) return faults.front();
        if (stateHash(world) != rewind->frameHash(frame)) return "the hash is another";
        if (seen.contains(frame) && describe() != seen[frame])
            return "seen " + seen[frame] + "\nis " + describe();
        return compareWhereabouts(frame);
    }

private:
    Forest& forest() { return WorldCore::of(world).forest(); }
    EntityRecord& recordOf(EntityId id) { return forest().pool.at(id.index); }
    std::uint32_t serialOf(EntityId id) {
        const EntityRecord* record = forest().pool.findKnown(id);
        return record ? record->serial : forest().lostSerials.find(id);
    }
    // The component as of the last reconcile: listeners may have asked for another since.
    template <class Component>
    const Component* settled(const EntityRecord& record, const char* name) {
        const ComponentStore& components = WorldCore::of(world).components();
        const ComponentTypeId type = WorldCore::of(world).components().require(name).id;
        if (!record.settledShape->has(type)) return nullptr;
        const std::byte* slot = record.slotOf(type);
        for (const RetiredSlot& each : components.retired())
            if (each.owner == record.id.index && each.type == type) {
                slot = each.slot;
                break;
            }
        return reinterpret_cast<const Component*>(slot);
    }
    std::int64_t draw(std::int64_t last) { return world.random(0, last); }

    void witness() {
        if (rewind->isRewinding() || world.isResimulating()) return;
        const std::int64_t frame = *rewind->getFrame();
        const std::string now = describe();
        if (auto known = seen.find(frame);
            known != seen.end() && known->second != now && !isMeddled)
            faults.push_back("frame " + std::to_string(frame) + " came out differently: was " +
                             known->second + "\nis " + now);
        seen[frame] = now;
        seen.erase(seen.upper_bound(frame), seen.end());
        whereabouts[frame] = whereaboutsNow();
        whereabouts.erase(whereabouts.upper_bound(frame), whereabouts.end());
    }

public:
    bool isMeddled = false;   // frames may come out differently
    bool queues = true;       // entities wait outside; those that are never added are in no file
    bool resurrects = false;  // only where frames are never dropped: zombies come back

private:
    // What is in at the frame is, and what is not made yet is unborn if a later frame has it.
    std::string compareWhereabouts(std::int64_t frame) {
        using enum EntityState;
        const auto then = whereabouts.find(frame);
        if (then == whereabouts.end()) return "";
        const auto now = whereaboutsNow();
        std::set<std::uint32_t> cameBefore;
        for (auto each = whereabouts.begin(); each != then; ++each)
            for (const auto& [serial, state] : each->second)
                if (state == Managed || state == PendingRemove) cameBefore.insert(serial);
        std::set<std::uint32_t> comes;  // in a later frame
        for (auto later = std::next(then); later != whereabouts.end(); ++later)
            for (const auto& [serial, state] : later->second)
                if (state == Managed || state == PendingRemove) comes.insert(serial);
        auto fault = [&](std::uint32_t serial, const char* was, EntityState is) {
            return "entity " + std::to_string(serial) + " was " + was + " at frame " +
                   std::to_string(frame) + ", and is " + std::string(nameOf(is));
        };
        for (const auto& [serial, is] : now) {
            const auto known = then->second.find(serial);
            if (known == then->second.end()) {
                if (comes.contains(serial) && is != Unborn) return fault(serial, "not made", is);
                continue;
            }
            const EntityState was = known->second;
            const bool wasIn = was == Managed || was == PendingRemove;
            if (wasIn && is != Managed && is != PendingRemove) return fault(serial, "managed", is);
            const bool wasDetached = was == Detached || was == PendingAdd;
            if (wasDetached && is != Detached && is != PendingAdd)
                return fault(serial, "detached", is);
            // One that was attached to a zombie is one, though it never was in.
            if (was == Zombie && cameBefore.contains(serial) && is != Zombie && is != PendingAdd)
                return fault(serial, "zombie", is);
        }
        return "";
    }

    // ---- events
    void listen() {
        auto in = [this](const Event& event) {
            // What is run again is heard again.
            const bool isNew = in_.insert(event.entity.getId()).second;
            if (!isNew && !world.isResimulating()) faults.push_back("an entity came twice");
            if (!event.entity.isValid()) faults.push_back("an entity came that is not there");
            answer(event);
        };
        world.on("entityAdded", in);
        world.on("entityResurrected", in);
        world.on("entityRemoved", [this](const Event& event) {
            const bool wasIn = in_.erase(event.entity.getId()) > 0;
            if (!wasIn && !world.isResimulating()) faults.push_back("an entity left twice");
            if (!event.entity.isValid() || event.entity.getName().empty())
                faults.push_back("an entity left that cannot be read");
            else if (event.entity.findComponent<Trait>())
                event.entity.getComponentNames();
            answer(event);
        });
        world.on("entityDestroyed", [this](const Event& event) {
            if (in_.contains(event.entity.getId()))
                faults.push_back("an entity was destroyed that never left");
        });
        world.on("componentAdded", [this](const Event& event) { answer(event); });
        world.on("echo", [this](const Event&) {
            if (isPlaying()) act(true);
        });
    }
    bool isPlaying() { return !world.isPastOnShow(); }
    // Listeners ask for something themselves.
    void answer(const Event&) {
        if (!isPlaying() || draw(3) > 0) return;
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
    Entity make() {
        Entity made = world.newEntity("e" + std::to_string(draw(5)));
        if (draw(2) > 0) made.addComponent<Trait>({static_cast<std::int32_t>(draw(99)), {}});
        if (draw(2) == 0) made.addComponent<Burden>();
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
                if (Entity queued = pickQueued()) world.addEntity(queued);
                break;
            case 6:
                if (Entity queued = pickQueued();
                    queued && one.isValid() && one.getState() == EntityState::Managed)
                    one.addChild(queued);
                break;
            case 7:
                if (one.isValid()) {
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
        switch (draw(5)) {
            case 0:
                if (one.isValid()) world.setMainCharacter(one);
                break;
            case 1:  // the managed follow the detached out
                if (one.isValid() && queued) queued.addChild(one);
                break;
            case 4:
                if (resurrects && grave.isValid() && grave.getState() == EntityState::Zombie &&
                    !grave.getParent().isValid())
                    world.addEntity(grave);
                break;
            case 5:
                if (resurrects && grave.isValid() && grave.getState() == EntityState::Zombie)
                    world.setMainCharacter(grave);
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

    std::set<EntityId> in_;  // of which listeners have heard that they are
};

}  // namespace revenant
