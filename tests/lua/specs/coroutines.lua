local revenant = require "revenant"
local scene = require "scene"

test("everything works from inside coroutines, also those that are gone later", function()
    local world = scene.world()
    local heard, e = 0, nil
    local run = coroutine.wrap(function()
        world:on("entityAdded", function() heard = heard + 1 end)
        local S = revenant.BaseSystem:extend("S")
        function S:tick() self.ticks = (self.ticks or 0) + 1 end
        world:registerSystem(S:new(world))
        e = scene.spawn(world, "e", { TransformCMP = {} })
        coroutine.yield()
        world:update(0)
        coroutine.yield()
    end)
    run()
    run()
    run = nil
    collectgarbage()
    equal(heard, 1)
    scene.spawn(world, "f")
    world:update(0)
    equal(heard, 2)
    equal(world:getSystem("S").ticks, 2)
    check(e:isValid())
end)

test("systems may run coroutines of their own", function()
    local world = scene.world()
    local Script = revenant.BaseSystem:extend("Script")
    function Script:init()
        self.thread = coroutine.create(function()
            for i = 1, 3 do
                scene.spawn(world, "step" .. i)
                coroutine.yield()
            end
        end)
    end
    function Script:tick() coroutine.resume(self.thread) end
    world:registerSystem(Script:new(world))
    for _ = 1, 5 do world:update(0) end
    equal(#world:getAllManagedEntities(), 3)
end)

test("yielding out of a tick or a listener is an error, not a crash", function()
    local world = scene.world()
    local S = revenant.BaseSystem:extend("S")
    function S:tick() coroutine.yield() end
    world:registerSystem(S:new(world))
    local thread = coroutine.create(function() world:update(0) end)
    local ok, message = coroutine.resume(thread)
    check(not ok)
    check(tostring(message):find("yield"), message)
    world:unregisterSystem(world:getSystem("S"))
    world:on("entityAdded", function() coroutine.yield() end)
    scene.spawn(world, "e")
    ok, message = coroutine.resume(coroutine.create(function() world:update(0) end))
    check(not ok)
    world:update(0)
end)

test("an error inside a coroutine inside a tick carries a traceback", function()
    local world = scene.world()
    local S = revenant.BaseSystem:extend("S")
    function S:tick()
        local ok, message = coroutine.resume(coroutine.create(function() error("inner") end))
        error(message)
    end
    world:registerSystem(S:new(world))
    raises(function() coroutine.wrap(function() world:update(0) end)() end, "inner")
end)

test("deep recursion ends in an error", function()
    local world = scene.world()
    local function deeper(e)
        local child = world:newEntity("x")
        e:addChild(child)
        return 1 + deeper(child)
    end
    raises(function() deeper(world:newEntity("root")) end)
    collectgarbage()
    world:update(0)
end)

test("update raises the error of a listener that a coroutine's emit called, and the coroutine goes on", function()
    local world = scene.world()
    world:defineEvent("hit")
    world:on("hit", function() error("boom") end)
    local run = coroutine.create(function()
        world:emit("hit")
        coroutine.yield()
        world:emit("hit", { n = 1 })
        return "done"
    end)
    check(coroutine.resume(run))
    raises(function() world:update(0) end, "boom")
    local ok, result = coroutine.resume(run)
    check(ok and result == "done")
    raises(function() world:update(0) end, "boom")
    world:update(0)
    local isKnown, message = coroutine.resume(coroutine.create(function() world:emit("nope") end))
    check(not isKnown and message:find("nope", 1, true))
end)
