// Operation: one call on a world, as data, so that sequences of them can be made at random,
// printed and shrunk. The entities in it are numbers that mean something in any sequence.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "world/core/listeners.hpp"
#include "world/error.hpp"

namespace revenant {

enum class Verb : std::uint8_t {
    Reconcile,
    NewEntity,
    AddEntity,
    RemoveEntity,
    AddChild,
    RemoveChild,
    Destroy,
    Retain,
    Release,
    Hold,
    Drop,
    SetEnabled,
    AddComponent,
    RemoveComponent,
    SetComponentEnabled,
    SetMainCharacter,
    KeepRoots,  // whether the world keeps a list of roots, as it does for a history
};

// One type known to C++, one defined at run time, one without any field.
inline constexpr std::size_t componentTypes = 3;
inline constexpr const char* componentNames[componentTypes] = {"Pair", "Numbers", "Tag"};

struct Operation {
    Verb verb = Verb::Reconcile;
    std::size_t first = 0;   // which entity; the parent of a child
    std::size_t second = 0;  // which child
    std::size_t type = 0;    // which component
    std::uint8_t fill = 0;   // its bytes
    bool on = false;
    std::optional<EventKind> when;  // it is done by a listener of the next such event
};

inline std::string textOf(const Operation& operation) {
    static constexpr const char* verbs[] = {"reconcile",
                                            "newEntity",
                                            "addEntity",
                                            "removeEntity",
                                            "addChild",
                                            "removeChild",
                                            "destroy",
                                            "retain",
                                            "release",
                                            "hold",
                                            "drop",
                                            "setEnabled",
                                            "addComponent",
                                            "removeComponent",
                                            "setComponentEnabled",
                                            "setMainCharacter",
                                            "keepRoots"};
    static const Listeners events;
    std::string text = verbs[static_cast<std::size_t>(operation.verb)];
    switch (operation.verb) {
        case Verb::Reconcile:
        case Verb::NewEntity: break;
        case Verb::KeepRoots: text += operation.on ? " on" : " off"; break;
        case Verb::AddChild:
        case Verb::RemoveChild:
            text += sentence(" ", operation.first, " ", operation.second);
            break;
        case Verb::SetEnabled:
            text += sentence(" ", operation.first, operation.on ? " on" : " off");
            break;
        case Verb::AddComponent:
        case Verb::RemoveComponent:
            text += sentence(" ", operation.first, " #", operation.type);
            break;
        case Verb::SetComponentEnabled:
            text +=
                sentence(" ", operation.first, " #", operation.type, operation.on ? " on" : " off");
            break;
        default: text += sentence(" ", operation.first);
    }
    if (operation.when)
        text = sentence("at ", events.eventName(static_cast<std::uint16_t>(*operation.when)), ": ",
                        text);
    return text;
}

inline std::vector<Operation> randomOperations(std::uint32_t seed, std::size_t count) {
    // How often each verb, in the order of the enumeration.
    std::mt19937 random(seed);
    std::discrete_distribution<int> verbs({14, 12, 16, 12, 16, 6, 3, 5, 6, 3, 4, 5, 6, 5, 2, 2, 1});
    std::vector<Operation> operations;
    while (operations.size() < count) {
        Operation operation;
        operation.verb = static_cast<Verb>(verbs(random));
        operation.first = random();
        operation.second = random();
        operation.type = random() % componentTypes;
        operation.fill = static_cast<std::uint8_t>(random());
        operation.on = random() % 2 == 0;
        const bool atOnce = operation.verb == Verb::Reconcile || operation.verb == Verb::KeepRoots;
        if (!atOnce && random() % 8 == 0)
            operation.when = static_cast<EventKind>(random() % eventKinds);
        operations.push_back(operation);
    }
    operations.emplace_back();
    return operations;
}

}  // namespace revenant
