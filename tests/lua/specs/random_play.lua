-- Play at random; see random_model.lua and hostile_play.lua. REVENANT_FUZZ_SEEDS (how many) or REVENANT_FUZZ_SECONDS make it long,
-- REVENANT_FUZZ_SEED is the first seed.
local model = require "random_model"
local hostile = require "hostile_play"

local seconds = tonumber(os.getenv("REVENANT_FUZZ_SECONDS"))
local firstSeed = tonumber(os.getenv("REVENANT_FUZZ_SEED")) or 1
local seeds = tonumber(os.getenv("REVENANT_FUZZ_SEEDS"))

local function forSeeds(count, play)
    local stop = seconds and os.time() + seconds
    local seed = firstSeed
    count = seeds or count
    while seed < firstSeed + count or (stop and os.time() < stop) do
        play(seed)
        seed = seed + 1
    end
end

test("after every seek the world looks like the copy that the script took of that frame", function()
    forSeeds(24, function(seed)
        model(seed, { kept = seed % 2 == 0, character = seed % 3 == 0, listeners = seed % 4 >= 2 })
    end)
end)

test("callbacks that raise, yield, reset, seek and recurse at random neither crash nor break a world", function()
    forSeeds(40, function(seed)
        local ok, message = pcall(hostile, seed)
        if not ok then error("seed " .. seed .. ": " .. tostring(message), 0) end
    end)
end)
