-- Monkeys at the keys: whatever is pressed, nothing is raised, and the world stays in sync with itself.

local stage = require "stage"

local isEmulated = os.getenv("REVENANT_EMULATED") ~= nil  -- many times as slow: fewer monkeys, as long at the keys

local keys = { "left", "right", "right", "right", "jump", "jump", "act", "down", "rewind", "pause", "back", "forward", "confirm" }

-- The same monkey each time; the world's own random numbers are not for it.
local function dice(seed)
    return function(most)
        seed = (seed * 16807) % 2147483647
        return seed % most + 1
    end
end

local function rampage(level, seed, steps, restarts)
    local roll = dice(seed)
    stage.start { level = level, seed = seed, isBare = true }
    stage.rewind:setSyncTest(2)
    local held = {}
    for step = 1, steps do
        if roll(12) == 1 then
            held = {}
            for _ = 1, roll(3) - 1 do held[#held + 1] = keys[roll(#keys)] end
        end
        if restarts and roll(400) == 1 then held = { "restart" } end
        stage.step(1, unpack(held))
        if step % 16 == 0 then stage.game.draw(0.5) end
        local report = stage.rewind:getSyncReport()
        if report then error(("level %s, seed %d, step %d: %s"):format(level, seed, step, report.text)) end
        local frame = stage.rewind:getFrame()
        if stage.rewind:isRewinding() and frame then
            equal(stage.world:stateHash(), stage.rewind:frameHash(frame), "step " .. step)
        end
    end
end

for level = 1, 3 do
    test("monkeys cannot break level " .. level, function()
        for seed = isEmulated and 3 or 1, 3 do rampage(level, level * 100 + seed, 900, seed == 3) end
    end)
end

test("monkeys in the thick of it", function()
    -- Everything at once, near the start.
    local rows = "........................................\n...o....b......%%%....b.....o....o......\n"
        .. "......%%.........................%%.....\n.@..o.......t..--..T...w....s......w...!\n"
        .. "###########..########^^#####..##########\n"
    stage.host.files["levels/thick.lua"] = "return { entities = { { prefab = 'map', components = { TileMapCMP = { rows = [[\n" .. rows
        .. "]] } } }, { prefab = 'player' }, } }"
    for seed = 1, isEmulated and 2 or 6 do rampage("levels/thick", 7000 + seed, 600, seed % 2 == 0) end
end)
