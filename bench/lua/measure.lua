-- Shared by the Lua benchmarks: the clock, the least of several rounds, and rows with their marks.

local ffi = require "ffi"

ffi.cdef [[
typedef struct { long seconds, nanoseconds; } Time;
int clock_gettime(int clock, Time *time);
]]
local time = ffi.new("Time")
local bench = { wall = 1, processor = 2 }

-- Iteration is measured by the clock on the wall; what takes longer by the processor's time, as others
-- may be at work on the machine.
bench.clock = bench.wall

local function now()
    ffi.C.clock_gettime(bench.clock, time)
    return tonumber(time.seconds) * 1e9 + tonumber(time.nanoseconds)
end
bench.now = now

-- The least over `rounds` of the nanoseconds that one call of fn takes.
function bench.measure(rounds, fn, before)
    local least = math.huge
    for _ = 1, rounds do
        if before then before() end
        local begin = now()
        fn()
        least = math.min(least, now() - begin)
    end
    return least
end

-- The same of several functions, one after the other in each round: what disturbs a round disturbs all of them.
function bench.measureTogether(rounds, ...)
    local functions, least = { ... }, {}
    for _ = 1, rounds do
        for i, fn in ipairs(functions) do least[i] = math.min(least[i] or math.huge, bench.measure(1, fn)) end
    end
    return unpack(least)
end

-- The median and the most over `rounds`.
function bench.spread(rounds, fn, before)
    local times = {}
    for i = 1, rounds do
        if before then before(i) end
        local begin = now()
        fn(i)
        times[i] = now() - begin
    end
    table.sort(times)
    return times[math.floor(rounds / 2) + 1], times[rounds]
end

-- The bytes of garbage that one call of fn leaves, the least of several.
function bench.garbage(fn)
    local least = math.huge
    for _ = 1, 5 do
        collectgarbage()
        collectgarbage("stop")
        local before = collectgarbage("count")
        fn()
        least = math.min(least, (collectgarbage("count") - before) * 1024)
        collectgarbage("restart")
    end
    return least
end

-- What was measured, in the order of the first round, with the least of all rounds: what disturbs one, on a machine
-- that is shared, is often gone in the next. `mark`: the most, as { ratio = } to the baseline or { ns = }; where it is
-- both, either will do: the ratio is for machines on which the baseline is slower than it was; with `both = true` both
-- must hold. Without either the row is for information. `name`: what the baseline is.
local rows = {}
function bench.report(work, count, value, mark, baselineValue, name)
    work = ("%s, %d"):format(work, count)
    local row = rows[work]
    if not row then
        row = { work = work, value = value, mark = mark or {}, baseline = baselineValue, name = name or "C loop" }
        rows[work], rows[#rows + 1] = row, row
    end
    row.value = math.min(row.value, value)
    row.baseline = baselineValue and math.min(row.baseline, baselineValue)
end

-- Prints a row of the table that bench/run puts together. Returns whether the mark is met.
local function printRow(row)
    local value, mark, ratio = row.value, row.mark, row.baseline and row.value / row.baseline
    local isMarked = mark.ratio or mark.ns
    local isRatioMet, isValueMet = (mark.ratio or 0) >= (ratio or 1), (mark.ns or 0) >= value
    local isMet = not isMarked or (isRatioMet and isValueMet) or (not (mark.both and mark.ns) and (isRatioMet or isValueMet))
    local text = mark.ratio and mark.ns and ("≤ %s × %s %s ns"):format(mark.ratio, mark.both and "and" or "or", mark.ns)
        or mark.ratio and ("≤ %s ×"):format(mark.ratio) or mark.ns and ("≤ %s ns"):format(mark.ns) or ""
    print(("| Lua: %s | %.2f ns | %s | %s | %s | %s |"):format(row.work, value,
        row.baseline and ("%s %.2f ns"):format(row.name, row.baseline) or "", ratio and ("%.2f"):format(ratio) or "",
        text, not isMarked and "" or isMet and "yes" or "no"))
    return isMet
end

-- Prints all rows; returns how many marks are missed.
function bench.print()
    print("| work | ours | baseline | ratio | mark | met |\n|---|---:|---:|---:|---:|---|")
    local failures = 0
    for _, row in ipairs(rows) do failures = failures + (printRow(row) and 0 or 1) end
    return failures
end

return bench
