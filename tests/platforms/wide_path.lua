-- The loader finds its binary where the path has letters that the code page of Windows lacks.
--
--     luajit.exe wide_path.lua LOADER FOLDER DIGEST
--
-- LÖVE for Windows cannot be had where the suite runs: this stands in for what the loader calls of it. The copy that the
-- loader would make in the save directory is there already: FOLDER/player_ü_日/revenant-DIGEST-revenant.dll.

local loader, folder, digest = arg[1], arg[2], arg[3]
local save = folder .. "/player_\195\188_\230\151\165"
local copies = 0
love = {
    data = {
        hash = function(_, content) return content end,
        encode = function() return digest end,
    },
    filesystem = {
        getInfo = function(path)
            return path:find("^revenant[/-]") and { size = #"binary" } or nil
        end,
        getRealDirectory = function() return folder .. "/game.love" end,
        getSaveDirectory = function() return save end,
        read = function() return "binary" end,
        write = function() copies = copies + 1 return true end,
    },
}
local revenant = assert(loadfile(loader))("revenant")
assert(copies == 0, "it was there already")

local world = revenant.World.getInstance()
local function pathOf(name) return save .. "/" .. name .. "_\230\151\165" end

-- Twice, so that the second one replaces the first.
local rewind = world:registerSystem(revenant.TimeRewindSys:new(world, { seconds = 10 }))
world:addEntity(world:newEntity("hero"))
for _ = 1, 2 do
    world:update(1 / 60)
    world:save(pathOf "slot")
    world:save(pathOf "text", { format = "json" })
    rewind:saveHistory(pathOf "past")
end
local newest = rewind:getNewestFrame()
world:load(pathOf "text")
world:load(pathOf "slot")
world:reconcile()
local other = revenant.World:new()
local past = other:registerSystem(revenant.TimeRewindSys:new(other, { seconds = 10 }))
past:loadHistory(pathOf "past")
assert(past:getNewestFrame() == newest, "the history is not the second one")
local ok, message = pcall(world.load, world, pathOf "none")
assert(not ok and message:find(pathOf "none", 1, true) and message:find("it cannot be read: No such file"), message)
print("loaded from a wide path, and saved to one: " .. world:getAllManagedEntities()[1]:getName())
