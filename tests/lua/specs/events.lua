-- Events of a game's own: at once, queued, in systems, and what happens when listeners fail.
local revenant = require "revenant"
local scene = require "scene"

local function rewindWorld()
    local world, rewind = scene.rewindWorld()
    world:defineEvent("hit")
    return world, rewind
end

test("queued events arrive at the start of the next tick, after reconcile, in order", function()
    local world = rewindWorld()
    local log = {}
    world:on("entityAdded", function() log[#log + 1] = "added" end)
    world:on("hit", function(a, b) log[#log + 1] = type(a) == "table" and a.n or tostring(a:getName()) .. b end)
    world:registerSystem { name = "LogSys", tick = function() log[#log + 1] = "tick" end }
    local e = scene.spawn(world, "e")
    world:queue("hit", { n = 1 })
    world:queue("hit", e, "!")
    world:queue("hit", { n = 2 })
    same(log, {})
    world:update(0.1)
    same(log, { "added", 1, "e!", 2, "tick" })
    world:update(0.1)
    equal(#log, 6)
    raises(function() world:queue("hti") end, "hti")
    raises(function() world:queue("hit", { f = print }) end, "queue", "hit", "function")
    raises(function() world:queue(3) end, "queue")
end)

test("what a listener of a queued event queues is for the tick after", function()
    local world = rewindWorld()
    local count = 0
    world:on("hit", function()
        count = count + 1
        world:queue("hit", { n = count })
    end)
    world:queue("hit")
    for i = 1, 5 do
        world:update(0.1)
        equal(count, i)
    end
end)

test("queued events are part of the frame and are rewound", function()
    local function play(rewinds)
        local world, rewind = rewindWorld()
        world:defineComponent("CountCMP", { n = 0 })
        local e = scene.spawn(world, "e")
        e:addComponent("CountCMP")
        world:on("hit", function(by)
            local count = e:getComponent("CountCMP")
            count.n = count.n * 3 % 1000 + by.n
            world:queue("hit", { n = by.n + 1 })  -- waiting when the frame is recorded
        end)
        world:registerSystem { name = "HitSys", tick = function(_, _) if world:getTick() % 3 == 0 then world:queue("hit", { n = 1 }) end end }
        local hashes = {}
        for i = 1, 30 do
            world:update(0.1)
            hashes[rewind:getFrame()] = rewind:frameHash(rewind:getFrame())
            if rewinds and i == 12 or i == 20 and rewinds then
                rewind:seek(i == 12 and 5 or 9)
                equal(world:stateHash(), hashes[rewind:getFrame()])
                world:update(0.1)
                rewind:stop()
            end
        end
        while rewind:getFrame() < 30 do
            world:update(0.1)
            hashes[rewind:getFrame()] = rewind:frameHash(rewind:getFrame())
        end
        return hashes
    end
    local straight, resumed = play(false), play(true)
    for frame = 1, 30 do equal(straight[frame], resumed[frame], "frame " .. frame) end
end)

test("what is queued while the past is shown is dropped", function()
    local world, rewind = rewindWorld()
    local heard = 0
    world:on("hit", function() heard = heard + 1 end)
    for _ = 1, 5 do world:update(0.1) end
    rewind:seek(2)
    world:queue("hit")
    world:update(0)
    rewind:seek(3)
    rewind:stop()
    for _ = 1, 3 do world:update(0.1) end
    equal(heard, 0)
end)

test("a failing listener stops neither the emitter nor others; update names all that failed", function()
    local world = rewindWorld()
    local heard, wentOn = 0, false
    world:on("hit", function() error("the first is broken") end)
    world:on("hit", function() heard = heard + 1 end)
    world:on("hit", function() error("the third is broken") end)
    world:registerSystem { name = "EmitSys", tick = function()
        world:emit("hit")
        wentOn = true
    end }
    raises(function() world:update(0.1) end, "2 errors", "the first is broken", "the third is broken")
    check(wentOn)
    equal(heard, 1)
    world:unregisterSystem(world:getSystem("EmitSys"))
    world:emit("hit")  -- between ticks: the next update tells
    raises(function() world:update(0.1) end, "2 errors")
    world:update(0.1)
    world:emit("hit")
    raises(function() world:reconcile() end, "2 errors")
end)

test("a second detail is refused, with an entity and without", function()
    local world = scene.world()
    world:defineEvent("hit")
    local e = scene.spawn(world, "e")
    for _, call in ipairs { "emit", "queue" } do
        raises(function() world[call](world, "hit", 1, 2) end, call .. ":", "'hit'", "one detail at most")
        raises(function() world[call](world, "hit", e, 1, 2) end, call .. ":", "'hit'", "one detail at most")
    end
    world:update(0.1)
end)

test("error objects arrive as they were thrown", function()
    local world = rewindWorld()
    local thrown = setmetatable({ code = 7 }, { __tostring = function() return "code seven" end })
    local function caught(call)
        local ok, object = pcall(call)
        check(not ok and rawequal(object, thrown), tostring(object))
    end
    world:registerSystem { name = "BadSys", tick = function() error(thrown) end }
    caught(function() world:update(0.1) end)
    world:unregisterSystem(world:getSystem("BadSys"))
    world:on("hit", function() error(thrown) end)
    world:emit("hit")
    caught(function() world:update(0.1) end)
    world:on("hit", function() error("a string") end)
    world:emit("hit")
    raises(function() world:update(0.1) end, "2 errors", "code seven", "a string")
    local Bad = { getRewindState = function() error(thrown) end, restoreRewindState = function() end }
    world:defineScriptComponent("BadCMP", Bad)
    scene.spawn(world, "bad"):addComponent("BadCMP", {})
    caught(function() world:update(0.1) end)
end)

test("a system's listeners live with it", function()
    local world = rewindWorld()
    local heard = 0
    local Sys = revenant.BaseSystem:extend("ListenSys")
    function Sys:init() self:listen("hit", function(by) heard = heard + by.n end) end
    local system = Sys:new(world)
    world:emit("hit", { n = 1 })
    equal(heard, 0)
    world:registerSystem(system)
    world:emit("hit", { n = 1 })
    equal(heard, 1)
    system:setEnabled(false)
    world:emit("hit", { n = 1 })
    equal(heard, 1)
    system.enabled = true
    world:emit("hit", { n = 1 })
    equal(heard, 2)
    world:unregisterSystem(system)
    world:emit("hit", { n = 1 })
    equal(heard, 2)
    raises(function() system:listen("hit", 3) end, "listen")
    raises(function() system:listen("hti", print) end, "hti")
end)

test("confirmed listeners are called once, not while a tick is run again", function()
    local world, rewind = rewindWorld()
    local sounds, all = 0, 0
    world:on("hit", function() sounds = sounds + 1 end, { confirmed = true })
    world:on("hit", function() all = all + 1 end)
    world:registerSystem { name = "HitSys", tick = function() world:emit("hit") end }
    rewind:setSyncTest(2)
    for _ = 1, 10 do world:update(0.1) end
    equal(rewind:getSyncReport(), nil)
    equal(sounds, 10)
    check(all > 10)
    raises(function() world:on("hit", print, { confirmed = 3 }) end, "confirmed")
    raises(function() world:on("hit", print, { confirm = true }) end, "confirm")
    equal(world:isResimulating(), false)
end)

test("nothing is recorded as a collision while a past frame is shown", function()
    local world, rewind = rewindWorld()
    for _ = 1, 5 do world:update(0.1) end
    rewind:seek(2)
    world:recordCollisionEvent { force = 1 }
    equal(#world:getCollisionEvents(), 0)
    rewind:stop()
    world:recordCollisionEvent { force = 1 }
    equal(#world:getCollisionEvents(), 1)
end)

test("listeners may be added and removed while an event is emitted", function()
    local world = scene.world()
    world:defineEvent("hit")
    local heard, tokens = {}, {}
    local function note(name)
        return function() heard[#heard + 1] = name end
    end
    local function noteAdded() heard[#heard + 1] = "added" end
    tokens.first = world:on("hit", function()
        heard[#heard + 1] = "first"
        if tokens.third then
            world:off(tokens.third)
            tokens.third = nil
            world:on("hit", noteAdded)
        end
    end)
    world:on("hit", note("second"))
    tokens.third = world:on("hit", note("third"))
    world:on("hit", note("fourth"))
    world:emit("hit")
    same(heard, { "first", "second", "fourth" })
    heard = {}
    world:emit("hit")
    same(heard, { "first", "second", "fourth", "added" })
    heard = {}
    world:off(tokens.first)
    world:emit("hit")
    same(heard, { "second", "fourth", "added" })
end)

test("each listener gets a copy of what the table was when it was emitted", function()
    local world = scene.world()
    world:defineEvent("hit")
    local e = scene.spawn(world, "e")
    local given, seen = { n = 1, who = e, [2] = "two", [true] = false }, {}
    for i = 1, 3 do
        world:on("hit", function(detail)
            check(not rawequal(detail, given))
            seen[i] = detail
            equal(detail.n, 1)
            check(rawequal(detail.who, e))
            equal(detail[2], "two")
            equal(detail[true], false)
            detail.n, given.n = 5, 6
        end)
    end
    for _ = 1, 3 do
        given.n = 1
        world:emit("hit", given)
    end
    check(not rawequal(seen[1], seen[2]) and not rawequal(seen[2], seen[3]))
    raises(function() world:emit("hit", { f = print }) end, "function")
    raises(function() world:emit("hit", setmetatable({}, {})) end, "registerClass")
    world:update(0.1)
end)

test("to queue an event costs the same, however many wait", function()
    local world = rewindWorld()
    local all = 8000  -- enough for the clock of Windows, which counts milliseconds
    local function cost(count)
        local least = math.huge
        for _ = 1, 5 do
            collectgarbage()
            local begun = os.clock()
            for _ = 1, all / count do
                for i = 1, count do world:queue("hit", i) end
                world:update(0)
            end
            least = math.min(least, (os.clock() - begun) / all)
        end
        return least
    end
    local few, many = cost(500), cost(all)
    check(many < 5 * few, ("%g s each of 8000, %g of 500"):format(many, few))
end)
