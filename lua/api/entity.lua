---@meta _

---The one value of an entity: it can be compared and used as a key.
---@class revenant.Entity
local Entity = {}

---A detached entity of the process-wide world.
---@param name string
---@return revenant.Entity
function Entity:new(name) end

---@return string
function Entity:getName() end

---Unique for ever. A stale entity has it, too.
---@return string
function Entity:getId() end

---State, relatives, references and components as lines of text, for debugging. Works for a stale entity, too.
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
---@return T|any component
function Entity:addComponent(name, overrides) end

---@param name string
function Entity:removeComponent(name) end

---A handle that checks at each access that the component still exists; nil where the entity has none. A name that is not
---defined raises.
---@generic T
---@param name `T`
---@return T|any|nil
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

---Whether the history records it; inherited by children.
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

---Applies what `serializeDelta` gave to an entity that is as its base was, nil included; as a whole or, where it raises, not at all.
---@param delta? table
function Entity:applyDelta(delta) end

---Whether saves include it; inherited by children.
---@param on boolean
function Entity:setPersistent(on) end

---@return boolean
function Entity:isPersistent() end
