// RandomRun: a world, some views and a list of operations. Operations are plain numbers whose
// meaning depends on what is there when they are carried out, so any part of a list is a list:
// one that fails can be cut down to the few operations that matter.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/views/operation.hpp"
#include "tests/views/view_model.hpp"
#include "views/rows/view_tables.hpp"

namespace naive {

struct WorldSize {
    std::size_t mostEntities = 300;
    std::uint32_t crowd = 8;  // children that one SpawnMany makes
    SpreadRule spread = {};   // of the views' rows
};

// Rows are spread after the first change, over blocks of so many places, and for many changes brought together again.
inline SpreadRule spreadAtOnce(std::size_t blockPlaces, std::size_t rowsPerChange = 0) {
    return {blockPlaces, 0, rowsPerChange, 1};
}

class RandomRun {
public:
    struct Failure {
        std::size_t operation;  // its number
        std::string problem;
    };

    explicit RandomRun(const WorldSize& size) : size_(size) {
        defineComponents(world_);
        WorldCore::of(world_).observer<ViewTables>().setSpreadRule(size.spread);
        for (const auto& [name, requirements] : requests()) open(name);
    }

    std::optional<Failure> run(const std::vector<Operation>& operations) {
        for (std::size_t i = 0; i < operations.size(); ++i) {
            try {
                perform(operations[i]);
            } catch (const std::exception& error) {
                problem_ = error.what();
            }
            if (!problem_.empty()) return Failure{i, problem_};
        }
        return std::nullopt;
    }

    const World& world() const { return world_; }

private:
    const std::string& component(std::uint32_t number) const {
        return componentNames()[number % componentNames().size()];
    }
    bool isOut(Entity entity) const {
        return entity.getState() != EntityState::Managed &&
               entity.getState() != EntityState::PendingAdd;
    }
    static bool isAncestor(Entity ancestor, Entity entity) {
        for (; entity.isValid(); entity = entity.getParent())
            if (entity == ancestor) return true;
        return false;
    }

    // The entity whose tag goes best with the number: leaving out others rarely changes that.
    Entity pick(std::uint32_t number) const {
        return std::ranges::min_element(
                   entities_, {},
                   [number](const Tagged& tagged) { return (tagged.tag ^ number) * 0x9E3779B1U; })
            ->entity;
    }

    Entity create(std::uint32_t components) {
        Entity entity = world_.newEntity(sentence("e", components));
        for (std::uint32_t i = 0; i < componentNames().size(); ++i)
            if (components >> i & 1) bind(entity, i);
        entities_.push_back({entity, components});
        return entity;
    }
    void bind(Entity entity, std::uint32_t number) {
        if (!entity.hasComponent(component(number))) entity.addComponent(component(number));
        write(entity, number);
    }
    void write(Entity entity, std::uint32_t number) {
        const ComponentSchema& schema = world_.getSchema(component(number));
        std::byte* bytes = entity.getComponent(component(number));
        writeStamp(schema, bytes, ++stamp_);
        for (auto& [name, view] : views_) view.noteWrite(bytes, readStamp(schema, bytes));
    }
    void open(const std::string& name) {
        for (const auto& [known, requirements] : requests()) {
            if (known != name || views_.contains(name)) continue;
            ViewModel& view = views_.try_emplace(name, world_, requirements).first->second;
            expect(view.checkAgainst(seen_), name + ", just opened");
            if (problem_.empty()) view.remember();
        }
    }
    void expect(const std::string& problem, const std::string& where) {
        if (!problem.empty() && problem_.empty()) problem_ = "view '" + where + "' " + problem;
    }

    void perform(const Operation& operation) {
        const auto [action, a, b] = operation;
        if (action == Action::Reconcile) return reconcile();
        if (action == Action::OpenView) return open(requests()[a % requests().size()].first);
        if (action == Action::ReleaseView) {
            views_.erase(requests()[a % requests().size()].first);
            return;
        }
        if (action == Action::AskDirty) {
            for (auto& [name, view] : views_) view.noteDirty();
            return;
        }
        const bool full = entities_.size() >= size_.mostEntities;
        if (action == Action::Create && !full) create(b);
        if (action == Action::Spawn && !full) world_.addEntity(create(b));
        if (entities_.empty()) return;
        if (action <= Action::Cut) ask(action, pick(a), b, full);
        if (!views_.empty())
            checkUnchanged(
                *std::next(views_.begin(), static_cast<std::ptrdiff_t>(b % views_.size())));
    }

    void ask(Action action, Entity entity, std::uint32_t b, bool full) {
        const bool has = entity.hasComponent(component(b));
        switch (action) {
            case Action::SpawnChild:
                if (!full) entity.addChild(create(b));
                break;
            case Action::SpawnMany:
                for (std::uint32_t i = 0; i < size_.crowd && !full; ++i)
                    entity.addChild(create(b ^ i));
                break;
            case Action::Add:
                if (!entity.getParent().isValid() || !isOut(entity.getParent()))
                    world_.addEntity(entity);
                break;
            case Action::RemoveKept: retain(entity); [[fallthrough]];
            case Action::Remove: world_.removeEntity(entity); break;
            case Action::Release:
                if (kept_.erase(entity.getId())) entity.release();
                break;
            case Action::Toggle: entity.setEnabled(!entity.isEnabled()); break;
            case Action::Bind: bind(entity, b); break;
            case Action::Replace:
            case Action::Unbind:
                if (has) entity.removeComponent(component(b));
                if (has && action == Action::Replace) bind(entity, b);
                break;
            case Action::ToggleComponent:
                if (has)
                    entity.setComponentEnabled(component(b),
                                               !entity.isComponentEnabled(component(b)));
                break;
            case Action::Write:
                if (has) write(entity, b);
                break;
            case Action::Attach: attach(entity, pick(b)); break;
            case Action::Cut:
                moves_ = true;
                if (entity.getParent().isValid()) entity.getParent().removeChild(entity);
                break;
            default: break;
        }
    }

    void attach(Entity parent, Entity child) {
        if (isAncestor(child, parent)) return;
        moves_ = true;
        parent.addChild(child);
    }
    void retain(Entity entity) {
        if (kept_.insert(entity.getId()).second) entity.retain();
    }
    // To keep an entity while its parent is not kept is a mistake of the game.
    void retainParents() {
        const auto kept = kept_;
        for (const EntityId id : kept)
            for (Entity at(world_, id); at.isValid() && isOut(at); at = at.getParent()) retain(at);
    }

    void reconcile() {
        for (const auto& view : views_) checkUnchanged(view);
        retainParents();
        for (auto& [name, view] : views_) view.noteDirty();
        world_.reconcile();
        std::erase_if(entities_, [](const Tagged& tagged) { return !tagged.entity.isValid(); });
        std::erase_if(kept_, [this](EntityId id) { return !Entity(world_, id).isValid(); });
        for (const std::string& problem : world_.validate()) expect(problem, "validate");
        seen_ = look(world_);
        for (auto& [name, view] : views_) {
            expect(view.checkAfterReconcile(seen_, world_.getClock(), moves_), name);
            view.remember();
            if (view.view().isDirty()) expect("is dirty after the reconcile", name);
        }
        moves_ = false;
    }
    void checkUnchanged(const std::pair<const std::string, ViewModel>& view) {
        expect(view.second.checkUnchanged(), view.first);
    }

    World world_;
    WorldSize size_;
    struct Tagged {
        Entity entity;
        std::uint32_t tag;
    };
    std::vector<Tagged> entities_;  // all that are valid
    std::set<EntityId> kept_;       // retained, once each
    std::map<std::string, ViewModel> views_;
    std::vector<Seen> seen_;  // as of the last reconcile
    Stamp stamp_ = 0;
    bool moves_ = false;  // an entity was moved this frame
    std::string problem_;
};

}  // namespace naive
