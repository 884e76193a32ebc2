-- Saves of worlds with scripts, of every format that ever was, open and hold what they held (tests/save/). To add some when the
-- format changes, name the files anew below and run this with REVENANT_WRITE_SAVES=1.
local revenant = require "revenant"
local scene = require "random_saved_world"

local folder = debug.getinfo(1, "S").source:match("^@(.*)tests/lua/specs/") .. "tests/save/"
local kept = { "format_1_scripts", "format_2_scripts" }  -- .save, .json, and .txt: all there is to see of it

local function newWorld()
    local world = scene.define(revenant.World:new())
    return world, scene.addGame(world)
end

local function read(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read("*a")
    file:close()
    return text
end

local function describe(world, system)
    local lines = { scene.describe(world:getAllManagedEntities()), system.waves, world:getTick(), world:getTime(), world:random(1000) }
    local diary = world:getResource("diary")
    lines[#lines + 1] = diary.who:getName() .. diary.list[2].text
    lines[#lines + 1] = world:getMainCharacter():getName()
    return table.concat(lines, "\n") .. "\n"
end

if os.getenv("REVENANT_WRITE_SAVES") then
    local world, system = newWorld()
    local random, all = scene.random(4711), { world:newEntity("first") }
    world:addEntity(all[1])
    for _ = 1, 90 do scene.change(random, world, all, true) end
    world:setRandomSeed(7)
    world:setMainCharacter(all[1])
    world:setResource("diary", { who = all[1], list = { 1, { text = "a\0b\255" } } }, { rewind = true })
    for _ = 1, 5 do world:update(0.125) end
    for i = 2, 4 do world:removeEntity(all[i]) end
    local path = folder .. kept[#kept]
    world:save(path .. ".save")
    world:save(path .. ".json", { format = "json" })
    world:load(path .. ".save")
    local file = assert(io.open(path .. ".txt", "wb"))
    file:write(describe(world, system))
    file:close()
end

for _, name in ipairs(kept) do
    for _, ending in ipairs { ".save", ".json" } do
        test("a save of every format with scripts holds what it held: " .. name .. ending, function()
            local world, system = newWorld()
            world:load(folder .. name .. ending)
            equal(describe(world, system), read(folder .. name .. ".txt"))
            equal(#world:validate(), 0)
            for _ = 1, 20 do world:update(0.125) end
        end)
    end
end
