#include "world/schedule/schedule_plan.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "world/storage/component_store.hpp"

namespace revenant {

namespace {

// Sorted names; a component is listed under the name of its family.
struct AccessNames {
    std::vector<std::string> reads;
    std::vector<std::string> writes;
};

std::vector<std::string> sharedNames(const std::vector<std::string>& names,
                                     ComponentStore& components) {
    std::vector<std::string> shared;
    for (const std::string& name : names) {
        const ComponentType* type = components.find(name);
        shared.push_back(type && type->family ? type->family->schema.name : name);
    }
    std::ranges::sort(shared);
    shared.erase(std::unique(shared.begin(), shared.end()), shared.end());
    return shared;
}

AccessNames namesOf(const System& system, ComponentStore& components) {
    const SystemAccess& access = *system.getOptions().access;
    AccessNames names;
    names.writes = sharedNames(access.writes, components);
    const std::vector<std::string> reads = sharedNames(access.reads, components);
    std::ranges::set_difference(reads, names.writes, std::back_inserter(names.reads));
    return names;
}

void joinNames(std::string& text, const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : ", ") + names[i];
}

// Why the later of two systems cannot tick beside the earlier one; empty: it can.
std::vector<std::string> conflicts(const AccessNames& earlier, const AccessNames& later) {
    std::vector<std::string> found;
    auto both = [&](const std::vector<std::string>& one, const std::vector<std::string>& other) {
        std::ranges::set_intersection(one, other, std::back_inserter(found));
    };
    both(earlier.writes, later.writes);
    both(earlier.writes, later.reads);
    both(earlier.reads, later.writes);
    return found;
}

void linkStage(Stage& stage, ComponentStore& components) {
    std::vector<PlannedSystem>& systems = stage.systems;
    std::vector<AccessNames> names;
    std::vector<std::vector<bool>> before(systems.size());  // all that each comes after
    for (std::size_t i = 0; i < systems.size(); ++i) {
        PlannedSystem& planned = systems[i];
        planned.access = accessOf(*planned.system, components);
        if (stage.written.size() < planned.access.writes.size())
            stage.written.resize(planned.access.writes.size());
        for (std::size_t type = 0; type < planned.access.writes.size(); ++type)
            if (planned.access.writes[type]) stage.written[type] = true;
        names.push_back(namesOf(*planned.system, components));
        std::string& text = planned.description;
        text = planned.system->getName() + ":";
        if (!names[i].reads.empty()) joinNames(text += " reads ", names[i].reads);
        if (!names[i].writes.empty())
            joinNames(text += names[i].reads.empty() ? " writes " : "; writes ", names[i].writes);
        if (names[i].reads.empty() && names[i].writes.empty()) text += " touches nothing";
        before[i].resize(systems.size());
        const auto& dependencies = planned.system->getOptions().dependencies;
        for (std::size_t j = i; j-- > 0;) {
            if (before[i][j]) continue;  // by way of another
            const std::string& other = systems[j].system->getName();
            const std::vector<std::string> why = conflicts(names[j], names[i]);
            const bool depends = std::ranges::find(dependencies, other) != dependencies.end();
            if (why.empty() && !depends) continue;
            systems[j].followers.push_back(static_cast<std::uint32_t>(i));
            ++planned.waitsFor;
            text += (planned.waitsFor == 1 ? "; after " : ", ") + other + " (";
            joinNames(text, why);
            text += why.empty() ? "depends on it)" : ")";
            before[i][j] = true;
            for (std::size_t k = 0; k < j; ++k)
                if (before[j][k]) before[i][k] = true;
        }
    }
}

}  // namespace

AccessSet accessOf(const System& system, ComponentStore& components) {
    AccessSet set;
    set.reads.resize(components.count());
    set.writes.resize(components.count());
    if (!system.getOptions().access) return set;
    auto mark = [&](const std::vector<std::string>& names, std::vector<bool>& marks) {
        for (const std::string& name : names) {
            const ComponentType* named = components.find(name);
            if (!named) continue;
            for (std::size_t id = 0; id < components.count(); ++id) {
                const ComponentType& type = components.at(static_cast<ComponentTypeId>(id));
                if (&type == named || (named->family && type.family == named->family))
                    marks[id] = true;
            }
        }
    };
    mark(system.getOptions().access->reads, set.reads);
    mark(system.getOptions().access->writes, set.reads);
    mark(system.getOptions().access->writes, set.writes);
    return set;
}

SchedulePlan::SchedulePlan(const std::vector<std::shared_ptr<System>>& order,
                           ComponentStore& components)
    : componentTypes(components.count()) {
    for (const auto& system : order) {
        if (stages.empty() || stages.back().isConcurrent != system->isConcurrent())
            stages.push_back({system->isConcurrent(), {}, {}});
        stages.back().systems.push_back({system, {}, {}, 0, {}});
    }
    for (Stage& stage : stages)
        if (stage.isConcurrent) linkStage(stage, components);
}

std::string SchedulePlan::describe() const {
    std::string text;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        text += "stage " + std::to_string(i + 1) +
                (stages[i].isConcurrent ? ", at the same time where nothing else is said:\n"
                                        : ", one by one on the main thread:\n");
        for (const PlannedSystem& planned : stages[i].systems)
            text += "  " +
                    (stages[i].isConcurrent ? planned.description : planned.system->getName()) +
                    "\n";
    }
    return text;
}

}  // namespace revenant
