-- TimeRewindSys: records one frame per tick and shows earlier ones, exactly.

local core = ...
local native, describe = core.native, core.describe
local rewind = native.rewind

local TimeRewindSys = { name = "TimeRewindSys" }
TimeRewindSys.__index = TimeRewindSys
core.TimeRewindSys = TimeRewindSys
local handles = core.privateStore()  -- system -> {handle, link}

local dataOf = core.dataReader(handles, "a TimeRewindSys", "rewind")

local budgetNames, optionNames = { "seconds", "bytes", "thinTo" }, { "seconds", "bytes", "thinTo", "inThePast" }

local function budgetOf(options, seconds, bytes, thinTo, call, names)
    options = core.expectOptions(options, names or budgetNames, call, 3)
    for key, value in pairs(options) do
        if key == "inThePast" then
            if value ~= "raise" and value ~= "defer" then
                error(call .. ": inThePast must be 'raise' or 'defer', not " .. describe(value), 3)
            end
        elseif key == "thinTo" and (type(value) ~= "number" or value < 1 or value > 2 ^ 31 or value % 1 ~= 0) then
            error(call .. ": thinTo must be a whole number, 1 or more, not " .. describe(value), 3)
        elseif type(value) ~= "number" or value ~= value or value < 0 or value > 2 ^ 53 then
            error(call .. ": " .. key .. " must be a finite number, 0 or more, not " .. describe(value), 3)
        end
    end
    return options.seconds or seconds, options.bytes or bytes, options.thinTo or thinTo
end

local function adopt(link, handle)
    local system = setmetatable({}, TimeRewindSys)
    core.attach(handles, system, { handle = handle, link = link })
    link.rewind[1] = system
    return system
end

-- The object of the history that the world has registered.
function core.rewindOf(link)
    local known = link.rewind[1]
    local handle = rewind.find(link.number)
    if not handle then return nil end
    if known and rewind.isSame(handles[known].handle, handle) then return known end
    return adopt(link, handle)
end

function TimeRewindSys:new(world, options)
    core.requireColon(self, TimeRewindSys, "TimeRewindSys:new")
    local link = core.linkOf(world, "TimeRewindSys:new", 2)
    local seconds, bytes, thinTo = budgetOf(options, 60, 64 * 2 ^ 20, 64, "TimeRewindSys:new", optionNames)
    local ok, handle = pcall(rewind.make, link.number, seconds, bytes, thinTo)
    if not ok then
        -- An unreferenced one may only be waiting to be collected.
        for _ = 1, 3 do collectgarbage() end
        handle = rewind.make(link.number, seconds, bytes, thinTo)
    end
    local system = adopt(link, handle)
    handles[system].defers = options ~= nil and options.inThePast == "defer"
    return system
end

-- For changes made between two ticks, not by systems, which cannot be run again.
function core.forgetSyncSteps(link)
    local system = core.rewindOf(link)
    if system then rewind.forgetSyncSteps(handles[system].handle) end
end

function core.isRewind(value)
    return handles[value] ~= nil
end

function core.registerRewind(link, system)
    rewind.register(link.number, handles[system].handle)
    if handles[system].defers then core.deferCalls(link) end
end

function core.unregisterRewind(link, system)
    rewind.unregister(link.number, handles[system].handle)
end

for _, call in ipairs { "start", "stop", "clear" } do
    local native = rewind[call]
    TimeRewindSys[call] = function(self)
        local data = dataOf(self, call)
        native(data.handle, 0)
    end
end

local whole, number = core.expectWhole, core.expectNumber

for call, takes in pairs { seek = { whole, "the frame" }, step = { whole, "the number of frames" },
    tick = { number, "dt" }, setSpeed = { number, "the speed" } } do
    local native, expect, what = rewind[call], takes[1], takes[2]
    TimeRewindSys[call] = function(self, value)
        local data = dataOf(self, call)
        expect(value, call, what)
        native(data.handle, value)
    end
end

for _, call in ipairs { "isRewinding", "isEnabled", "getSpeed", "getFrame", "getOldestFrame", "getNewestFrame",
    "getMemory", "getApplyBlend" } do
    local native = rewind[call]
    TimeRewindSys[call] = function(self)
        local data = dataOf(self, call)
        return (native(data.handle))
    end
end

-- What a system's lerpRewindState makes of its states in the current frame and in the next.
function TimeRewindSys:getDisplayState(system)
    local data = dataOf(self, "getDisplayState")
    local name = type(system) == "table" and system.name or system
    core.expect(name, "string", "getDisplayState", "the system or its name")
    return rewind.getDisplayState(data.handle, name)
end

function TimeRewindSys:setEnabled(on)
    local data = dataOf(self, "setEnabled")
    core.expect(on, "boolean", "setEnabled", "the argument")
    rewind.setEnabled(data.handle, on and 1 or 0)
end

-- While time is between two frames, lerpRewindState is called once per tick, for classes that use it to move objects of
-- their own; otherwise only when a column for display is read.
function TimeRewindSys:setApplyBlend(on)
    local data = dataOf(self, "setApplyBlend")
    core.expect(on, "boolean", "setApplyBlend", "the argument")
    rewind.setApplyBlend(data.handle, on)
end

function TimeRewindSys:frameHash(frame)
    local data = dataOf(self, "frameHash")
    core.expectWhole(frame, "frameHash", "the frame")
    return (rewind.frameHash(data.handle, frame))
end

-- Whether a frame between the oldest and the newest was thinned out, so that seek shows another.
function TimeRewindSys:isThinned(frame)
    local data = dataOf(self, "isThinned")
    core.expectWhole(frame, "isThinned", "the frame")
    return (rewind.isThinned(data.handle, frame))
end

-- How well packing keeps up.
function TimeRewindSys:getStatistics()
    local data = dataOf(self, "getStatistics")
    return (rewind.getStatistics(data.handle))
end

function TimeRewindSys:setBudget(options)
    local data = dataOf(self, "setBudget")
    if options == nil then error("setBudget: takes a table {seconds = , bytes = }, not nil", 2) end
    local seconds, bytes, thinTo = rewind.getBudget(data.handle)
    seconds, bytes, thinTo = budgetOf(options, seconds, bytes, thinTo, "setBudget")
    rewind.setBudget(data.handle, seconds, bytes, thinTo)
end

function TimeRewindSys:getBudget()
    local data = dataOf(self, "getBudget")
    local seconds, bytes, thinTo = rewind.getBudget(data.handle)
    return { seconds = seconds, bytes = bytes, thinTo = thinTo }
end

-- ---- checkpoints: names for frames, which go with their frames

for _, call in ipairs { "setCheckpoint", "getCheckpoint", "removeCheckpoint" } do
    local native = rewind[call]
    TimeRewindSys[call] = function(self, name)
        local data = dataOf(self, call)
        core.expect(name, "string", call, "the name of a checkpoint")
        return (native(data.handle, name))
    end
end

function TimeRewindSys:seekCheckpoint(name)
    local data = dataOf(self, "seekCheckpoint")
    core.expect(name, "string", "seekCheckpoint", "the name of a checkpoint")
    local frame = rewind.getCheckpoint(data.handle, name)
    if not frame then error("seekCheckpoint: no checkpoint is named '" .. name .. "'", 2) end
    rewind.seek(data.handle, frame)
end

-- A table of frames by name.
function TimeRewindSys:getCheckpoints()
    local data = dataOf(self, "getCheckpoints")
    return (rewind.getCheckpoints(data.handle))
end

-- ---- files

for _, call in ipairs { "saveHistory", "loadHistory" } do
    local native = rewind[call]
    TimeRewindSys[call] = function(self, path)
        local data = dataOf(self, call)
        core.expect(path, "string", call, "the path")
        if path:find("%z") then error(call .. ": a path has no zero bytes", 2) end
        native(data.handle, path)
    end
end

-- ---- finding out why a game plays differently the second time

-- Where this history and another's first differ, from a frame on: {frame, entity, component, field, here,
-- there, text}, or nil. Both show that frame then.
function TimeRewindSys:findDivergence(other, from)
    local data = dataOf(self, "findDivergence")
    if not handles[other] then
        error("findDivergence: takes another TimeRewindSys, not " .. describe(other), 2)
    end
    if from == nil then from = math.max(self:getOldestFrame() or 0, other:getOldestFrame() or 0) end
    core.expectWhole(from, "findDivergence", "the frame")
    return (rewind.findDivergence(data.handle, handles[other].handle, from))
end

-- Each tick runs the last `frames` frames again, which must come out the same; 0: off.
function TimeRewindSys:setSyncTest(frames)
    local data = dataOf(self, "setSyncTest")
    core.expectWhole(frames, "setSyncTest", "the number of frames")
    if frames < 0 or frames > 10000 then
        error("setSyncTest: the number of frames is 0 to 10000, not " .. frames, 2)
    end
    rewind.setSyncTest(data.handle, frames)
end

for _, call in ipairs { "getSyncTest", "getSyncReport", "getBlend", "validate" } do
    local native = rewind[call]
    TimeRewindSys[call] = function(self)
        local data = dataOf(self, call)
        return (native(data.handle))
    end
end

-- How many frames found writes through rows, runs or components kept from an earlier tick, and a sentence
-- on the first such write; nil where there was none.
function TimeRewindSys:getStrayWrites()
    local frames, first = rewind.getStrayWrites(dataOf(self, "getStrayWrites").handle)
    return frames, first ~= "" and first or nil
end

-- Waits until nothing is left to pack; for tests and tools.
function TimeRewindSys:finishPacking()
    local data = dataOf(self, "finishPacking")
    rewind.finishPacking(data.handle)
end

function TimeRewindSys:getName()
    dataOf(self, "getName")
    return "TimeRewindSys"
end
