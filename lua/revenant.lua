-- The module: what `require "revenant"` returns.

local core = ...

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
    isValidating = core.native.validating,
}
