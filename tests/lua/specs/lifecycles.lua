-- onAdded, onRemoved, onRestored and onDestroyed of script components.
-- Over 300 lines: a list of independent claims about one scene.
local revenant = require "revenant"
local scene = require "scene"

-- A world whose BodyCMP logs its lifecycle calls; `living` counts the components not yet destroyed.
local function bodies(options)
    local world = scene.world()
    local log = {}
    local Body = {}
    Body.__index = Body
    local function note(what)
        return function(self, entity)
            log[#log + 1] = what .. " " .. self.name .. (entity and "/" .. entity:getName() or "")
            self.calls = (self.calls or "") .. what:sub(1, 1)
        end
    end
    Body.onAdded, Body.onRemoved, Body.onRestored = note "added", note "removed", note "Restored"
    function Body:onDestroyed(...)
        equal(select("#", ...), 1)
        log[#log + 1] = "destroyed " .. self.name
        check(not self.isGone, self.name .. " was destroyed twice")
        self.isGone = true
    end
    Body.rewindIgnore = { "calls", "isGone" }
    world:defineScriptComponent("BodyCMP", Body)
    local rewind
    if not options or not options.noHistory then
        rewind = revenant.TimeRewindSys:new(world, options)
        world:registerSystem(rewind)
    end
    local function take()
        local text = table.concat(log, ", ")
        for i = #log, 1, -1 do log[i] = nil end
        return text
    end
    local function spawn(name, parent)
        local e = world:newEntity(name)
        local body = e:addComponent("BodyCMP", { name = name })
        if parent then parent:addChild(e) else world:addEntity(e) end
        return e, body
    end
    return world, rewind, spawn, take
end

local function ticks(world, count) for _ = 1, count do world:update(0.1) end end

test("a component is called when its entity comes, leaves and is gone, in world order", function()
    local world, _, spawn, take = bodies { noHistory = true }
    local a = spawn("a")
    local b = spawn("b")
    spawn("a1", a)
    equal(take(), "")
    world:update(0.1)
    equal(take(), "added a/a, added a1/a1, added b/b")
    world:removeEntity(a)
    world:update(0.1)
    equal(take(), "removed a/a, removed a1/a1, destroyed a1, destroyed a")
    b:removeComponent("BodyCMP")
    world:update(0.1)
    equal(take(), "removed b/b, destroyed b")
    b:addComponent("BodyCMP", { name = "b2" })
    world:update(0.1)
    equal(take(), "added b2/b")
    world:removeEntity(b)
    world:addEntity(b)
    world:update(0.1)
    equal(take(), "")
end)

test("a zombie that is added again is restored", function()
    local world, _, spawn, take = bodies { noHistory = true }
    local a = spawn("a")
    a:retain()
    world:update(0.1)
    world:removeEntity(a)
    world:update(0.1)
    equal(take(), "added a/a, removed a/a")
    world:addEntity(a)
    world:update(0.1)
    equal(take(), "Restored a/a")
    world:removeEntity(a)
    world:update(0.1)
    a:release()
    world:update(0.1)
    equal(take(), "removed a/a, destroyed a")
end)

test("a rewind removes what was spawned since and restores what was removed", function()
    local world, rewind, spawn, take = bodies()
    local a = spawn("a")
    ticks(world, 3)
    local b = spawn("b")
    ticks(world, 2)
    world:removeEntity(a)
    ticks(world, 2)
    equal(take(), "added a/a, added b/b, removed a/a")
    rewind:seek(2)
    equal(take(), "removed b/b, Restored a/a")
    rewind:seek(5)
    equal(take(), "Restored b/b")
    rewind:seek(2)
    rewind:stop()
    equal(take(), "removed b/b, destroyed b")
    check(a:isValid() and not b:isValid())
    ticks(world, 2)
    equal(take(), "")
end)

test("a component that was unbound comes back with its frame, and is gone when no frame has it", function()
    local world, rewind, spawn, take = bodies { seconds = 1 }
    local a = spawn("a")
    ticks(world, 3)
    a:removeComponent("BodyCMP")
    ticks(world, 2)
    equal(take(), "added a/a, removed a/a")
    rewind:seek(3)
    equal(take(), "Restored a/a")
    rewind:seek(5)
    equal(take(), "removed a/a")
    rewind:stop()
    for _ = 1, 30 do
        a:getName()
        world:update(0.1)
    end
    equal(take(), "destroyed a")
    -- One that was bound in a future that is dropped goes when play resumes.
    a:addComponent("BodyCMP", { name = "a2" })
    ticks(world, 3)
    equal(take(), "added a2/a")
    rewind:seek(rewind:getNewestFrame() - 4)
    equal(take(), "removed a2/a")
    rewind:stop()
    ticks(world, 1)
    equal(take(), "destroyed a2")
end)

test("detached entities: a component that never came in is destroyed with its entity", function()
    local world, _, _, take = bodies()
    local e = world:newEntity("e")
    e:addComponent("BodyCMP", { name = "e" })
    world:update(0.1)
    e:destroy()
    equal(take(), "destroyed e")
    e = world:newEntity("f")
    e:addComponent("BodyCMP", { name = "f" })
    e:removeComponent("BodyCMP")
    ticks(world, 2)
    e = nil
    for _ = 1, 3 do collectgarbage() world:update(0.1) end
    world:reset()
    equal(take(), "destroyed f")
end)

test("a reset tells all that are left, in world order", function()
    local world, rewind, spawn, take = bodies()
    local a = spawn("a")
    spawn("b")
    spawn("a1", a)
    ticks(world, 3)
    world:removeEntity(a)
    ticks(world, 2)
    take()
    world:reset()
    local text = take()
    check(text:find("^removed b/b, "), text)
    for _, name in ipairs { "a", "a1", "b" } do check(text:find("destroyed " .. name, 1, true), text) end
    world:update(0.1)
    equal(take(), "")
end)

test("an error in any of them is raised by update, with the others called all the same", function()
    local world = scene.world()
    local called = {}
    local Bad = {}
    Bad.__index = Bad
    for _, method in ipairs { "onAdded", "onRemoved", "onRestored", "onDestroyed" } do
        Bad[method] = function(self)
            called[#called + 1] = method
            error(method .. " of " .. self.name)
        end
    end
    world:defineScriptComponent("BadCMP", Bad)
    local list = {}
    for _, name in ipairs { "a", "b" } do
        list[#list + 1] = scene.spawn(world, name)
        list[#list]:addComponent("BadCMP", { name = name })
    end
    raises(function() world:update(0.1) end, "2 errors", "onAdded of a", "onAdded of b")
    world:update(0.1)
    for _, e in ipairs(list) do world:removeEntity(e) end
    raises(function() world:update(0.1) end, "4 errors", "onRemoved of b", "onDestroyed of a")
    equal(#called, 6)
    world:update(0.1)
    raises(function() world:defineScriptComponent("C", { onAdded = 3 }) end, "'C'", "onAdded", "function")
end)

test("a component that another one's onRemoved destroys hears onRemoved and onDestroyed once", function()
    local world, _, spawn = bodies { noHistory = true }
    local a, body = spawn("a")
    local b, other = spawn("b")
    world:update(0.1)
    local removed, destroyed = 0, 0
    function other.onRemoved() removed = removed + 1 end
    function other.onDestroyed() destroyed = destroyed + 1 end
    function body.onRemoved() b:destroy() end
    local out = world:newEntity("out")
    out:addChild(a)
    out:addChild(b)
    world:update(0.1)
    equal(b:getState(), "destroyed")
    world:update(0.1)
    world:reset()
    world:update(0.1)
    equal(removed, 1)
    equal(destroyed, 1)
end)

-- Such an entity could not be read any more in its onRemoved, or in the onEntityRemoved of systems.
test("what is destroyed in the middle of a reconcile can be read where it is told to have left", function()
    for _, who in ipairs { "onRemoved", "a listener", "onEntityRemoved" } do
        local world, _, spawn = bodies { noHistory = true }
        local heard = {}
        local a, body = spawn("a")
        local b, other = spawn("b")
        local child, childBody = spawn("child")
        b:addChild(child)
        b:addComponent("TransformCMP", { x = 7 })
        local function destroy() b:destroy() end
        local function hear(what, e)
            heard[#heard + 1] = what .. " " .. e:getName() .. " " .. #e:getChildren() .. " "
                .. (e:getParent() and e:getParent():getName() or "-") .. " " .. tostring(e:hasComponent("TransformCMP"))
        end
        local system = { name = "WatchingSys", requirements = { "BodyCMP" }, tick = function() end }
        function system.onEntityRemoved(_, e)
            hear("system", e)
            if who == "onEntityRemoved" and e == a then destroy() end
        end
        world:registerSystem(system)
        world:update(0.1)
        function body.onRemoved() if who == "onRemoved" then destroy() end end
        function other.onRemoved(self, e) check(e:getComponent("BodyCMP") == self) hear("component", e) end
        childBody.onRemoved = other.onRemoved
        function other.onDestroyed() heard[#heard + 1] = "b is gone" end
        if who == "a listener" then
            world:on("entityRemoved", function(e) if e == a then destroy() end end)
        end
        local out = world:newEntity("out")
        out:addChild(a)
        out:addChild(b)
        world:update(0.1)
        equal(b:getState(), "destroyed", who)
        table.sort(heard)
        same(heard, { "b is gone", "component b 1 out true", "component child 0 b false", "system a 0 out false",
            "system b 1 out true", "system child 0 b false" }, who)
    end
end)

test("what is destroyed while it is told to have left is destroyed once, and kept if it was added again", function()
    local world, _, spawn = bodies { noHistory = true }
    local a, body = spawn("a")
    local b, other = spawn("b")
    local c, third = spawn("c")
    world:update(0.1)
    local said, gone = nil, 0
    function body.onRemoved()
        b:destroy()
        said = select(2, pcall(c.destroy, c))
    end
    function other.onRemoved() b:destroy() end
    function other.onDestroyed() gone = gone + 1 end
    local out = world:newEntity("out")
    for _, e in ipairs { a, b } do out:addChild(e) end
    local apart = world:newEntity("apart")
    apart:addChild(c)
    function third.onRemoved() apart:removeChild(c) world:addEntity(c) end
    world:update(0.1)
    equal(b:getState(), "destroyed")
    equal(gone, 1)
    check(said:find("pendingAdd", 1, true), said)
    world:update(0.1)
    equal(c:getState(), "managed")
end)

test("a component that was replaced while its entity was not rewindable is called when time goes back", function()
    local world, rewind, spawn, take = bodies()
    local e = spawn("first")
    ticks(world, 3)
    e:setRewindable(false)
    ticks(world, 3)
    e:removeComponent("BodyCMP")
    ticks(world, 1)
    e:addComponent("BodyCMP", { name = "second" })
    ticks(world, 3)
    equal(take(), "added first/first, removed first/first, added second/first")
    rewind:seek(8)
    equal(take(), "")
    rewind:seek(2)
    equal(take(), "removed second/first, Restored first/first")
    equal(e:getComponent("BodyCMP").name, "first")
end)

test("a component that a listener replaces as it comes is gone only when no frame shows it", function()
    for _, first in ipairs { 1, 3 } do
        local world, rewind, spawn, take = bodies()
        ticks(world, first - 1)
        local e, old = spawn("old")
        world:on("entityAdded", function()
            if world:isInPast() then return end
            e:removeComponent("BodyCMP")
            e:addComponent("BodyCMP", { name = "new" })
        end)
        ticks(world, 3)
        equal(take(), "added new/old")
        rewind:seek(first)
        check(rawequal(e:getComponent("BodyCMP"), old) and not old.isGone)
        equal(take(), "removed new/old, added old/old")
        rewind:seek(first + 1)
        equal(take(), "removed old/old, Restored new/old")
        rewind:seek(first)
        rewind:stop()
        ticks(world, 1)
        check(not old.isGone)
        rewind:setBudget { seconds = 0 }
        ticks(world, 3)
        check(old.isGone, "old is in no frame any more")
        equal(#rewind:validate(), 0)
    end
end)

test("a component that is unbound of a detached entity is gone only when no frame shows it there", function()
    local world, rewind, spawn, take = bodies()
    local e, body = spawn("a")
    world:removeEntity(e)
    ticks(world, 4)
    world:addEntity(e)
    ticks(world, 4)
    rewind:seek(3)
    rewind:stop()
    equal(take(), "added a/a, removed a/a")
    ticks(world, 2)
    e:removeComponent("BodyCMP")
    ticks(world, 2)
    world:addEntity(e)
    ticks(world, 2)
    equal(take(), "")
    rewind:seek(2)
    equal(e:getState(), "detached")
    equal(e:getComponent("BodyCMP"), body)
    rewind:stop()
    world:addEntity(e)
    ticks(world, 1)
    equal(take(), "Restored a/a")
    e:removeComponent("BodyCMP")
    ticks(world, 1)
    rewind:clear()
    ticks(world, 1)
    equal(take(), "removed a/a, destroyed a")
end)

test("a component of a loaded history is gone only when no frame shows it", function()
    local path = os.tmpname()
    local world, rewind, spawn = bodies()
    local e = spawn("a")
    ticks(world, 5)
    e:removeComponent("BodyCMP")
    ticks(world, 5)
    rewind:saveHistory(path)
    local other, loaded, _, take = bodies()
    loaded:loadHistory(path)
    os.remove(path)
    loaded:seek(3)
    loaded:seek(8)
    loaded:stop()
    ticks(other, 2)
    equal(take(), "added a/a, removed a/a")
    loaded:seek(2)
    equal(take(), "Restored a/a")
    loaded:stop()
    other:dispose()
    equal(take(), "removed a/a, destroyed a")
end)

test("what lifecycle methods ask for is for the next reconcile", function()
    local world = scene.world()
    local Spawner = {}
    Spawner.__index = Spawner
    function Spawner:onAdded(entity)
        if self.left == 0 then return end
        scene.spawn(world, "child"):addComponent("SpawnerCMP", { left = self.left - 1 })
        world:removeEntity(entity)
    end
    function Spawner:onRemoved(entity) check(entity:getState() ~= "managed") end
    world:defineScriptComponent("SpawnerCMP", Spawner)
    scene.spawn(world, "first"):addComponent("SpawnerCMP", { left = 5 })
    ticks(world, 3)
    equal(#world:getAllManagedEntities(), 1)
    ticks(world, 6)
    equal(world:getAllManagedEntities()[1]:getComponent("SpawnerCMP").left, 0)
    equal(#world:validate(), 0)
end)

-- Whatever happens, in whatever order: present and absent alternate, restored only follows removed, and the end comes
-- once, last.
test("onRemoved can read name and components: removed, unbound, wound back, reset", function()
    local world = scene.world()
    local heard = {}
    world:defineScriptComponent("BodyCMP", {
        onRemoved = function(self, e)
            heard[#heard + 1] = e:getName() .. " " .. self.name .. " " .. e:getComponent("TransformCMP").x
                .. (e:getComponent("BodyCMP") == self and e:hasComponent("BodyCMP") and " bound" or " unbound")
        end,
    })
    local rewind = world:registerSystem(revenant.TimeRewindSys:new(world))
    ticks(world, 2)
    local made = {}
    for i, name in ipairs { "removed", "unbound", "wound", "reset" } do
        made[i] = scene.spawn(world, name, { TransformCMP = { x = i }, BodyCMP = { name = name } })
        if i == 3 then ticks(world, 1) end
    end
    world:removeEntity(made[4])
    world:removeEntity(made[1])
    made[2]:removeComponent("BodyCMP")
    world:update(0.1)
    rewind:seek(2)
    rewind:stop()
    scene.spawn(world, "last", { TransformCMP = { x = 9 }, BodyCMP = { name = "last" } })
    world:update(0.1)
    world:reset()
    same(heard, { "removed removed 1 bound", "unbound unbound 2 unbound", "wound wound 3 bound", "last last 9 bound" })
end)

-- The calls that each component got make a state that only some calls may follow. `isFailing`: now and then they raise, too (the last rounds).
local function pairUp(round, isFailing)
    local random = math.random
    local world = scene.world()
    local all, failures = {}, 0
    local Body = { rewindIgnore = { "state", "id", "holder" } }
    Body.__index = Body
    local seed = "round " .. round
    local function hear(self, wanted, state, what)
        if self.state == nil then  -- a load made it
            self.state, self.id = "new", #all + 1
            all[self.id] = self
        end
        check((" " .. wanted .. " "):find(" " .. self.state .. " ", 1, true),
            what .. " of " .. self.id .. " while it is " .. self.state .. ", " .. seed)
        self.state = state
        if isFailing and random(15) == 1 then
            failures = failures + 1
            error("on purpose")
        end
    end
    -- At each call the entity can be asked for this very component.
    local function hold(self, e)
        check(e:isValid() and e:getComponent("BodyCMP") == self, seed)
        self.holder = e
    end
    function Body:onAdded(e) hold(self, e) hear(self, "new", "in", "onAdded") end
    function Body:onRestored(e) hold(self, e) hear(self, "out", "in", "onRestored") end
    function Body:onRemoved(e) check(#e:getName() > 0) hear(self, "in", "out", "onRemoved") end
    function Body:onDestroyed() hear(self, "new out", "gone", "onDestroyed") end
    world:defineScriptComponent("BodyCMP", Body)
    world:defineScriptComponent("HeavyCMP", Body, { base = "BodyCMP" })
    local rewind
    local function begin() rewind = world:registerSystem(revenant.TimeRewindSys:new(world, { seconds = 2 })) end
    begin()
    local entities, retained = {}, {}
    -- Only what was raised on purpose may be raised.
    local function attempt(call, ...)
        local ok, message = pcall(call, ...)
        if not ok and not tostring(message):find("on purpose", 1, true) then error(message, 0) end
    end
    local function bind(e)
        local body = { id = #all + 1, state = "new", x = 0 }
        all[#all + 1] = body
        e:addComponent(random(2) == 1 and "BodyCMP" or "HeavyCMP", body)
    end
    local function spawn()
        local e = world:newEntity("e" .. #entities)
        bind(e)
        entities[#entities + 1] = e
        return e
    end
    local function compare()
        for _, each in ipairs(world:getAllManagedEntities()) do
            local body = each:getComponent("BodyCMP")
            if body then
                equal(body.state, "in", seed)
                body.x = body.x + 1
            end
        end
        for _, body in ipairs(all) do
            if body.state == "in" then
                local state = body.holder:getState()
                check(state == "managed" or state == "pendingRemove", state .. ", " .. seed)
                equal(body.holder:getComponent("BodyCMP"), body, seed)
            end
        end
        equal(#world:validate(), 0, seed)
    end
    for _ = 1, 250 do
        local action = random(17)
        local e = entities[random(math.max(1, #entities))]
        local other = entities[random(math.max(1, #entities))]
        local isThere, isPast = e and e:isValid(), world:isInPast()
        local isPair = isThere and other:isValid() and not isPast
        if action <= 3 and not isPast then
            local new = spawn()
            if random(5) > 1 then world:addEntity(new) end
            if isThere and random(3) == 1 then pcall(e.addChild, e, new) end
        elseif action == 4 and isThere and not isPast then
            world:removeEntity(e)
        elseif action == 5 and isThere and not isPast then
            pcall(world.addEntity, world, e)
        elseif action == 6 and isThere and not isPast then
            if e:hasComponent("BodyCMP") then e:removeComponent("BodyCMP") else bind(e) end
        elseif action == 7 and rewind:getOldestFrame() then
            attempt(rewind.seek, rewind, random(rewind:getOldestFrame(), rewind:getNewestFrame()))
        elseif action == 8 or isPast and random(3) == 1 then
            attempt(rewind.stop, rewind)
        elseif action == 9 and isThere and not isPast then
            if random(2) == 1 then e:setEnabled(not e:isEnabled()) else pcall(e.destroy, e) end
        elseif action == 10 and random(10) == 1 then
            if random(2) == 1 then attempt(rewind.clear, rewind) else collectgarbage() end
        elseif action == 11 and isPair then
            pcall(e.addChild, e, other)  -- a cycle is refused
        elseif action == 12 and isPair then
            local parent = e:getParent()
            if parent then parent:removeChild(e) end
        elseif action == 13 and isThere and not isPast then
            if retained[e] then
                retained[e] = nil
                e:release()
            elseif not e:getParent() then
                retained[e] = true
                e:retain()
            end
        elseif action == 14 and random(25) == 1 then
            attempt(world.reset, world)
            attempt(world.update, world, 0.1)
            for _, body in ipairs(all) do check(body.state == "gone", body.id .. " is " .. body.state .. " after a reset, " .. seed) end
            entities, retained = {}, {}
            begin()
        elseif action == 15 and random(8) == 1 and not isPast and hasSaves() then
            local waiting = #all
            attempt(function() world:loadFromString(world:saveToString()) end)
            attempt(world.update, world, 0.1)
            for i = 1, waiting do check(all[i].state ~= "in", i .. " survived a load, " .. seed) end
            entities, retained = world:getAllManagedEntities(), {}
        elseif action == 16 and isThere and not isPast and random(3) == 1 then
            pcall(e.setRewindable, e, not e:isRewindable())
        elseif action == 17 and not isPast and rewind:getFrame() then
            attempt(rewind.step, rewind, -random(5))
            if random(2) == 1 then attempt(rewind.stop, rewind) end
        end
        for _ = 1, random(3) do attempt(world.update, world, 0.1) end
        compare()
    end
    for e in pairs(retained) do
        if e:isValid() then e:release() end
    end
    if round % 3 == 0 then
        attempt(world.reset, world)
        attempt(world.update, world, 0)
    elseif round % 3 == 1 then
        attempt(world.dispose, world)
    else
        -- The collector's: nothing of the world may be left.
        world, rewind, entities, retained = nil, nil, nil, nil
        for _, body in ipairs(all) do body.holder = nil end
        for _ = 1, 4 do
            collectgarbage()
            revenant.World:new():update(0)
        end
    end
    for _, body in ipairs(all) do equal(body.state, "gone", "body " .. body.id .. ", " .. seed) end
    return #all, failures
end

local ways = " add, remove, bind, unbind, reparent, retain, seek, stop, load, reset, dispose and collection"
test("lifecycle methods pair up in every order of" .. ways, function()
    local seed = (tonumber(os.getenv("REVENANT_SEED")) or 1) * 1000
    for round = 1, 12 do
        math.randomseed(seed + round)
        check(pairUp(seed + round, round > 8) > 10, "too few were made")
    end
end)
