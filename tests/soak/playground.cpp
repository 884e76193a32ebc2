#include "tests/soak/playground.hpp"

#include <cmath>
#include <cstring>
#include <string>
#include <unordered_map>

namespace soak {

namespace {

constexpr std::size_t crowd = 160;  // more than these, and they go sooner than they come

bool isAbove(Entity one, Entity other) {
    for (Entity at = other; at.isValid(); at = at.getParent())
        if (at == one) return true;
    return false;
}

bool isIn(Entity entity) {
    return entity.isValid() && entity.getState() == EntityState::Managed;
}

}  // namespace

// What physics bodies would be: numbers outside of the world, one for each that has a shell.
class Playground::Shells final : public ComponentHooks {
public:
    std::unordered_map<EntityId, std::int64_t> all;

    void getRewindState(EntityId owner, const std::byte*, std::vector<std::byte>& into) override {
        const std::int64_t state = all[owner];
        const auto* bytes = reinterpret_cast<const std::byte*>(&state);
        into.insert(into.end(), bytes, bytes + sizeof state);
    }
    void restoreRewindState(EntityId owner, std::byte*, std::span<const std::byte> state) override {
        std::memcpy(&all[owner], state.data(), sizeof(std::int64_t));
    }
    std::uint64_t hashRewindState(std::span<const std::byte> state) const override {
        std::uint64_t hash = 0;
        std::memcpy(&hash, state.data(), sizeof hash);
        return hash * 0x9E3779B97F4A7C15U;
    }
};

// A system with a state of its own, and a fixed step.
class Playground::ClockSys final : public System {
public:
    explicit ClockSys(World& world) : System(world, "ClockSys", {.fixedStepSeconds = 1.0 / 24}) {}

    bool hasRewindState() const override { return true; }
    void getRewindState(std::vector<std::byte>& into) override {
        const auto* bytes = reinterpret_cast<const std::byte*>(&steps_);
        into.insert(into.end(), bytes, bytes + sizeof steps_);
    }
    void restoreRewindState(std::span<const std::byte> state) override {
        std::memcpy(&steps_, state.data(), sizeof steps_);
    }

protected:
    void onTick(double) override {}
    void onFixedTick(double) override {
        ++steps_;
        getWorld().setResource("steps", Value(steps_ / 16), {.rewind = true});
    }

private:
    std::int64_t steps_ = 0;
};

Playground::Playground(const RewindOptions& options)
    : rewind(std::make_shared<TimeRewindSys>(world, options)), shells_(std::make_shared<Shells>()) {
    define();
    bodies_.push_back(world.view<Body>());
    world.registerSystem(rewind);
    world.registerSystem(std::make_shared<ClockSys>(world));
    world.registerSystem("ActsSys", [this](World&, double) {
        bodies_[0].each([](Body& body) { body.x += std::cos(body.angle) * 0.25F; });
        present_.clear();
        world.forEachManaged([this](Entity entity) {
            if (entity.isRewindable()) present_.push_back(entity);
        });
        for (std::int64_t i = draw(4); i > 0; --i) act();
    });
    world.on(EventKind::EntityDestroyed,
             [this](const Event& event) { shells_->all.erase(event.entity.getId()); });
}

Playground::~Playground() {
    world.reset();
}

void Playground::define() {
    world.defineComponent<Body>(
        "BodyCMP", {field("x", &Body::x).lerp(), field("y", &Body::y),
                    field("angle", &Body::angle).angle(), field("target", &Body::target)});
    world.defineComponent<Gauge>(
        "GaugeCMP",
        {field("ticks", &Gauge::ticks), field("tag", &Gauge::tag), field("label", &Gauge::label)});
    world.defineComponent<Cargo>("CargoCMP", {field("crates", &Cargo::crates)});
    world.defineComponent<Shell>("ShellCMP", {field("radius", &Shell::radius)});
    world.defineComponent<Keepsake>("KeepsakeCMP", {field("made", &Keepsake::made)});
    world.defineComponent(
        "NotesCMP", {FieldSpec{.name = "text", .type = FieldType::String},
                     FieldSpec{.name = "weight", .type = FieldType::F64, .initial = Value(0.5)},
                     FieldSpec{.name = "read", .type = FieldType::Bool}});
    world.setRewindHooks("ShellCMP", shells_);
}

void Playground::tick(std::int64_t frame) {
    world.update(frame % 61 == 0 ? 0 : (frame % 67 == 0 ? 0.25 : 1.0 / 64));
}

Entity Playground::pick(std::uint64_t number) {
    std::vector<Entity> known;
    world.forEachManaged([&](Entity entity) {
        if (entity.isRewindable()) known.push_back(entity);
    });
    return known.empty() ? Entity{} : known[number % known.size()];
}

void Playground::dress(Entity entity) {
    if (draw(3) > 0)
        entity.addComponent<Body>(
            {static_cast<float>(draw(99)), 0, static_cast<float>(draw(6)), {}});
    if (draw(1) > 0) entity.addComponent<Gauge>();
    if (draw(7) == 0) entity.addComponent<Cargo>();
    if (draw(5) == 0) {
        entity.addComponent<Shell>();
        shells_->all[entity.getId()] = 0;
    }
    if (draw(5) == 0)
        entity.addComponent("NotesCMP", std::vector<Override>{{"weight", Value(world.random())}});
}

void Playground::spawn(Entity parent) {
    Entity made = world.newEntity("e" + std::to_string(draw(9)));
    dress(made);
    const std::int64_t how = draw(9);
    if (how == 0) {
        made.addComponent<Keepsake>({static_cast<std::int64_t>(present_.size())});
        world.addEntity(made);
    } else if (how == 1) {
        world.addEntity(made);  // never seen
        world.removeEntity(made);
        made.destroy();
    } else if (how == 2) {
        const HeldEntity held(made);  // let go of at once
    } else if (how < 6 && isIn(parent)) {
        parent.addChild(made);
    } else {
        world.addEntity(made);
    }
}

// Another level takes the place of the one there is: a tree of some depth under one root.
void Playground::loadLevel() {
    if (const auto* level = world.getResource<Value>("level"))
        if (const Entity old(world, *level->as<EntityId>()); isIn(old)) world.removeEntity(old);
    const Entity root = world.newEntity("level");
    std::vector<Entity> tree{root};
    for (std::int64_t i = 20 + draw(40); i > 0; --i) {
        Entity child = world.newEntity("part" + std::to_string(i % 8));
        dress(child);
        tree[static_cast<std::size_t>(draw(static_cast<std::int64_t>(tree.size()) - 1))].addChild(
            child);
        tree.push_back(child);
    }
    world.addEntity(root);
    world.setResource("level", Value(root.getId()), {.rewind = true});
}

void Playground::bindOrUnbind(Entity one) {
    static constexpr const char* names[] = {"BodyCMP", "GaugeCMP", "CargoCMP", "ShellCMP",
                                            "NotesCMP"};
    const char* name = names[draw(4)];
    if (one.hasComponent(name)) {
        one.removeComponent(name);
        if (draw(2) > 0) return;
    }
    one.addComponent(name);
    if (name == names[3]) shells_->all[one.getId()] = 0;
}

void Playground::write(Entity one, Entity other) {
    if (one.hasComponent<Body>()) {
        auto& body = one.getComponent<Body>();
        body.target = isIn(other) ? other.getId() : EntityId{};
        body.angle += 0.125F;
    }
    if (one.hasComponent<Gauge>())
        one.setField("GaugeCMP", "label",
                     "n" + std::to_string(one.getComponent<Gauge>().ticks++ % 5));
    if (one.hasComponent<Cargo>()) one.getComponent<Cargo>().crates[draw(23)] += 3;
    if (one.hasComponent<Shell>()) shells_->all[one.getId()] += draw(3);
    if (one.hasComponent("NotesCMP"))
        one.setField("NotesCMP", "text", "note " + std::to_string(draw(9)));
}

void Playground::change(Entity one, Entity other) {
    switch (draw(10)) {
        case 0:
            if (isIn(other) && !isAbove(one, other) && !one.hasComponent<Keepsake>())
                other.addChild(one);
            break;
        case 1:
            if (one.getParent().isValid()) one.getParent().removeChild(one);
            break;
        case 2: one.setEnabled(!one.isEnabled()); break;
        case 3:
            if (one.hasComponent<Gauge>())
                one.setComponentEnabled("GaugeCMP", !one.isComponentEnabled("GaugeCMP"));
            break;
        case 4: world.setMainCharacter(one); break;
        case 5: world.setMainCamera(one); break;
        case 6: world.recordCollisionEvent({.first = one, .second = other}); break;
        case 7:
            world.removeEntity(one);  // nothing has happened
            world.addEntity(one);
            break;
        case 8:
            if (draw(3) == 0) world.removeResource("level");
            break;
        default: bindOrUnbind(one); break;
    }
}

void Playground::act() {
    if (draw(499) == 0) return loadLevel();
    auto any = [this] {
        return present_.empty() ? Entity{}
                                : present_[static_cast<std::size_t>(
                                      draw(static_cast<std::int64_t>(present_.size()) - 1))];
    };
    const Entity one = any();
    const Entity other = any();
    const std::int64_t what = draw(9);
    if (what < 2) return spawn(one);
    if (!isIn(one)) return;
    if (what == 2 || (what == 3 && present_.size() > crowd))
        world.removeEntity(one);
    else if (what < 7)
        change(one, other);
    else
        write(one, other);
}

}  // namespace soak
