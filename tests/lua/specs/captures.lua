-- A frame reads script components by shapes that it has learned, and stateHash reads them without: the hash of the frame
-- must be the world's. And a restore must give the same data.
-- Over 300 lines: a list of independent claims about one scene.
local revenant = require "revenant"
local scene = require "scene"

local function generator(seed)
    local state = seed * 7919 + 17
    return function(n)
        state = (state * 1103515245 + 12345) % 2147483648
        return math.floor(state / 65536) % n + 1
    end
end

-- Whether two values are alike, cycles included; numbers by their bits, but for NaN.
local function alike(a, b, seen)
    if type(a) ~= type(b) then return false, tostring(a) .. " is not " .. tostring(b) end
    if type(a) == "number" then
        local same = a == b and 1 / a == 1 / b or a ~= a and b ~= b
        return same, tostring(a) .. " is not " .. tostring(b)
    end
    if type(a) ~= "table" then return a == b, tostring(a) .. " is not " .. tostring(b) end
    seen = seen or {}
    if seen[a] then return seen[a] == b, "a table stands elsewhere" end
    seen[a] = b
    for key, value in pairs(a) do
        if key ~= "ignored" then
            local same, why = alike(value, rawget(b, key), seen)
            if not same then return false, tostring(key) .. ": " .. why end
        end
    end
    for key in pairs(b) do
        if key ~= "ignored" and rawget(a, key) == nil then return false, tostring(key) .. " is too much" end
    end
    return true
end

local function copy(value, seen)
    if type(value) ~= "table" then return value end
    seen = seen or {}
    if seen[value] then return seen[value] end
    local made = {}
    seen[value] = made
    for key, each in pairs(value) do
        if key == "class" then made[key] = each else made[key] = copy(each, seen) end
    end
    return made
end

-- Interpreted: compiled by an older LuaJIT for arm64, a copy of -0 may be 0 (docs/platforms.md).
jit.off(alike)
jit.off(copy)

local function recorded(class, options)
    local world = scene.world()
    world:defineScriptComponent("ThingCMP", class, options)
    local rewind = revenant.TimeRewindSys:new(world)
    world:registerSystem(rewind)
    return world, rewind
end

local names = { "x", "y", "vx", "vy", "angle", "health", "state", "name", "a longer name", "", "z\0z", "1" }
-- Computed, as LuaJIT for arm64 reads `-0.0` as 0. Both signs of NaN: which one 0 / 0 has depends on the processor.
local minusZero = -1 / math.huge
local numbers = { 0, minusZero, 1, 2, 0.5, -3.25, 1e300, 2 ^ 53, 1 / 0, -1 / 0, 0 / 0, -(0 / 0), 4294967296, 1e-310 }

local function play(seed, frames)
    local random = generator(seed)
    local function any(list) return list[random(#list)] end
    local world = scene.world()
    local rewind = revenant.TimeRewindSys:new(world, { seconds = 600, bytes = 256 * 2 ^ 20 })
    world:registerSystem(rewind)
    local trap = function() error("a capture called a metamethod") end
    local Plain = { rewindIgnore = random(2) == 1 and { "ignored" } or nil, default = 7 }
    Plain.__index, Plain.__newindex, Plain.__pairs, Plain.__len, Plain.__eq, Plain.__tostring = Plain, nil, trap, trap, trap, trap
    local Vector = { __call = trap, __pairs = trap, __len = trap }
    Vector.__index = Vector
    revenant.registerClass("captures.Vector" .. seed, Vector)
    local scratch = {}
    local Hooked = {}
    Hooked.__index = Hooked
    function Hooked:getRewindState()
        if self.isGiven then return self.given end
        if self.form == 1 then return { self.x, self.y, self.vx, 4, 5 } end
        if self.form == 2 then return { x = self.x, y = self.y, t = { self.x } } end
        if self.form == 3 then
            scratch.x, scratch.state = self.x, self.state  -- the same table for all of them
            return scratch
        end
        if self.form == 4 then return self.x end
        return nil
    end
    function Hooked:restoreRewindState(state) self.given, self.isGiven = state, true end
    world:defineScriptComponent("PlainCMP", Plain)
    world:defineScriptComponent("HookedCMP", Hooked)
    local entities, plain, hooked = {}, {}, {}

    local function value(depth)
        local kind = random(16)
        if kind <= 8 then return any(numbers) end
        if kind == 9 then return random(2) == 1 end
        if kind == 10 then return any(names) end
        if kind == 11 then return any(entities) end
        if kind == 12 then return setmetatable({ x = any(numbers), y = any(numbers) }, Vector) end
        if depth > 2 then return 1 end
        local made = {}
        if kind == 13 then
            for i = 1, random(5) do made[i] = value(depth + 1) end
        elseif kind == 14 then
            for i = random(4), 1, -1 do made[i] = value(depth + 1) end
            made[any(names)] = random(2) == 1 and 1 or nil
        else
            for _ = 1, random(5) do made[any(names)] = value(depth + 1) end
        end
        return made
    end
    local function change(t)
        local what = random(20)
        if what <= 8 then
            t[any(names)] = any(numbers)
        elseif what <= 10 then
            t[any(names)] = nil
        elseif what <= 13 then
            t[any(names)] = value(0)
        elseif what == 14 then
            t.again = t  -- a cycle
        elseif what == 15 then
            t.again = t[any(names)]  -- perhaps a shared table
        elseif what == 16 then
            t.ignored = Plain.rewindIgnore and print or nil
        elseif what == 17 then
            t.class = random(2) == 1 and Plain or nil
        elseif what == 18 then
            t[random(3)] = random(2) == 1 and 5 or nil
        elseif what == 19 then
            for _, name in ipairs(names) do t[name] = nil end  -- and in another order
            for i = #names, 1, -1 do t[names[i]] = i end
        else
            for i = 1, 40 do t["k" .. i] = random(3) == 1 and i or nil end
        end
    end
    local function spawn()
        local e = scene.spawn(world, "e")
        entities[#entities + 1] = e
        local form = random(3)
        local t = form == 1 and { x = 1, y = 2, vx = 3 } or form == 2 and { state = "idle", x = 1 } or {}
        plain[e] = e:addComponent("PlainCMP", t)
        if random(2) == 1 then hooked[e] = e:addComponent("HookedCMP", { x = 1, y = 2, vx = 3, state = "s", form = random(5) }) end
    end
    for _ = 1, 6 do spawn() end

    local taken = {}
    for frame = 1, frames do
        if random(6) == 1 then spawn() end
        if random(8) == 1 then world:removeEntity(any(entities)) end
        world:update(0.1)
        local now = rewind:getFrame()
        equal(rewind:frameHash(now), world:stateHash(), "seed " .. seed .. ", frame " .. frame)
        taken[now] = { hash = world:stateHash(), values = {} }
        for e, t in pairs(plain) do
            if e:isValid() and e:getState() == "managed" then taken[now].values[e] = copy(t) end
        end
        for _ = 1, random(12) do change(plain[any(entities)]) end
        for _, t in pairs(hooked) do
            if random(3) == 1 then t.x = any(numbers) end
            if random(9) == 1 then t.form = random(5) end
        end
    end
    world:update(0.1)
    for _ = 1, 12 do
        local frame = random(frames)
        rewind:seek(frame)
        equal(world:stateHash(), rewind:frameHash(frame), "seed " .. seed .. ", restored frame " .. frame)
        if taken[frame] then
            equal(world:stateHash(), taken[frame].hash)
            for e, was in pairs(taken[frame].values) do
                local same, why = alike(was, plain[e])
                check(same, "seed " .. seed .. ", restored frame " .. frame .. ": " .. tostring(why))
            end
        end
    end
    world:reset()
end

test("whatever tables hold, a frame takes what stateHash takes, and a restore gives it back", function()
    for seed = 1, 24 do play(seed, 30) end
end)

-- Many components that are only numbers: those are taken by compiled code, until something else comes in between.
local function playNumbers(seed, frames, isHooked)
    local random = generator(seed)
    local function any(list) return list[random(#list)] end
    local isArray, hasTable = random(2) == 1, random(2) == 1
    local scratch, calls, class = {}, 0, { default = 1 }
    class.__index = class
    if isHooked then
        function class:getRewindState()
            calls = calls + 1
            if self.isGiven then return self.given end
            local into = seed % 3 == 0 and scratch or {}  -- some hooks use one table for all
            if self.odd then return self.odd end
            if isArray then into[1], into[2], into[3] = self.x, self.y, self.z else into.x, into.y, into.z = self.x, self.y, self.z end
            return into
        end
        function class:restoreRewindState(state) self.given, self.isGiven = state, true end
    end
    local world, rewind = recorded(class)
    local things, entities = {}, {}
    for i = 1, 48 do
        entities[i] = scene.spawn(world, "thing" .. i)
        local thing = { x = i, y = any(numbers), z = 3 }
        if hasTable and not isHooked then thing.inner, thing.list = { a = 1, b = 2 }, { 1, 2, i } end
        if isArray and not isHooked then thing = { i, any(numbers), 3 } end
        things[i] = entities[i]:addComponent("ThingCMP", thing)
    end
    local odd = {
        function() return { x = 1 } end, function() return "text" end, function() return { 1, 2, 3, 4 } end,
        function() return { x = 1, y = 2, z = 3, w = 4 } end, function() return setmetatable({ x = 1, y = 2, z = 3 }, nil) end,
        function() return { x = "1", y = 2, z = 3 } end, function() return any(entities) end, function() return true end,
    }
    local taken = {}
    for frame = 1, frames do
        calls = 0
        world:update(0.1)
        local now = rewind:getFrame()
        if isHooked then equal(calls, 48, "each hook is called once") end
        equal(rewind:frameHash(now), world:stateHash(), "seed " .. seed .. ", frame " .. frame)
        taken[now] = {}
        for i, thing in ipairs(things) do taken[now][i] = copy(thing) end
        for _ = 1, random(60) do
            local thing, what = any(things), random(40)
            if what == 1 then
                thing.odd = any(odd)()
            elseif what == 2 then
                thing.odd = nil
            elseif what == 3 and not isHooked then
                thing[any(names)] = any(odd)()
            elseif what == 4 and not isHooked and thing.inner then
                thing.list = random(2) == 1 and thing.inner or { 1, 2, 3 }  -- perhaps one table in two places
            elseif what == 5 and not isHooked and thing.inner then
                thing.inner = random(2) == 1 and class or { a = 1, b = 2 }
            elseif what == 6 and not isHooked then
                thing.z = thing
            elseif isArray and not isHooked then
                thing[random(3)] = any(numbers)
            else
                thing.x, thing.z = any(numbers), any(numbers)
                if thing.inner and thing.inner ~= class then thing.inner.a = any(numbers) end
            end
        end
    end
    world:update(0.1)
    for _ = 1, 8 do
        local frame = random(frames)
        rewind:seek(frame)
        equal(world:stateHash(), rewind:frameHash(frame), "seed " .. seed .. ", restored frame " .. frame)
        for i, was in ipairs(taken[frame] or {}) do
            local same, why = alike(was, things[i])
            check(isHooked or same, "seed " .. seed .. ", restored frame " .. frame .. ": " .. tostring(why))
        end
    end
    world:reset()
end

test("many components of numbers are taken as stateHash takes them, whatever comes in between", function()
    for seed = 1, 16 do
        playNumbers(seed, 24, false)
        playNumbers(seed, 24, true)
    end
end)

test("a table of a component that is its class stays that, also among many", function()
    local Defaults = { x = 1, y = 2 }  -- only numbers, as an ordinary table may be
    local meta = { __index = Defaults }
    local world, rewind = recorded()
    local things = {}
    for i = 1, 40 do
        things[i] = scene.spawn(world, "thing"):addComponent("ThingCMP", setmetatable({ n = i, t = { x = 1, y = 2 } }, meta))
    end
    for _ = 1, 4 do world:update(0.1) end
    things[7].t = Defaults
    world:update(0.1)
    equal(rewind:frameHash(rewind:getFrame()), world:stateHash())
    things[7].t = nil
    world:update(0.1)
    rewind:step(-1)
    check(rawequal(things[7].t, Defaults))
end)

test("a component that is a list is emptied before it is filled", function()
    local world, rewind = recorded()
    local thing = scene.spawn(world, "thing"):addComponent("ThingCMP", { 1, 2 })
    world:update(0.1)
    world:update(0.1)
    thing[3], thing.x = 3, 4
    world:update(0.1)
    rewind:step(-1)
    equal(#thing, 2)
    equal(thing.x, nil)
    equal(world:stateHash(), rewind:frameHash(rewind:getFrame()))
end)

test("a field of a known shape that becomes something else is recorded as that, and an error names it", function()
    local world, rewind = recorded()
    local thing = scene.spawn(world, "thing"):addComponent("ThingCMP", { x = 1, y = 2, inner = { a = 1 } })
    for _ = 1, 4 do world:update(0.1) end
    for _, value in ipairs { "two", true, { 1 }, 0 / 0, minusZero } do
        thing.y = value
        world:update(0.1)
        equal(rewind:frameHash(rewind:getFrame()), world:stateHash())
    end
    local newest = rewind:getNewestFrame()
    rewind:seek(newest - 5)
    equal(thing.y, 2)
    rewind:seek(newest - 4)
    equal(thing.y, "two")
    rewind:seek(newest - 2)
    equal(thing.y[1], 1)
    rewind:seek(newest)
    equal(1 / thing.y, -1 / 0)
    rewind:stop()
    world:update(0.1)
    thing.inner.a = print
    raises(function() world:update(0.1) end, "ThingCMP", "thing", "self.inner.a is a function")
    thing.inner.a = 2
    world:update(0.1)
    equal(rewind:frameHash(rewind:getFrame()), world:stateHash())
end)

test("all NaNs are one in what is recorded, hashed and saved, whatever sign a processor gives them", function()
    local hashes = {}
    for _, nan in ipairs { 0 / 0, -(0 / 0), math.huge - math.huge, tonumber("nan") or 0 / 0 } do
        local world, rewind = recorded()
        local things = {}
        for i = 1, 8 do
            things[i] = scene.spawn(world, "thing" .. i):addComponent("ThingCMP", { x = nan, list = { 1, nan }, y = 2 })
        end
        for _ = 1, 20 do
            for _, thing in ipairs(things) do thing.y = thing.y + 1 end
            world:update(0.1)
            equal(world:stateHash(), rewind:frameHash(rewind:getFrame()))
        end
        local newest = rewind:getNewestFrame()
        for _, frame in ipairs { newest - 18, newest - 3 } do
            rewind:seek(frame)
            equal(world:stateHash(), rewind:frameHash(frame))
            check(things[1].x ~= things[1].x and things[8].list[2] ~= things[8].list[2])
        end
        rewind:seek(newest)
        rewind:stop()
        hashes[#hashes + 1] = tostring(world:stateHash())
        if hasSaves() then hashes[#hashes] = hashes[#hashes] .. world:saveToString { format = "json" } end
    end
    for i = 2, #hashes do equal(hashes[i], hashes[1]) end
end)

test("an __index of the script's that raises is an error that names the component, as it was", function()
    local world = recorded()
    for i = 1, 5 do
        local thing = scene.spawn(world, "thing" .. i):addComponent("ThingCMP", { n = i })
        if i == 3 then setmetatable(thing, { __index = function(_, key) error("no " .. tostring(key)) end }) end
    end
    raises(function() world:update(0.1) end, "ThingCMP", "thing3", "no getRewindState")
end)

test("a hook that raises in the middle of others is named, and is called once", function()
    local calls, broken = 0, true
    local Thing = {}
    Thing.__index = Thing
    function Thing:getRewindState()
        calls = calls + 1
        if self.n == 3 and broken then error("of the hook") end
        return { self.n }
    end
    function Thing:restoreRewindState() end
    local world, rewind = recorded(Thing)
    for i = 1, 50 do scene.spawn(world, "thing" .. i):addComponent("ThingCMP", { n = i }) end
    for _ = 1, 3 do  -- and once more when the hooks are called by compiled code
        calls, broken = 0, true
        raises(function() world:update(0.1) end, "thing3", "of the hook", "captures.lua")
        equal(calls, 3)
        broken = false
        world:update(0.1)
        equal(rewind:frameHash(rewind:getFrame()), world:stateHash())
    end
end)

test("recording script components leaves no garbage", function()
    local world = recorded()
    local things = {}
    for i = 1, 200 do
        things[i] = scene.spawn(world, "e"):addComponent("ThingCMP",
            { x = i, y = 2, name = "thing", flag = true, inner = { 1, 2, 3 }, place = { x = 1, y = 2 } })
    end
    for _ = 1, 20 do world:update(0.1) end
    collectgarbage()
    collectgarbage("stop")
    local least = math.huge
    for i = 1, 5 do
        for _, thing in ipairs(things) do thing.x, thing.inner[2] = thing.x + 1, i end
        local before = collectgarbage("count")
        world:update(0.1)
        least = math.min(least, collectgarbage("count") - before)
    end
    collectgarbage("restart")
    check(least < 1, "a tick left " .. least .. " KiB behind")
end)
