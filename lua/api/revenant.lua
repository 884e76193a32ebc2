---@meta revenant
-- What `require "revenant"` gives, for the Lua language server: put this folder into the workspace's library. Nothing here is
-- run. A test fails when a name is missing here or in the module. The files in the order of the reference, which is made from
-- them:
--
--     revenant.lua
--     shapes.lua
--     world.lua
--     entity.lua
--     components_view.lua
--     system.lua
--     time_rewind_sys.lua
--     level_manager.lua
--     hot_reload.lua
--     prefab.lua
--     query.lua
--     math.lua
--     types.lua

---@class revenant
---@field version string
---@field isValidating boolean Whether this is a build with validators: slower, and it catches more.
---@field World revenant.World
---@field Entity revenant.Entity
---@field ComponentsView revenant.ComponentsView
---@field ComponentRequirementDesc revenant.ComponentRequirementDesc
---@field BaseSystem revenant.BaseSystem
---@field System revenant.System
---@field TimeRewindSys revenant.TimeRewindSys
---@field LevelManager revenant.LevelManager
---@field HotReload revenant.HotReload
---@field Prefab revenant.Prefab
---@field Query revenant.Query
---@field types revenant.types
---@field math revenant.math
local revenant = {}

---@alias revenant.State "detached"|"pendingAdd"|"managed"|"pendingRemove"|"zombie"|"unborn"|"destroyed"
---@alias revenant.EventName "entityAdded"|"entityResurrected"|"entityRemoved"|"entityDestroyed"|"componentAdded"|"componentRemoved"|"entityEnabled"|"entityDisabled"|"rewindStarted"|"rewindEnded"|"levelLoaded"|"levelUnloaded"|"worldLoaded"|string
---@alias revenant.FieldType table|number|boolean|string|fun(initial: any): table

---Names a class, so that its instances inside of components, rewindable resources, hook states and event payloads keep
---their class when they are recorded and restored. Instances with another metatable are refused there.
---@generic T: table
---@param name string unique, and the same from run to run: files name classes by it
---@param class T a class of any library, or the metatable of its instances
---@return T class
function revenant.registerClass(name, class) end

---Names a table, a function or a userdata that the game shares: a table of constants, an image, a callback. Components,
---rewindable resources, hook states and event payloads refer to it by its name, and get this very value back.
---@generic T: table|function|userdata
---@param name string unique, and the same from run to run: files name it by that
---@param value T what is in it is part of no frame
---@return T value
function revenant.registerShared(name, value) end

return revenant
