-- The module: what `require "revenant"` returns.

local core = ...

for title, class in pairs { World = core.World, TimeRewindSys = core.TimeRewindSys, Query = core.Query, Prefab = core.Prefab,
    HotReload = core.HotReload } do
    core.nameMistakes(class, title)
end

core.module = {
    version = core.native.version,
    World = core.World,
    Entity = core.Entity,
    ComponentsView = core.ComponentsView,
    ComponentRequirementDesc = core.ComponentRequirementDesc,
    BaseSystem = core.BaseSystem,
    System = core.System,
    TimeRewindSys = core.TimeRewindSys,
    LevelManager = core.LevelManager,
    HotReload = core.HotReload,
    Prefab = core.Prefab,
    Query = core.Query,
    types = core.types,
    math = core.math,
    registerClass = core.registerClass,
    registerShared = core.registerShared,
    isValidating = core.native.validating,
}
