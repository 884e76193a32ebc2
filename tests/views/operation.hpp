// Operation: one step of a RandomRun, as plain numbers, and the requests that its views make.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "views/requirements.hpp"
#include "world/error.hpp"

namespace naive {

using namespace revenant;

enum class Action : std::uint8_t {
    Create,  // detached
    Spawn,
    SpawnChild,
    SpawnMany,  // children of one parent, in mid-tree
    Add,
    Remove,
    RemoveKept,  // retained, so that it can be resurrected
    Release,
    Toggle,  // enable or disable an entity
    Bind,
    Unbind,
    Replace,          // remove and add a component in one frame
    ToggleComponent,  // enable or disable a single component
    Write,
    Attach,
    Cut,
    OpenView,
    ReleaseView,
    AskDirty,
    Reconcile,
};

struct Operation {
    Action action = Action::Reconcile;
    std::uint32_t a = 0;
    std::uint32_t b = 0;
};

inline std::string describe(const Operation& operation) {
    static constexpr std::string_view names[] = {
        "Create", "Spawn",      "SpawnChild",      "SpawnMany", "Add",
        "Remove", "RemoveKept", "Release",         "Toggle",    "Bind",
        "Unbind", "Replace",    "ToggleComponent", "Write",     "Attach",
        "Cut",    "OpenView",   "ReleaseView",     "AskDirty",  "Reconcile"};
    return sentence("{Action::", names[static_cast<std::size_t>(operation.action)], ", ",
                    operation.a, ", ", operation.b, "},\n");
}

inline const std::vector<std::pair<std::string, Requirements>>& requests() {
    const ComponentRequirementDesc must(true);
    const ComponentRequirementDesc maybe(false);
    const ComponentRequirementDesc readOnly(true, true);
    const ComponentRequirementDesc without = ComponentRequirementDesc::without();
    static const std::vector<std::pair<std::string, Requirements>> all = {
        {"everything", {}},
        {"water", {{"WaterCMP", must}}},
        {"water, read-only", {{"WaterCMP", readOnly}}},
        {"water earth", {{"WaterCMP", must}, {"EarthCMP", must}}},
        {"water ?earth", {{"WaterCMP", must}, {"EarthCMP", maybe}}},
        {"water !earth", {{"WaterCMP", must}, {"EarthCMP", without}}},
        {"?water ?earth", {{"WaterCMP", maybe}, {"EarthCMP", maybe}}},
        {"!water", {{"WaterCMP", without}}},
        {"earth air ?stone !fire",
         {{"EarthCMP", must}, {"AirCMP", must}, {"StoneCMP", maybe}, {"FireCMP", without}}},
        {"water earth air fire",
         {{"WaterCMP", must}, {"EarthCMP", must}, {"AirCMP", must}, {"FireCMP", must}}},
        {"fire", {{"FireCMP", must}}},
        {"stone ?bark !water", {{"StoneCMP", must}, {"BarkCMP", maybe}, {"WaterCMP", without}}},
        {"air ?all",
         {{"AirCMP", must},
          {"BarkCMP", maybe},
          {"EarthCMP", maybe},
          {"FireCMP", maybe},
          {"StoneCMP", maybe},
          {"WaterCMP", maybe}}},
    };
    return all;
}

}  // namespace naive
