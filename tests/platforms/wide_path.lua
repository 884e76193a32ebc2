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
local path = save .. "/slot_\230\151\165.sav"
world:addEntity(world:newEntity("hero"))
world:save(path)
world:load(path)
world:reconcile()
print("loaded from a wide path, and saved to one: " .. world:getAllManagedEntities()[1]:getName())
