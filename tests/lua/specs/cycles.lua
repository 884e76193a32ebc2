-- Detached entities that only their own components refer to are collected; all others are left as they are.
local revenant = require "revenant"

local function scene()
    local world = revenant.World:new()
    local destroyed = { count = 0 }
    world:defineScriptComponent("BrainCMP", { onDestroyed = function() destroyed.count = destroyed.count + 1 end })
    world:defineScriptComponent("NoteCMP")
    local function settle()
        for _ = 1, 6 do
            collectgarbage()
            world:update(1 / 60)
        end
        return world:getStats().detached
    end
    return world, settle, destroyed
end

test("a component may hold its entity: directly, in nested tables, as a key, through another component", function()
    local world, settle, destroyed = scene()
    for _ = 1, 50 do
        local e = world:newEntity("direct")
        e:addComponent("BrainCMP").entity = e
        local n = world:newEntity("nested")
        n:addComponent("BrainCMP", { list = { { n } }, map = { [n] = 1 } })
        n:addComponent("NoteCMP", { owner = n, brain = n:getComponent("BrainCMP") })
    end
    equal(settle(), 0)
    equal(destroyed.count, 100)
end)

test("entities whose components hold each other, and trees whose children hold their parent, are collected", function()
    local world, settle = scene()
    for _ = 1, 50 do
        local a, b, child = world:newEntity("a"), world:newEntity("b"), world:newEntity("child")
        a:addComponent("NoteCMP", { other = b })
        b:addComponent("NoteCMP", { other = a })
        a:addChild(child)
        child:addComponent("NoteCMP", { parent = a, me = child })
    end
    equal(settle(), 0)
end)

test("what a script still reaches stays, by entity, component, nested table or another's component", function()
    local world, settle = scene()
    local entities, components, nested, chain = {}, {}, {}, nil
    for i = 1, 10 do
        local e = world:newEntity("entity" .. i)
        e:addComponent("NoteCMP", { e = e, i = i })
        entities[i] = e
        e = world:newEntity("component" .. i)
        components[i] = e:addComponent("NoteCMP", { e = e, i = i })
        e = world:newEntity("nested" .. i)
        nested[i] = { e = e }
        e:addComponent("NoteCMP", { inside = nested[i], e = e, i = i })
    end
    do
        local a, b, c = world:newEntity("a"), world:newEntity("b"), world:newEntity("c")
        a:addComponent("NoteCMP", { other = b, e = a })
        b:addComponent("NoteCMP", { other = c, e = b })
        c:addComponent("NoteCMP", { e = c, text = "the end" })
        chain = a
    end
    equal(settle(), 33)
    for i = 1, 10 do
        local note = entities[i]:getComponent("NoteCMP")
        check(rawequal(note.e, entities[i]) and note.i == i)
        for key in pairs(note) do check(key == "e" or key == "i", "it has a key that the script did not give it") end
        equal(components[i].e:getName(), "component" .. i)
        check(components[i].e:getComponent("NoteCMP") == components[i])
        note = nested[i].e:getComponent("NoteCMP")
        check(note.inside == nested[i] and rawequal(note.e, nested[i].e) and note.i == i)
    end
    equal(chain:getComponent("NoteCMP").other:getComponent("NoteCMP").other:getComponent("NoteCMP").text, "the end")
    entities, components, nested, chain = nil, nil, nil, nil
    equal(settle(), 0)
end)

test("finalizers see components as they were", function()
    local world, settle = scene()
    local seen, broken = 0, 0
    for _ = 1, 50 do
        local e, proxy = world:newEntity("e"), newproxy(true)
        local note = e:addComponent("NoteCMP", { e = e, proxy = proxy })
        getmetatable(proxy).__gc = function()
            seen = seen + 1
            local ok = pcall(function() return note.e:isValid() end)
            for key in pairs(note) do ok = ok and (key == "e" or key == "proxy") end
            if not ok then broken = broken + 1 end
        end
    end
    settle()
    check(seen > 0)
    equal(broken, 0)
end)

test("a collector that was stopped stays stopped", function()
    local world, settle = scene()
    local e = world:newEntity("e")
    e:addComponent("NoteCMP").e = e
    e = nil
    collectgarbage()
    collectgarbage("stop")
    world:update(1 / 60)
    local isRunning = collectgarbage("isrunning")
    collectgarbage("restart")
    equal(isRunning, false)
    equal(settle(), 0)
end)

test("cycles are found in games whose systems tick, without a collection by hand", function()
    local world = scene()
    local garbage
    world:registerSystem { name = "Wasteful", tick = function() for i = 1, 3000 do garbage = { i, { i } } end end }
    for _ = 1, 200 do
        local e = world:newEntity("e")
        e:addComponent("NoteCMP").e = e
    end
    for _ = 1, 400 do
        world:update(1 / 60)
        if world:getStats().detached == 0 then break end
    end
    equal(world:getStats().detached, 0)
    check(garbage)
end)

test("a finalizer that raises in the middle of a call loses nothing", function()
    local isCompiling = jit.status()
    jit.off()  -- LuaJIT's compiled code does not survive such finalizers (lua/README.md)
    jit.flush()
    local world, settle = scene()
    local kept, count = {}, 0
    for i = 1, 20 do
        local e, proxy = world:newEntity("e" .. i), newproxy(true)
        e:addComponent("NoteCMP", { e = e, i = i })
        kept[i] = e
        getmetatable(proxy).__gc = function()
            count = count + 1
            error("raised by a finalizer")
        end
        local f = world:newEntity("f")
        f:addComponent("NoteCMP", { f = f, proxy = proxy })
    end
    for _ = 1, 60 do pcall(function() collectgarbage() world:update(1 / 60) end) end
    check(count > 0)
    for i, e in ipairs(kept) do
        local note = e:getComponent("NoteCMP")
        check(rawequal(note.e, e) and note.i == i)
    end
    kept = nil
    for _ = 1, 60 do pcall(settle) end
    if isCompiling then jit.on() end
    equal(world:getStats().detached, 0)
end)
