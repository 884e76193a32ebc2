---@meta _

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
