---@meta revenant
-- What `require "revenant"` gives, for the Lua language server. A test fails when a name is missing
-- here or there.

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
---@alias revenant.EventName "entityAdded"|"entityResurrected"|"entityRemoved"|"entityDestroyed"|"componentAdded"|"componentRemoved"|"entityEnabled"|"entityDisabled"|"rewindStarted"|"rewindEnded"|"levelLoaded"|"levelUnloaded"|string
---@alias revenant.FieldType table|number|boolean|string|fun(initial: any): table

---Names a class, so that its instances inside of components, rewindable resources, hook states and event payloads keep
---their class when they are recorded and restored. Instances with another metatable are refused there.
---@generic T: table
---@param name string unique, and the same from run to run: files name classes by it
---@param class T a class of any library, or the metatable of its instances
---@return T class
function revenant.registerClass(name, class) end

---The columns of views, by the names of components. A game may add fields to this class, one per component, and declare a class
---of the component's name; views, `getComponent` and `addComponent` have these types then. See docs/lua_games.md.
---@class revenant.Columns
---@field [string] table[] a column

---A template of an entity tree, for prefabs and level files (docs/level_files.md).
---@class revenant.Template
---@field name? string
---@field prefab? string another one that this builds on
---@field components? table<string, table|true> fields that differ from the defaults, by component name
---@field children? revenant.Template[]
---@field enabled? boolean default true
---@field rewindable? boolean default true

---What a level file returns.
---@class revenant.Level
---@field prefabs? table<string, revenant.Template> by name
---@field entities? revenant.Template[]

---What an instance has otherwise than its template: fields by component name, and overrides of children by their names.
---@class revenant.Overrides
---@field children? table<string, revenant.Overrides>
---@field [string] table

---Any table with a name and a tick or fixedTick is a system.
---@class revenant.PlainSystem
---@field name string
---@field tick? fun(self: table, dt: number)
---@field fixedTick? fun(self: table, step: number)
---@field requirements? (string[]|table<string, revenant.ComponentRequirementDesc>)
---@field view? revenant.ComponentsView of its requirements, once it is registered
---@field priority? integer higher ticks earlier
---@field dependencies? string[] names of systems that tick before
---@field tickWhileRewinding? boolean
---@field enabled? boolean
---@field fixedStepSeconds? number
---@field maxFixedSteps? integer
---@field onEntityAdded? fun(self: table, entity: revenant.Entity)
---@field onEntityRemoved? fun(self: table, entity: revenant.Entity)

---What a class of script components may define. All are optional.
---@class revenant.ScriptClass
---@field new? fun(self: table): table makes a component where addComponent is given none
---@field rewindIgnore? string[] fields that histories leave alone
---@field getRewindState? fun(self: table): any the state, as plain data, in place of the fields
---@field restoreRewindState? fun(self: table, state: any)
---@field lerpRewindState? fun(self: table, a: any, b: any, part: number): any
---@field onAdded? fun(self: table, entity: revenant.Entity) its entity enters the world, or it is bound to one that is in
---@field onRemoved? fun(self: table, entity: revenant.Entity) it leaves: removed, unbound, or wound back past its birth
---@field onRestored? fun(self: table, entity: revenant.Entity) a rewind, seek or resurrection makes it present again
---@field onDestroyed? fun(self: table) it is gone for good; called once

---A managed forest of entities, its systems and its globals.
---@class revenant.World
local World = {}

---The process-wide world.
---@return revenant.World
function World.getInstance() end

---Another world, for tests and tools. It lives until `dispose`, or until nothing but entities and components of it can be
---reached: those alone do not keep it.
---@return revenant.World
function World:new() end

---Frees a world made by `World:new()`. Its components hear `onRemoved` and `onDestroyed`; every later use of the world, its
---entities, views, systems and histories raises an error. Not inside a tick, a listener of the world's own events or a hook.
function World:dispose() end

---A detached entity of this world.
---@param name string
---@return revenant.Entity
function World:newEntity(name) end

---Asks for the entity and its descendants to be in the world from the next reconcile on.
---@param entity revenant.Entity
function World:addEntity(entity) end

---Asks for the entity and its descendants to leave at the next reconcile.
---@param entity revenant.Entity
function World:removeEntity(entity) end

---All entities in the world, in its order.
---@return revenant.Entity[]
function World:getAllManagedEntities() end

---Those that are enabled, and so are all their ancestors.
---@return revenant.Entity[]
function World:getActiveEntities() end

---Those that were removed and are still counted on.
---@return revenant.Entity[]
function World:getZombies() end

---The managed entities of a name, in the world's order.
---@param name string
---@return revenant.Entity[]
function World:findEntities(name) end

---The first of them; nil where there is none.
---@param name string
---@return revenant.Entity?
function World:findEntity(name) end

---The entity of an id; nil for one that was destroyed.
---@param id string as entity:getId() gave it
---@return revenant.Entity?
function World:getEntity(id) end

---Asks for the removal of every entity, or of every one that has the component, as removeEntity for each of them. Systems,
---listeners, views and the history stay (reset drops those, too).
---@param component? string
---@return integer how many are asked to leave, descendants not counted
function World:destroyAll(component) end

---Answers nil while the entity is not in the world; a new one enters it at the next reconcile.
---@return revenant.Entity?
function World:getMainCharacter() end

---Any valid entity; nil: none. It is rewound with the world, and cleared when the entity is removed.
---@param entity revenant.Entity?
function World:setMainCharacter(entity) end

---@return revenant.Entity?
function World:getMainCamera() end

---@param entity revenant.Entity?
function World:setMainCamera(entity) end

---One tick: reconciles, records or restores a frame, ticks the systems.
---@param dt number seconds, finite, 0 or more
function World:update(dt) end

---The first part of a tick, for those who tick their systems by hand.
function World:reconcile() end

---Empties the world; component definitions and prefabs stay. Inside a tick it acts after the tick.
function World:reset() end

---Writes the world's content to a file: forest, order, components, rewindable resources, random state, time, states of systems, as the
---next reconcile would make them. The file is replaced, or stays as it was. See docs/saving.md.
---@param path string
---@param options? {format: "binary"|"json"|nil} json: for people, diffs and tools; it loads again
function World:save(path, options) end

---Replaces the world's content by that of a file, all or nothing. Systems, listeners and views stay; older handles are stale; the
---history is cleared; `worldLoaded` is emitted. Inside a tick it acts after the tick.
---@param path string
---@param options? {drop: string[]?} components that the game no longer has
function World:load(path, options) end

---A detached tree made from what `serialize` gives.
---@param data table
---@return revenant.Entity
function World:deserialize(data) end

---As `save`, to a string.
---@param options? {format: "binary"|"json"|nil}
---@return string
function World:saveToString(options) end

---As `load`, from a string.
---@param text string
---@param options? {drop: string[]?}
function World:loadFromString(text, options) end

---How many ticks there were, as of the frame on show: those of `update`, or of a history that is ticked by hand. Rewound.
---@return integer
function World:getTick() end

---The sum of all dt; it is rewound, too.
---@return number
function World:getTime() end

---Whether an earlier frame is on show.
---@return boolean
function World:isPastOnShow() end

---Whether a tick is being run again (sync test): what must not happen twice outside the world is left out.
---@return boolean
function World:isResimulating() end

---Whether a tick or a reconcile is under way.
---@return boolean
function World:isTicking() end

---Counters: managed, active, zombies, detached, pending and others.
---@return table<string, number>
function World:getStats() end

---The hash of everything that rewinds, as sixteen digits.
---@return string
function World:stateHash() end

---A sentence for each invariant that does not hold.
---@return string[]
function World:validate() end

---Takes a system made by its class, or any table with a `name` and a `tick(self, dt)` or `fixedTick(self, step)`: such a table
---may have the fields of a BaseSystem, and `requirements` (names of components, or as for getComponentsView), for which it
---gets a `view`.
---@generic T
---@param system T
---@return T
function World:registerSystem(system) end

---@param system revenant.BaseSystem|revenant.TimeRewindSys|revenant.System
function World:unregisterSystem(system) end

---@param name string
---@return revenant.BaseSystem|revenant.TimeRewindSys|revenant.System|nil
function World:getSystem(name) end

---In ticking order.
---@return string[]
function World:getSystemNames() end

---@param name string
---@param fields? table<string, revenant.FieldType>
---@param options? {methods: table?, version: integer?, migrate: (fun(old: table, version: integer): table)?} methods: a class whose methods the component has, `component:move(dt)`; version, migrate: for saves, bring the fields of earlier versions into this one
function World:defineComponent(name, fields, options) end

---A component that is a Lua table: an instance of any class. A class with one of getRewindState and restoreRewindState needs
---the other, too.
---@param name string
---@param class? revenant.ScriptClass whose methods its tables get
---@param options? {base: string?, rewind: boolean?, version: integer?, migrate: (fun(old: any, version: integer): any)?} base: asking for that component finds this one; rewind = false: histories leave its tables alone
function World:defineScriptComponent(name, class, options) end

---@param name string
---@return boolean
function World:isComponentDefined(name) end

---The fields of a component; nil for a script component.
---@param name string
---@return {name: string, type: string, count: integer?}[]?
function World:getSchema(name) end

---All component types, in the order of their definition: how many entities have one, bytes of one, bytes of memory set aside
---for all, and the number of its fields (0: a script component, or one without fields).
---@return {name: string, count: integer, size: integer, bytes: integer, fields: integer}[]
function World:getComponentTypes() end

---How many entities have the component now, in the world or out of it.
---@param component string
---@return integer
function World:countComponents(component) end

---@param requirements table<string, revenant.ComponentRequirementDesc> keyed by component name
---@return revenant.ComponentsView
function World:getComponentsView(requirements) end

---A question asked once.
---@return revenant.Query
function World:query() end

---A template is written as in a level file (docs/level_files.md): `components`, `children`, `prefab` and others. Level files may
---build on prefabs that code has defined.
---@param name string
---@param template revenant.Template
---@return revenant.Prefab
function World:definePrefab(name, template) end

---@param name string
---@return revenant.Prefab?
function World:getPrefab(name) end

---Makes an instance of a prefab and adds it: world:spawn("rock", { BodyCMP = { x = 3 } }).
---@param prefab revenant.Prefab|string
---@param overrides? revenant.Overrides fields by component name, of the root
---@return revenant.Entity
function World:spawn(prefab, overrides) end

---Makes many. `overrides` is as for spawn, a table for all, or a function that makes one for each.
---@param prefab revenant.Prefab|string
---@param count integer
---@param overrides? revenant.Overrides|fun(i: integer): revenant.Overrides?
---@return revenant.Entity[] # read-only
function World:spawnMany(prefab, count, overrides) end

---Reports a collision of this frame: any table, which getCollisionEvents returns as it is. `first` and `second`, where given,
---are entities. Does nothing while a past frame is shown.
---@param event {first: revenant.Entity?, second: revenant.Entity?, [string]: any}
function World:recordCollisionEvent(event) end

---This frame's.
---@return table[]
function World:getCollisionEvents() end

---@return any
function World:getRenderEnv() end

---@param env any
function World:setRenderEnv(env) end

---The value; of a table that is marked `rewind`, a copy: change it and set it again.
---@param name string
---@return any
function World:getResource(name) end

---@param name string
---@param value any nil removes it
---@param options? {rewind: boolean} rewind: it is plain data and rewound with the world
function World:setResource(name, value, options) end

---As math.random, but rewound with the world. Each run begins with the same seed.
---@param first? integer
---@param last? integer
---@return number
function World:random(first, last) end

---Another game in each run: world:setRandomSeed(os.time()).
---@param seed integer
function World:setRandomSeed(seed) end

---fn(entity, detail), or fn(detail) for events of no entity. What a listener raises stops neither the emitter nor other
---listeners; `update` raises it at its end.
---@param event revenant.EventName
---@param fn fun(...)
---@param options? {confirmed: boolean?} confirmed: called once per event, not while a tick is run again; for sounds and the like
---@return integer token
function World:on(event, fn, options) end

---@param token integer
function World:off(token) end

---@param name string
function World:defineEvent(name) end

---emit(event, entity, detail) or emit(event, detail); the detail is plain data.
---@param event string
---@param entity? any
---@param detail? any
function World:emit(event, entity, detail) end

---As emit, but delivered at the start of the next tick, right after its reconcile, in the order of the calls. Queued events are
---part of the frame and are rewound.
---@param event string
---@param entity? any
---@param detail? any
function World:queue(event, entity, detail) end

---The one value of an entity: it can be compared and used as a key.
---@class revenant.Entity
local Entity = {}

---A detached entity of the process-wide world.
---@param name string
---@return revenant.Entity
function Entity:new(name) end

---@return string
function Entity:getName() end

---Unique for ever, also for stale ones.
---@return string
function Entity:getId() end

---State, relatives, references and components as lines of text, for debugging. Answers for a stale one, too.
---@return string
function Entity:dump() end

---@return boolean
function Entity:isValid() end

---@return revenant.State
function Entity:getState() end

---@return revenant.World
function Entity:getWorld() end

---Whether a change is waiting for the next reconcile.
---@return boolean
function Entity:isDirty() end

---Destroys a detached entity with its subtree.
function Entity:destroy() end

---@generic T
---@param name `T`
---@param overrides? table fields that differ from the defaults; or the table of a script component
---@return T component
function Entity:addComponent(name, overrides) end

---@param name string
function Entity:removeComponent(name) end

---A handle that checks at each access that the component still exists; nil where the entity has none. A name that is not
---defined raises.
---@generic T
---@param name `T`
---@return T?
function Entity:getComponent(name) end

---@param name string
---@return boolean
function Entity:hasComponent(name) end

---@return string[]
function Entity:getComponentNames() end

---To views a disabled component is absent.
---@param name string
---@param on boolean
function Entity:setComponentEnabled(name, on) end

---@param name string
---@return boolean
function Entity:isComponentEnabled(name) end

---@param on boolean
function Entity:setEnabled(on) end

---Its own flag.
---@return boolean
function Entity:isEnabled() end

---Managed and enabled, and so are all its ancestors, as of the last reconcile.
---@return boolean
function Entity:isActive() end

---@param child revenant.Entity
function Entity:addChild(child) end

---@param child revenant.Entity
function Entity:removeChild(child) end

---@return revenant.Entity?
function Entity:getParent() end

---@return revenant.Entity[]
function Entity:getChildren() end

function Entity:retain() end

function Entity:release() end

---Own references and those of all ancestors.
---@return integer
function Entity:getRefCount() end

---Whether the history knows it; inherited by children.
---@param on boolean
function Entity:setRewindable(on) end

---@return boolean
function Entity:isRewindable() end

---Plain data of the entity and its descendants, in the shape of a prefab template. References inside the tree stay references.
---@return table
function Entity:serialize() end

---What differs from an earlier `serialize()`; nil where nothing does.
---@param base table
---@return table?
function Entity:serializeDelta(base) end

---Applies what `serializeDelta` gave to an entity that is as its base was.
---@param delta table
function Entity:applyDelta(delta) end

---Whether saves have it; inherited by children.
---@param on boolean
function Entity:setPersistent(on) end

---@return boolean
function Entity:isPersistent() end

---What a view asks of an entity.
---@class revenant.ComponentRequirementDesc
local ComponentRequirementDesc = {}

---@param mustHave? boolean default true; false: optional
---@param readOnly? boolean default false
---@return revenant.ComponentRequirementDesc
function ComponentRequirementDesc:new(mustHave, readOnly) end

---The entity has the component.
---@param access? "readWrite"|"readOnly" default "readWrite"
---@return revenant.ComponentRequirementDesc
function ComponentRequirementDesc:mustHave(access) end

---The entity may lack it: its row of the column is EMPTY then.
---@param access? "readWrite"|"readOnly" default "readWrite"
---@return revenant.ComponentRequirementDesc
function ComponentRequirementDesc:optional(access) end

---The entity does not have it.
---@return revenant.ComponentRequirementDesc
function ComponentRequirementDesc:without() end

---A live table: one column per component name, one row per matching active entity, in world order.
---@class revenant.ComponentsView : revenant.Columns
---@field count integer
---@field entities revenant.Entity[]
local ComponentsView = {}

---Stands in an optional column where the entity lacks the component. Reads nil, refuses writes.
ComponentsView.EMPTY = {}

---Whether a change is waiting for the next reconcile.
---@return boolean
function ComponentsView:isDirty() end

---False once it was released or its world reset.
---@return boolean
function ComponentsView:isValid() end

---Gives the view back; it is freed with the last of those who asked for it.
function ComponentsView:release() end

---The row of an entity.
---@param entity revenant.Entity
---@return integer?
function ComponentsView:rowOf(entity) end

---@return table<string, number>
function ComponentsView:getStats() end

---The column as it should be drawn: between two frames `lerp` and `angle` fields are blended, and of a
---script component it is what its lerpRewindState(a, b, part) returns. In play, at a frame and where both frames
---agree it is the component itself. Read-only.
---@generic T
---@param name `T`
---@return T[]
function ComponentsView:display(name) end

---Runs of rows that lie side by side, as plain, unchecked FFI arrays that begin at 0:
---for count, a, b in view:runs("A", "B") do for i = 0, count - 1 do a[i].x = b[i].x end end
---@param ... string names of columns
---@return fun(state: table): integer?, ...
---@return table
function ComponentsView:runs(...) end

---Fills an array with a field of all rows, in order: plain numbers or booleans, false where the entity lacks an optional
---component. For games without LuaJIT's compiler (iOS, consoles, `jit.off()`), where columns are slow: read fields into
---arrays that you keep, compute, and write them back.
---@param name string
---@param field string
---@param into? table the array to fill; default: a new one
---@return table values
---@return integer count
function ComponentsView:readField(name, field, into) end

---Writes a field of all rows from an array: all of them, or none where a value does not fit. Rows that lack an optional
---component are passed over.
---@param name string
---@param field string
---@param values table
function ComponentsView:writeField(name, field, values) end

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
---@return T
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

---Records one frame per tick and shows earlier ones, exactly.
---@class revenant.TimeRewindSys
---@field name string
local TimeRewindSys = {}

---@param world revenant.World
---@param options? {seconds: number?, bytes: number?, thinTo: integer?, inThePast: "raise"|"defer"|nil} the budget, default 60 s and 64 MiB; while frames come faster than they can be packed, at least one of so many older ones is kept, default 64, 1 for all; what structural calls do while a past frame is shown
---@return revenant.TimeRewindSys
function TimeRewindSys:new(world, options) end

---@return string
function TimeRewindSys:getName() end

---Begins to rewind; a no-op while rewinding.
function TimeRewindSys:start() end

---Resumes from the frame on show; its future is dropped. A no-op while playing. At once between ticks, else at the
---next one, after a seek that was asked for before.
function TimeRewindSys:stop() end

---@return boolean
function TimeRewindSys:isRewinding() end

---Seconds of the past per second; negative: forward again.
---@param speed number
function TimeRewindSys:setSpeed(speed) end

---@return number
function TimeRewindSys:getSpeed() end

---Shows a frame; begins to rewind if need be. At once between ticks, else at the next one.
---@param frame integer
function TimeRewindSys:seek(frame) end

---@param frames integer < 0: back
function TimeRewindSys:step(frames) end

---For those who tick by hand: right after reconcile.
---@param dt number
function TimeRewindSys:tick(dt) end

---@return integer?
function TimeRewindSys:getFrame() end

---@return integer?
function TimeRewindSys:getOldestFrame() end

---@return integer?
function TimeRewindSys:getNewestFrame() end

---Of a frame that was thinned out: the hash of the frame that `seek` shows in its place.
---@param frame integer
---@return string
function TimeRewindSys:frameHash(frame) end

---Whether a frame between the oldest and the newest was left out under memory pressure. `seek` shows the nearest kept one before it.
---@param frame integer
---@return boolean
function TimeRewindSys:isThinned(frame) end

---How well packing keeps up: frames that are kept, that were thinned out in between, that wait to be packed and the
---bytes of those, and frames that were dropped so far, the oldest first.
---@return {kept: integer, thinned: integer, waiting: integer, waitingBytes: integer, dropped: integer}
function TimeRewindSys:getStatistics() end

---@param options {seconds: number?, bytes: number?, thinTo: integer?}
function TimeRewindSys:setBudget(options) end

---@return {seconds: number, bytes: number, thinTo: integer}
function TimeRewindSys:getBudget() end

---Bytes that the history holds.
---@return number
function TimeRewindSys:getMemory() end

---Drops every frame.
function TimeRewindSys:clear() end

---@param on boolean
function TimeRewindSys:setEnabled(on) end

---@return boolean
function TimeRewindSys:isEnabled() end

---Names the frame on show.
---@param name string
function TimeRewindSys:setCheckpoint(name) end

---@param name string
---@return integer?
function TimeRewindSys:getCheckpoint(name) end

---@param name string
function TimeRewindSys:seekCheckpoint(name) end

---@param name string
---@return boolean # whether there was one
function TimeRewindSys:removeCheckpoint(name) end

---@return table<string, integer>
function TimeRewindSys:getCheckpoints() end

---Writes the whole history to a file.
---@param path string
function TimeRewindSys:saveHistory(path) end

---Opens such a file, in a world without entities that defines the same components.
---@param path string
function TimeRewindSys:loadHistory(path) end

---Where this history and another's first differ; both show that frame then.
---@param other revenant.TimeRewindSys
---@param from? integer
---@return {frame: integer, entity: string, component: string, field: string, here: string, there: string, text: string}?
function TimeRewindSys:findDivergence(other, from) end

---Each tick the last so many frames are run again, and must come out the same; 0: not. In a loop that calls `rewind:tick` by hand
---the next tick raises: what the loop does could not be run again.
---@param frames integer
function TimeRewindSys:setSyncTest(frames) end

---@return integer
function TimeRewindSys:getSyncTest() end

---What first came out differently.
---@return {frame: integer, entity: string, component: string, field: string, here: string, there: string, text: string}?
function TimeRewindSys:getSyncReport() end

---A sentence for each invariant of the history that does not hold: the references that it counts against the frames, births, what it
---follows against what is there.
---@return string[]
function TimeRewindSys:validate() end

---Whether lerpRewindState is called once per tick while time stands between two frames, for classes that move objects of their
---own by it (a body, a sprite). They get the exact state back when time stands at a frame, or play resumes.
---@param on boolean
function TimeRewindSys:setApplyBlend(on) end

---@return boolean
function TimeRewindSys:getApplyBlend() end

---How far, 0 to 1, the time on show is on its way from the frame on show to the next.
---@return number
function TimeRewindSys:getBlend() end

---For display: what a system's lerpRewindState makes of its states in the frame on show and in the next; nil
---where nothing lies between them.
---@param system revenant.BaseSystem|string the system, or its name
---@return any
function TimeRewindSys:getDisplayState(system) end

---Writes through rows, runs or components that were kept from an earlier tick. The history compares some
---components in each frame that are not marked as written, so that such a write is in a frame when as many
---frames have passed as there are components / 128.
---@return integer frames # how many frames found some
---@return string? first # a sentence on the first
function TimeRewindSys:getStrayWrites() end

---Waits until nothing is left to pack.
function TimeRewindSys:finishPacking() end

---Loads levels from Lua data files, each run in a Lua state of its own without libraries (docs/level_files.md).
---@class revenant.LevelManager: revenant.BaseSystem
local LevelManager = {}

---Registers itself with the world. `read` is given `folder/name.lua`; in LÖVE, love.filesystem.read.
---@param world revenant.World
---@param options? {folder: string?, read: (fun(path: string): string?, string?)?, history: "keep"|"clear"|nil}
---@return revenant.LevelManager
function LevelManager:new(world, options) end

---Called by new.
---@param options? table
function LevelManager:init(options) end

---@param dt number
function LevelManager:tick(dt) end

---A request for the next tick; the last one holds.
---@param name string
---@param options? {history: "keep"|"clear"}
function LevelManager:load(name, options) end

---@param options? {history: "keep"|"clear"}
function LevelManager:unload(options) end

---@param options? {history: "keep"|"clear"}
function LevelManager:reload(options) end

---@return string?
function LevelManager:getLevel() end

---@return revenant.Entity[]
function LevelManager:getRoots() end

---Whether a request is waiting.
---@return boolean
function LevelManager:isPending() end

---Re-reads the files of systems when they change, with the world kept.
---@class revenant.HotReload
local HotReload = {}

---@param options? {read: (fun(path: string): string?, string?)?, onError: fun(message: string, path: string)?, onNotice: fun(message: string, path: string)?}
---@return revenant.HotReload
function HotReload:new(options) end

---Runs the file and returns the class that it returns, of systems or of components.
---@generic T : table
---@param path string
---@return T
function HotReload:load(path) end

---Re-reads what has changed; an error keeps the old code running. Systems and components that are there run the new code. A
---reloaded file may define components, classes and prefabs again. What is not taken over (an `init` that has changed) goes to
---`onNotice` and `getNotice`.
---@return integer # how many files run new code
function HotReload:update() end

---@param path string
---@return string?
function HotReload:getError(path) end

---What the last reload of a file could not take over; nil: nothing was left.
---@param path string
---@return string?
function HotReload:getNotice(path) end

---A named template of an entity tree.
---@class revenant.Prefab
local Prefab = {}

---@return string?
function Prefab:getName() end

---A detached instance.
---@param overrides? revenant.Overrides fields by component name, of the root
---@return revenant.Entity
function Prefab:instantiate(overrides) end

---An instance that is added to the world.
---@param overrides? revenant.Overrides fields by component name, of the root
---@return revenant.Entity
function Prefab:spawn(overrides) end

---@param count integer
---@param overrides? revenant.Overrides|fun(i: integer): revenant.Overrides?
---@return revenant.Entity[] # read-only
function Prefab:spawnMany(count, overrides) end

---world:query():with("EnemyCMP"):without("DeadCMP"):where(isNear):limit(3):entities()
---@class revenant.Query
local Query = {}

---@param component string
---@return revenant.Query
function Query:with(component) end

---@param component string
---@return revenant.Query
function Query:without(component) end

---@param predicate fun(entity: revenant.Entity): boolean
---@return revenant.Query
function Query:where(predicate) end

---Ascending; equal keys in world order.
---@param key fun(entity: revenant.Entity): number
---@return revenant.Query
function Query:orderBy(key) end

---@param most integer
---@return revenant.Query
function Query:limit(most) end

---@return revenant.Entity[]
function Query:entities() end

---@return revenant.Entity?
function Query:first() end

---@return integer
function Query:count() end

---Elementary functions that give the same bits on Linux, Windows, x86-64 and arm64. Those of Lua's `math` come from the
---C library, whose last bits differ, so that a replay or a hash made on one machine fails on another.
---@class revenant.math
local math = {}

---@param radians number
---@return number
function math.sin(radians) end

---@param radians number
---@return number
function math.cos(radians) end

---@param radians number
---@return number
function math.tan(radians) end

---@param x number
---@return number radians
function math.asin(x) end

---@param x number
---@return number radians
function math.acos(x) end

---@param x number
---@return number radians
function math.atan(x) end

---@param y number
---@param x number
---@return number radians
function math.atan2(y, x) end

---@param x number
---@return number
function math.exp(x) end

---The natural logarithm.
---@param x number
---@return number
function math.log(x) end

---@param x number
---@param y number
---@return number
function math.pow(x, y) end

---@param x number
---@return number
function math.sqrt(x) end

---The remainder with the sign of the divisor, exact: what `%` means. LuaJIT's `%` rounds.
---@param dividend number
---@param divisor number
---@return number
function math.mod(dividend, divisor) end

---Field types of components.
---@class revenant.types
local types = {}

---@param initial? number
---@return table
function types.f32(initial) end

---@param initial? number
---@return table
function types.f64(initial) end

---@param initial? integer
---@return table
function types.i32(initial) end

---@param initial? integer
---@return table
function types.u32(initial) end

---@param initial? integer
---@return table
function types.i64(initial) end

---@param initial? integer
---@return table
function types.u8(initial) end

---@param initial? boolean
---@return table
function types.bool(initial) end

---@param initial? string
---@return table
function types.string(initial) end

---@return table
function types.entity() end

---Elements are `component.field[1]` to `component.field[count]`; `#` and `ipairs` work. A list that is assigned, or given as an
---override, sets as many elements as it has.
---@param element revenant.FieldType
---@param count integer
---@return table
function types.array(element, count) end

---Blended for display.
---@param field revenant.FieldType
---@return table
function types.lerp(field) end

---Blended for display, the short way round.
---@param field revenant.FieldType
---@return table
function types.angle(field) end

return revenant
