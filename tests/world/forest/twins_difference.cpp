// What a world and its model differ in.
#include <algorithm>

#include "tests/world/forest/twins.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

std::string textOf(const std::vector<std::size_t>& numbers) {
    std::string text;
    for (const std::size_t number : numbers)
        text += number == model::none ? std::string(" none") : sentence(" ", number);
    return text;
}

template <class T>
std::string differ(std::string_view what, const T& expected, const T& got) {
    if (expected == got) return {};
    if constexpr (std::is_same_v<T, std::vector<std::size_t>>)
        return sentence(what, ": expected", textOf(expected), ", got", textOf(got));
    else
        return sentence(what, ": expected ", expected, ", got ", got);
}

}  // namespace

std::string Twins::difference() {
    for (std::size_t i = 0; i < entities_.size(); ++i)
        if (auto text = differenceOfEntity(i); !text.empty())
            return sentence("entity ", i, ", ", text);
    if (auto text = differenceOfLists(); !text.empty()) return text;
    if (auto text = differenceOfLogs(); !text.empty()) return text;
    const auto problems = world_.validate();
    return problems.empty() ? "" : problems.front();
}

std::string Twins::differenceOfEntity(std::size_t i) {
    const Entity& entity = entities_[i];
    const model::Node& node = model_.nodes[i];
    const EntityState state = model_.stateOf(i);
    auto text = differ("state", nameOf(state), nameOf(entity.getState()));
    if (!text.empty() || state == EntityState::Destroyed) return text;
    text = differ("parent", node.parent, indexOf(entity.getParent()));
    if (text.empty()) text = differ("children", node.children, indicesOf(entity.getChildren()));
    if (text.empty())
        text = differ("count", std::uint64_t{model_.refCount(i)}, entity.getRefCount());
    if (text.empty()) text = differ("enabled", node.enabled, entity.isEnabled());
    if (text.empty()) text = differ("active", node.active, entity.isActive());
    return text.empty() ? differenceOfComponents(i) : text;
}

std::string Twins::differenceOfComponents(std::size_t i) {
    const Entity& entity = entities_[i];
    std::vector<std::string> expected;
    for (const auto& [type, component] : model_.nodes[i].components) {
        const char* name = componentNames[type];
        expected.emplace_back(name);
        if (!entity.hasComponent(name)) return sentence("no component ", name);
        const std::byte* bytes = entity.getComponent(name);
        if (bytes != slots_[i][type]) return sentence("component ", name, " moved");
        for (std::uint32_t at = 0; at < world_.getSchema(name).size; ++at)
            if (std::to_integer<std::uint8_t>(bytes[at]) != component.fill)
                return sentence("component ", name, " differs in byte ", at);
        if (entity.isComponentEnabled(name) != component.enabled)
            return sentence("component ", name, component.enabled ? " is disabled" : " is enabled");
    }
    return entity.getComponentNames() == expected ? "" : "components that it should not have";
}

std::string Twins::differenceOfLists() {
    std::vector<std::size_t> active;
    std::vector<std::size_t> zombies;
    std::vector<std::size_t> roots;
    for (const EntityRecord& root : WorldCore::of(world_).forest().roots)
        roots.push_back(indexOf(Entity(world_, root.id)));
    for (const std::size_t i : model_.order)
        if (model_.nodes[i].active) active.push_back(i);
    for (std::size_t i = 0; i < model_.nodes.size(); ++i)
        if (model_.nodes[i].fact == model::Fact::Zombie) zombies.push_back(i);
    auto listed = indicesOf(world_.getZombies());
    std::ranges::sort(listed);
    auto text = differ("managed", model_.order, indicesOf(world_.getAllManagedEntities()));
    if (text.empty()) text = differ("active", active, indicesOf(world_.getActiveEntities()));
    if (text.empty()) text = differ("zombies", zombies, listed);
    if (text.empty() && WorldCore::of(world_).forest().keepsRoots)
        text = differ("roots", model_.roots(), roots);
    if (text.empty())
        text =
            differ("main character", model_.getMainCharacter(), indexOf(world_.getMainCharacter()));
    return text;
}

std::string Twins::differenceOfLogs() {
    std::ranges::sort(worldLog_.destroyed);
    std::ranges::sort(modelLog_.destroyed);
    auto text = differ("destroyed", modelLog_.destroyed, worldLog_.destroyed);
    const std::size_t lines = std::max(modelLog_.lines.size(), worldLog_.lines.size());
    auto line = [](const Log& log, std::size_t i) {
        return i < log.lines.size() ? log.lines[i] : "nothing";
    };
    for (std::size_t i = 0; text.empty() && i < lines; ++i)
        text = differ("events", line(modelLog_, i), line(worldLog_, i));
    for (Log* log : {&worldLog_, &modelLog_}) {
        log->lines.clear();
        log->destroyed.clear();
    }
    return text;
}

}  // namespace revenant
