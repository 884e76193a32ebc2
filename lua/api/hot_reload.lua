---@meta _

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
