---@meta _

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

---Frees a world made by `World:new()`. Its components get `onRemoved` and `onDestroyed`; every later use of the world, its
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

---The entities in the world that are enabled and have no disabled ancestor.
---@return revenant.Entity[]
function World:getActiveEntities() end

---The removed entities that something still refers to.
---@return revenant.Entity[]
function World:getZombies() end

---The managed entities of a name, in the world's order.
---@param name string
---@return revenant.Entity[]
function World:findEntities(name) end

---The first managed entity of a name, in the world's order; nil where there is none.
---@param name string
---@return revenant.Entity?
function World:findEntity(name) end

---The entity of an id; nil for one that was destroyed.
---@param id string as entity:getId() gave it
---@return revenant.Entity?
function World:getEntity(id) end

---Calls removeEntity for every entity, or for every one that has the component. Systems, listeners, views and the history
---stay (reset drops those, too).
---@param component? string
---@return integer how many it removes, their descendants not counted
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

---The first part of a tick, for games that tick their systems by hand.
function World:reconcile() end

---Empties the world; component definitions and prefabs stay. Inside a tick it acts after the tick.
function World:reset() end

---Writes the world's content to a file: forest, order, components, rewindable resources, random state, time, states of systems, as the
---next reconcile would make them. The file is replaced, or stays as it was. See docs/saving.md.
---@param path string
---@param options? {format: "binary"|"json"|nil} json: for people, diffs and tools; it loads again
function World:save(path, options) end

---Replaces the world's content by that of a file, all or nothing. Systems, listeners and views stay; older handles are stale; the
---history is cleared; `worldLoaded` is emitted. Inside a tick it acts after the tick. Raises where the save is refused, and nothing has
---changed; or, with a message that says that the save is loaded, what a listener raised then.
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

---The number of ticks so far, rewound with the world. Only `update` and the `tick` of a history advance it.
---@return integer
function World:getTick() end

---The sum of all dt; it is rewound, too.
---@return number
function World:getTime() end

---Whether a past frame is current.
---@return boolean
function World:isInPast() end

---Whether a tick is being run again (sync test): skip then what must not happen twice outside the world, such as sounds.
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

---@param system revenant.BaseSystem|revenant.TimeRewindSys|revenant.System|revenant.PlainSystem
function World:unregisterSystem(system) end

---@generic T
---@param name `T`
---@return T|any|nil
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
---are entities. Does nothing while a past frame is current.
---@param event {first: revenant.Entity?, second: revenant.Entity?, [string]: any}
function World:recordCollisionEvent(event) end

---The collision events of this frame.
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
---@param options? {rewind: boolean?} rewind: it is plain data and rewound with the world; default: as it is now, else false
function World:setResource(name, value, options) end

---As math.random, but rewound with the world. Each run begins with the same seed.
---@param first? integer
---@param last? integer
---@return number
function World:random(first, last) end

---For a different game in each run: world:setRandomSeed(os.time()).
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
