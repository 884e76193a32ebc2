---@meta _

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
---@field persistent? boolean default true; false: saves leave it out
---@field disabled? string[] names of components that are disabled

---What a level file returns.
---@class revenant.Level
---@field prefabs? table<string, revenant.Template> by name
---@field entities? revenant.Template[]

---How an instance differs from its template: fields by component name, and overrides of children by their names.
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
---@field new? fun(self: table): table makes a component where addComponent is given none, unless Class() does
---@field rewindIgnore? string[] fields that histories leave alone
---@field getRewindState? fun(self: table): any the state, as plain data, in place of the fields
---@field restoreRewindState? fun(self: table, state: any)
---@field lerpRewindState? fun(self: table, a: any, b: any, part: number): any
---@field onAdded? fun(self: table, entity: revenant.Entity) its entity enters the world, or it is bound to one that is in
---@field onRemoved? fun(self: table, entity: revenant.Entity) it leaves: removed, unbound, or rewound past its birth
---@field onRestored? fun(self: table, entity: revenant.Entity) a rewind, seek or resurrection makes it present again
---@field onDestroyed? fun(self: table) it is gone for good; called once
