---@meta _

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
