---@meta _

---What systems written in Lua derive from. A class may define tick(dt), fixedTick(step),
---getRewindState(), restoreRewindState(state) and lerpRewindState(a, b, part).
---@class revenant.BaseSystem
---@field name string
---@field priority? integer higher ticks earlier
---@field dependencies? string[] names of systems that tick before
---@field tickWhileRewinding? boolean
---@field enabled? boolean
---@field fixedStepSeconds? number
---@field maxFixedSteps? integer
---@field tick? fun(self: revenant.BaseSystem, dt: number)
---@field fixedTick? fun(self: revenant.BaseSystem, step: number)
---@field getRewindState? fun(self: revenant.BaseSystem): any
---@field restoreRewindState? fun(self: revenant.BaseSystem, state: any)
---@field lerpRewindState? fun(self: revenant.BaseSystem, a: any, b: any, part: number): any
---@field onEntityAdded? fun(self: revenant.BaseSystem, entity: revenant.Entity) it starts matching the view; on registration, those already there
---@field onEntityRemoved? fun(self: revenant.BaseSystem, entity: revenant.Entity) it stops matching the view
local BaseSystem = {}

---A class derived from this one. `---@class MovementSys : revenant.BaseSystem` above it has the language server know its own
---methods and fields, in systems that `new` makes, too.
---@generic T : revenant.BaseSystem
---@param self T
---@param name string
---@return T|table
function BaseSystem:extend(name) end

---A system of this class: runs init(...), then acquires the view, once.
---@generic T : revenant.BaseSystem
---@param self T
---@param world revenant.World
---@param ... any for init
---@return T
function BaseSystem:new(world, ...) end

---For classes to define.
---@param ... any
function BaseSystem:init(...) end

---@return string
function BaseSystem:getName() end

---@return revenant.World
function BaseSystem:getWorld() end

---Only in init.
---@param name string
---@param mustHave? boolean|revenant.ComponentRequirementDesc default true; false: optional
---@param readOnly? boolean default false
function BaseSystem:addComponentRequirement(name, mustHave, readOnly) end

---The view of its requirements. A system without any has none, and gets nil.
---@return revenant.ComponentsView
function BaseSystem:getComponentsView() end

---A listener that lives with the system: silent while it is disabled or not registered, gone when it is unregistered.
---@param event revenant.EventName
---@param fn fun(...)
function BaseSystem:listen(event, fn) end

---The same as `system.enabled = on`.
---@param on boolean
function BaseSystem:setEnabled(on) end

---@return boolean
function BaseSystem:isEnabled() end

---@return boolean
function BaseSystem:isRegistered() end

---@return number
function BaseSystem:getLastTickNanoseconds() end

---A system of C++.
---@class revenant.System
local System = {}

---@return string
function System:getName() end

---@param dt number
function System:tick(dt) end

---@param on boolean
function System:setEnabled(on) end

---@return boolean
function System:isEnabled() end
