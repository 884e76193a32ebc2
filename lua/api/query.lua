---@meta _

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
