// SagaCopy: a full copy of what a saga shows at one frame, by serials (two worlds in which the same happened have
// other ids), and what a later look at the frame has to show of it. Used by Saga alone.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "rewind/time_rewind_sys.hpp"
#include "world/core/world_core.hpp"
#include "world/outside_hooks.hpp"

namespace revenant {

struct Trait {
    std::int32_t value = 0;
    EntityId friendId;
};
struct Burden {
    double weight = 1;
};

// What an entity remembers is behind hooks, which rewind it while it is out, too.
struct Memory {
    std::uint8_t page = 0;
};
class Memories final : public ComponentHooks, public OutsideHooks {
public:
    std::map<EntityId, std::uint8_t> written;

    void getRewindState(EntityId owner, const std::byte*, std::vector<std::byte>& into) override {
        into.push_back(std::byte{written[owner]});
    }
    void restoreRewindState(EntityId owner, std::byte*, std::span<const std::byte> state) override {
        written[owner] = std::to_integer<std::uint8_t>(state[0]);
    }
    void getOutsideStates(std::span<const HookedComponent> components, OutsideSink& sink) override {
        getRewindStates(components, sink);
    }
    void restoreOutsideState(EntityId owner, std::byte* component,
                             std::span<const std::byte> state) override {
        restoreRewindState(owner, component, state);
    }
    std::uint64_t hashRewindState(std::span<const std::byte> state) const override {
        return std::to_integer<std::uint64_t>(state[0]);
    }
};

// One that is out of the world, and for which nothing waits.
struct SagaOutsider {
    std::string contents;
    std::uint32_t parent = 0;
    std::vector<std::uint32_t> children;
};

struct SagaCopy {
    std::string managed;                               // all that is in, in order
    std::map<std::uint32_t, EntityState> whereabouts;  // of all that is rewindable
    std::map<std::uint32_t, SagaOutsider> outsiders;
};
using SagaCopies = std::map<std::int64_t, SagaCopy>;

class SagaCopier {
public:
    SagaCopier(World& world, Memories& memories) : world_(world), memories_(memories) {}

    SagaCopy copy() { return {describe(), whereabouts(), outsiders()}; }
    std::string describe() {
        std::ostringstream out;
        world_.forEachManaged([&](Entity entity) {
            const EntityRecord& record = forest().pool.at(entity.getId().index);
            if (!isSettledRewindable(record)) return;
            const EntityRecord* parent = forest().settledParentOf(record);
            out << record.serial << entity.getName() << (parent ? parent->serial : 0) << ':'
                << entity.isActive();
            write(out, settled<Trait>(record, "TraitCMP"), settled<Burden>(record, "BurdenCMP"));
            if (settled<Memory>(record, "MemoryCMP")) writeMemory(out, record.id);
            out << '\n';
        });
        // One that is no concern of the history's lives on, whether it is in at this frame or not.
        const Entity character = world_.getMainCharacter();
        const bool isTold = character.isValid() && character.isRewindable();
        out << world_.getTime() << ' ' << (isTold ? serialOf(character.getId()) : 0);
        return std::move(out).str();
    }

private:
    Forest& forest() { return WorldCore::of(world_).forest(); }
    // A listener may have asked for another parent since the reconcile. The frame has the entity where it stands, and so without
    // it where that parent is not rewindable.
    bool isSettledRewindable(const EntityRecord& record) {
        for (const EntityRecord* at = &record; at; at = forest().settledParentOf(*at))
            if (!at->rewindable) return false;
        return true;
    }
    std::uint32_t serialOf(EntityId id) {
        const EntityRecord* record = forest().pool.findKnown(id);
        return record ? record->serial : forest().lostSerials.find(id);
    }
    void write(std::ostream& out, const Trait* trait, const Burden* burden) {
        if (trait) out << 't' << trait->value << '/' << serialOf(trait->friendId);
        if (burden) out << 'b' << burden->weight;
    }
    // The component as of the last reconcile: listeners may have asked for another since.
    template <class Component>
    const Component* settled(const EntityRecord& record, const char* name) {
        const ComponentStore& components = WorldCore::of(world_).components();
        const ComponentTypeId type = WorldCore::of(world_).components().require(name).id;
        if (!record.settledShape->has(type)) return nullptr;
        const std::byte* slot = record.slotOf(type);
        for (const RetiredSlot& each : components.retired())
            if (each.owner == record.id.index && each.type == type) {
                slot = each.slot;
                break;
            }
        return reinterpret_cast<const Component*>(slot);
    }
    std::map<std::uint32_t, EntityState> whereabouts() {
        std::map<std::uint32_t, EntityState> all;
        for (std::uint32_t i = 0; i < forest().pool.count(); ++i)
            if (const EntityRecord& record = forest().pool.at(i);
                (record.alive || record.unborn) && record.rewindable)
                all[record.serial] = Entity(world_, record.id).getState();
        return all;
    }
    // A tree of which a part waits for something is passed over: what waits is not shown in the past.
    std::map<std::uint32_t, SagaOutsider> outsiders() {
        auto isOut = [](const EntityRecord& record) {
            return record.alive && !record.managed && !record.unborn && record.rewindable;
        };
        std::map<std::uint32_t, SagaOutsider> all;
        for (std::uint32_t i = 0; i < forest().pool.count(); ++i) {
            EntityRecord& record = forest().pool.at(i);
            if (!isOut(record) || record.root().managed) continue;
            bool waits = false;
            forSubtree(record.root(), [&](const EntityRecord& each) {
                waits = waits || each.managed || Forest::hasChangeWaiting(each);
            });
            if (waits) continue;
            Entity entity(world_, record.id);
            std::ostringstream out;
            out << entity.getName() << ':' << entity.isEnabled();
            if (entity.hasComponent<Trait>()) out << entity.isComponentEnabled("TraitCMP");
            write(out, std::as_const(entity).findComponent<Trait>(),
                  std::as_const(entity).findComponent<Burden>());
            if (entity.hasComponent<Memory>()) writeMemory(out, record.id);
            SagaOutsider& outsider = all[record.serial];
            outsider.contents = std::move(out).str();
            if (record.parent) outsider.parent = record.parent->serial;
            for (const EntityRecord& child : record.children())
                outsider.children.push_back(child.serial);
        }
        return all;
    }

    void writeMemory(std::ostream& out, EntityId id) { out << 'm' << int{memories_.written[id]}; }

    World& world_;
    Memories& memories_;
};

// Compares what is shown at a frame with the copies that were taken when frames were recorded.
class SagaComparison {
public:
    SagaComparison(const SagaCopies& copies, std::int64_t frame, SagaCopy now)
        : copies_(copies), frame_(frame), now_(std::move(now)) {}

    // Empty: nothing differs.
    std::string run() {
        const auto then = copies_.find(frame_);
        if (then == copies_.end()) return "";
        if (std::string fault = compareManaged(); !fault.empty()) return fault;
        for (const auto& [frame, copy] : copies_)
            for (const auto& [serial, state] : copy.whereabouts) {
                if (state != EntityState::Managed && state != EntityState::PendingRemove) continue;
                if (frame < frame_) cameBefore_.insert(serial);
                if (frame > frame_) comes_.insert(serial);
            }
        std::string fault = compareWhereabouts(then->second);
        return fault.empty() ? compareOutsiders(then->second) : fault;
    }

    std::string compareManaged() const {
        const auto then = copies_.find(frame_);
        if (then == copies_.end() || now_.managed == then->second.managed) return "";
        return "seen " + then->second.managed + "\nis " + now_.managed;
    }

private:
    static std::string placeIn(const SagaCopy& copy, std::uint32_t serial) {
        const auto found = copy.outsiders.find(serial);
        if (found == copy.outsiders.end() || found->second.parent == 0) return "";
        return " below " + std::to_string(found->second.parent) + ',';
    }
    std::string fault(std::uint32_t serial, const std::string& was, const std::string& is) {
        std::string text = "entity " + std::to_string(serial) + " was " + was + " at frame " +
                           std::to_string(frame_) + ", and is " + is + "; its way:";
        for (const auto& [at, copy] : copies_)
            if (const auto found = copy.whereabouts.find(serial); found != copy.whereabouts.end())
                text += ' ' + std::to_string(at) + ' ' + std::string(nameOf(found->second)) +
                        placeIn(copy, serial);
        return text;
    }
    // What is in at the frame is, and what is not made yet is unborn if a later frame has it.
    std::string compareWhereabouts(const SagaCopy& then) {
        using enum EntityState;
        for (const auto& [serial, is] : now_.whereabouts) {
            const std::string name(nameOf(is));
            const auto known = then.whereabouts.find(serial);
            if (known == then.whereabouts.end()) {
                if (comes_.contains(serial) && is != Unborn) return fault(serial, "not made", name);
                continue;
            }
            const EntityState was = known->second;
            const bool wasIn = was == Managed || was == PendingRemove;
            if (wasIn && is != Managed && is != PendingRemove)
                return fault(serial, "managed", name);
            const bool wasDetached = was == Detached || was == PendingAdd;
            if (wasDetached && is != Detached && is != PendingAdd)
                return fault(serial, "detached", name);
            // One that was attached to a zombie is one, though it never was in.
            if (was == Zombie && cameBefore_.contains(serial) && is != Zombie && is != PendingAdd)
                return fault(serial, "zombie", name);
        }
        return "";
    }
    // Those that another frame has in are the history's: what they are made of, and where they hang, is what
    // it was.
    std::string compareOutsiders(const SagaCopy& then) {
        auto isKnown = [&](std::uint32_t serial) {
            return comes_.contains(serial) || cameBefore_.contains(serial);
        };
        auto describe = [&](const SagaOutsider& outsider) {
            std::string text = outsider.contents;
            if (isKnown(outsider.parent)) text += " below " + std::to_string(outsider.parent);
            text += " above";
            for (const std::uint32_t child : outsider.children)
                if (isKnown(child)) text += ' ' + std::to_string(child);
            return text;
        };
        for (const auto& [serial, was] : then.outsiders) {
            if (!isKnown(serial)) continue;
            const auto is = now_.outsiders.find(serial);
            if (is == now_.outsiders.end()) return fault(serial, describe(was), "not out");
            if (describe(was) != describe(is->second))
                return fault(serial, describe(was), describe(is->second));
        }
        return "";
    }

    const SagaCopies& copies_;
    std::int64_t frame_;
    SagaCopy now_;
    std::set<std::uint32_t> cameBefore_;  // in an earlier frame
    std::set<std::uint32_t> comes_;       // in a later frame
};

}  // namespace revenant
