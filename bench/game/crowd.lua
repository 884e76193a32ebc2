-- The cost of a tick of the game with a crowd: simulation and recording, side by side.
--
--     luajit bench/game/crowd.lua [build/release] [walkers]
--
-- The level is generated: floors full of walkers that turn at walls, edges and gaps. All systems of the
-- game tick, the drawing ones included; the picture itself is not drawn. Simulation is a tick with the
-- history switched off, recording is the additional cost with it on. Each figure is the median of a
-- round of ticks, and the best of several rounds, as others may be at work on the machine.

local build, walkers = arg[1] or "build/release", tonumber(arg[2] or 5000)
package.cpath = build .. "/?.so;" .. package.cpath
local here = arg[0]:match("^(.*)bench/game/") or ""
package.path = here .. "tests/game/?.lua;" .. package.path
local ffi = require "ffi"
local stage = require "stage"

ffi.cdef [[
typedef struct { long seconds, nanoseconds; } Time;
int clock_gettime(int clock, Time *time);
]]
local time = ffi.new("Time")
local ownThread = 3  -- not that of the process: the thread that packs works on another core

local function now()
    ffi.C.clock_gettime(ownThread, time)
    return tonumber(time.seconds) * 1e3 + tonumber(time.nanoseconds) / 1e6
end

-- Floors of stone with gaps, one walker on every other cell; the player in a cell of its own.
local function crowd(count)
    local columns, rows, left = 640, {}, count
    for floor = 1, math.ceil(count / (columns / 2 - 32)) do
        local above, ground = {}, {}
        for c = 1, columns do
            local isGap = c % 40 == 0
            above[c] = c == 3 and floor == 1 and "@" or (not isGap and c % 2 == 0 and c > 6 and left > 0 and "w") or "."
            if above[c] == "w" then left = left - 1 end
            ground[c] = isGap and "." or "#"
        end
        above[5] = "#"
        for _ = 1, 2 do rows[#rows + 1] = "....#" .. ("."):rep(columns - 5) end
        rows[#rows + 1] = table.concat(above)
        rows[#rows + 1] = table.concat(ground)
    end
    rows[#rows + 1] = ("#"):rep(columns)
    return table.concat(rows, "\n") .. "\n"
end

local function median(list)
    table.sort(list)
    return list[math.ceil(#list / 2)]
end

local function measure(rounds, ticks)
    local least = math.huge
    for _ = 1, rounds do
        local each = {}
        for i = 1, ticks do
            local begin = now()
            stage.step(1, i % 90 < 45 and "right" or "left")
            each[i] = now() - begin
        end
        least = math.min(least, median(each))
    end
    return least
end

-- Of a frame before it is packed. Not by what the history has grown in the rounds above: packing and its budget
-- make it shrink in between.
local function frameBytes(ticks)
    local growth = {}
    for i = 1, ticks do
        local before = stage.rewind:getMemory()
        stage.step(1, "right")
        growth[i] = stage.rewind:getMemory() - before
    end
    return median(growth)
end

stage.start { rows = crowd(walkers), seed = 1 }
stage.step(120)
local count = stage.count("WalkerCMP")
stage.rewind:clear()
stage.rewind:setEnabled(false)
local simulation = measure(6, 60)
stage.rewind:setEnabled(true)
stage.step(60)
local total = measure(6, 60)
stage.rewind:setBudget { bytes = 2 ^ 30 }
stage.rewind:clear()
stage.step(2)
local bytes = frameBytes(41)
-- Before and after, as code is compiled on the way: the first rounds alone may seem slower than with recording.
stage.rewind:setEnabled(false)
simulation = math.min(simulation, measure(6, 60))

assert(stage.session().state == "play" and stage.count("WalkerCMP") == count)
local recording = total - simulation
local function row(work, ours, baseline, ratio, mark, met)
    print(("| Game: %s, %d walkers | %s | %s | %s | %s | %s |"):format(work, count, ours, baseline, ratio, mark, met))
end
row("record a tick", ("%.2f ms, %.0f kB"):format(recording, bytes / 1e3), ("simulation %.2f ms"):format(simulation),
    ("%.2f"):format(recording / simulation), "", "")
row("a whole tick, recorded", ("%.2f ms"):format(total), "", "", "≤ 16.67 ms", total < 1000 / 60 and "yes" or "no")
if arg[3] == "systems" then
    for _, name in ipairs(stage.world:getSystemNames()) do
        local system = stage.world:getSystem(name)
        if system.getLastTickNanoseconds then print(("  %-14s %7.3f ms"):format(name, system:getLastTickNanoseconds() / 1e6)) end
    end
end
os.exit(total < 1000 / 60)
