-- References to entities that are gone, saves of past frames, and calls from listeners of a load.
local revenant = require "revenant"
local t = revenant.types
local World, TimeRewindSys = revenant.World, revenant.TimeRewindSys

local function newWorld()
    local world = World:new()
    world:defineComponent("BodyCMP", { x = 0, friends = t.array(t.entity(), 3) })
    world:defineScriptComponent("BrainCMP")
    return world
end

for _, format in ipairs { "binary", "json" } do
    test("a reference to what is not in the save is a stale handle, and reads as none in a field: " .. format, function()
        local world = newWorld()
        local e, gone, left, stays = world:newEntity("e"), world:newEntity("gone"), world:newEntity("left"), world:newEntity("stays")
        for _, each in ipairs { e, gone, left, stays } do world:addEntity(each) end
        left:setPersistent(false)
        e:addComponent("BodyCMP", { friends = { gone, left, stays } })
        e:addComponent("BrainCMP", { list = { gone, stays, left, stays }, friend = gone, [left] = "left", [gone] = "gone", [stays] = "stays" })
        world:setResource("team", { gone, stays }, { rewind = true })
        world:update(0.1)
        world:removeEntity(gone)
        world:update(0.1)
        local other = newWorld()
        other:loadFromString(world:saveToString { format = format })
        local loaded, there = unpack(other:getAllManagedEntities())
        equal(there:getName(), "stays")
        local body, brain = loaded:getComponent("BodyCMP"), loaded:getComponent("BrainCMP")
        equal(body.friends[1], nil)
        equal(body.friends[2], nil)
        equal(body.friends[3], there)
        local function expectStale(value)
            check(value ~= nil and not value:isValid())
            equal(value:getState(), "destroyed")
            raises(function() value:getName() end, "destroyed")
        end
        equal(#brain.list, 4)
        for _, i in ipairs { 1, 3 } do expectStale(brain.list[i]) end
        equal(brain.list[2], there)
        equal(brain.list[4], there)
        equal(brain.friend, brain.list[1])
        check(brain.list[1] ~= brain.list[3], "different entities stay different")
        equal(brain[there], "stays")
        equal(brain[brain.list[3]], "left")
        equal(brain[brain.friend], "gone")
        expectStale(other:getResource("team")[1])
        equal(other:getResource("team")[2], there)
        -- And so it stays.
        local again = newWorld()
        again:loadFromString(other:saveToString { format = format })
        local next = again:getAllManagedEntities()[1]:getComponent("BrainCMP")
        equal(next.list[4], again:getAllManagedEntities()[2])
        expectStale(next.list[1])
        equal(next[next.list[1]], "gone")
        equal(again:stateHash(), other:stateHash())
    end)

    test("a reference to a component that is not in the save is an empty one of its class: " .. format, function()
        local Brain = {}
        Brain.__index = Brain
        function Brain:walk() return "walks" end
        local function make()
            local world = World:new()
            world:defineScriptComponent("BrainCMP", Brain)
            return world
        end
        local world = make()
        local first, second, gone = world:newEntity("first"), world:newEntity("second"), world:newEntity("gone")
        for _, each in ipairs { first, second, gone } do
            world:addEntity(each)
            each:addComponent("BrainCMP", { name = each:getName() })
        end
        local brain = first:getComponent("BrainCMP")
        brain.other, brain.gone = second:getComponent("BrainCMP"), gone:getComponent("BrainCMP")
        brain.list = { brain.gone, brain, brain.other, [brain.gone] = "gone" }
        world:update(0.1)
        second:removeComponent("BrainCMP")
        world:removeEntity(gone)
        world:update(0.1)
        local other = make()
        other:loadFromString(world:saveToString { format = format })
        equal(other:stateHash(), world:stateHash())
        local loaded = other:getAllManagedEntities()[1]:getComponent("BrainCMP")
        equal(loaded.gone.name, nil)
        equal(loaded.gone:walk(), "walks")
        equal(loaded.other:walk(), "walks")
        check(loaded.other ~= loaded.gone)
        equal(loaded.list[1], loaded.gone)
        equal(loaded.list[2], loaded)
        equal(loaded.list[3], loaded.other)
        equal(loaded.list[loaded.gone], "gone")
        equal(other:saveToString { format = format }, world:saveToString { format = format })
        -- A component that its entity gets later is another one.
        other:getAllManagedEntities()[2]:addComponent("BrainCMP", { name = "new" })
        other:update(0.1)
        equal(loaded.other.name, nil)
        equal(other:getAllManagedEntities()[2]:getComponent("BrainCMP").name, "new")
    end)
end

for _, format in ipairs { "binary", "json" } do
    test("a queued event about an entity that is not in the save keeps its arguments: " .. format, function()
        local function heard(world)
            world:defineEvent("hit")
            local said = {}
            world:on("hit", function(...)
                local e, detail = ...
                local state = type(e) == "table" and "no entity" or e:isValid() and "valid" or e:getState()
                said[#said + 1] = select("#", ...) .. " " .. state .. " " .. (detail and detail.by or "-")
            end)
            return said
        end
        local world = newWorld()
        local ship, shield, rock = world:newEntity("ship"), world:newEntity("shield"), world:newEntity("rock")
        for _, each in ipairs { ship, shield, rock } do world:addEntity(each) end
        shield:setPersistent(false)
        local expected = heard(world)
        world:update(0.1)
        world:queue("hit", rock, { by = "ship" })
        world:removeEntity(rock)
        world:queue("hit", ship, { by = "rock" })
        world:queue("hit", shield, { by = "nothing" })
        world:queue("hit", { by = "all" })
        world:queue("hit", rock)
        local text = world:saveToString { format = format }

        local other = newWorld()
        local said = heard(other)
        other:loadFromString(text)
        other:loadFromString(other:saveToString { format = format })  -- and once more
        local rewind = TimeRewindSys:new(other)
        other:registerSystem(rewind)
        other:update(0.1)
        local frame = rewind:getFrame()
        world:update(0.1)
        equal(table.concat(expected, ", "), "2 destroyed ship, 2 valid rock, 2 valid nothing, 1 no entity -, 1 destroyed -")
        equal(table.concat(said, ", "), "2 destroyed ship, 2 valid rock, 2 destroyed nothing, 1 no entity -, 1 destroyed -")
        for _ = 1, 3 do other:update(0.1) end
        rewind:seek(frame)
        equal(other:stateHash(), rewind:frameHash(frame))
        local path = os.tmpname()
        rewind:saveHistory(path)
        local third = newWorld()
        heard(third)
        local past = TimeRewindSys:new(third)
        third:registerSystem(past)
        past:loadHistory(path)
        os.remove(path)
        equal(past:frameHash(frame), rewind:frameHash(frame))
    end)
end

test("a save made in the past, or before play goes on from there, is of that frame, and one step ahead in time", function()
    local function make()
        local world = newWorld()
        local rewind = world:registerSystem(TimeRewindSys:new(world))
        world:registerSystem { name = "CountSys", tick = function()
            for _, e in ipairs(world:getAllManagedEntities()) do e:getComponent("BodyCMP").x = e:getComponent("BodyCMP").x + 1 end
        end }
        return world, rewind
    end
    local function x(world) return world:getAllManagedEntities()[1]:getComponent("BodyCMP").x end
    local world, rewind = make()
    local e = world:newEntity("e")
    e:addComponent("BodyCMP")
    world:addEntity(e)
    for _ = 1, 10 do world:update(0.25) end
    rewind:seek(5)
    local shown = world:saveToString()
    rewind:stop()
    equal(world:saveToString(), shown)
    world:update(0.25)  -- shows frame 5, and runs its systems
    local other = make()
    other:loadFromString(shown)
    equal(x(other), 4)
    equal(other:getTick(), 5)
    other:update(0.25)
    equal(x(other), x(world))
    equal(other:getTick(), world:getTick() + 1)
    equal(other:getTime(), world:getTime() + 0.25)
    -- One update later, a save is as any other.
    other:loadFromString(world:saveToString())
    world:update(0.25)
    other:update(0.25)
    equal(x(other), x(world))
    equal(other:getTick(), world:getTick())
end)

test("a level that lost a root before it was saved is unloaded whole", function()
    local world = newWorld()
    local levels = revenant.LevelManager:new(world, { folder = "levels", read = function()
        return [[return { entities = { { name = "hero" }, { name = "tree" }, { name = "camp", children = { { name = "fire" } } } } }]]
    end })
    levels:load("forest")
    world:update(0.1)
    world:removeEntity(levels:getRoots()[1])
    for _ = 1, 2 do world:update(0.1) end
    world:loadFromString(world:saveToString())
    equal(levels:getLevel(), "forest")
    local roots = levels:getRoots()
    equal(#roots, 3)
    check(not roots[1]:isValid())
    equal(roots[3]:getName(), "camp")
    levels:unload()
    for _ = 1, 2 do world:update(0.1) end
    equal(#world:getAllManagedEntities(), 0)
end)

test("a component is split where the game hears of the load", function()
    local function older()
        local world = World:new()
        world:defineComponent("StatsCMP", { life = 10, mana = 5 })
        return world
    end
    local world = older()
    world:definePrefab("hero", { components = { StatsCMP = { life = 7, mana = 3 } } })
    world:spawn("hero")
    local save = world:saveToString()
    world = older()
    world:defineComponent("LifeCMP", { points = 1 })
    world:defineComponent("MagicCMP", { points = 1 })
    world:on("worldLoaded", function()
        for _, e in ipairs(world:query():with("StatsCMP"):entities()) do
            local old = e:getComponent("StatsCMP")
            e:addComponent("LifeCMP", { points = old.life })
            e:addComponent("MagicCMP", { points = old.mana })
            e:removeComponent("StatsCMP")
        end
    end)
    world:loadFromString(save)
    world:update(0.1)
    local hero = world:findEntity("hero")
    equal(hero:getComponent("LifeCMP").points, 7)
    equal(hero:getComponent("MagicCMP").points, 3)
    equal(hero:hasComponent("StatsCMP"), false)
end)

test("a load that every load asks for once more ends in an error", function()
    local world = newWorld()
    world:addEntity(world:newEntity("hero"))
    world:update(0.1)
    local save = world:saveToString()
    local token = world:on("worldLoaded", function() world:loadFromString(save) end)
    local ok, said = pcall(world.loadFromString, world, save)
    equal(ok, false)
    check(said:find("the save is loaded", 1, true) and said:find("nested 16 deep", 1, true), said)
    world:off(token)
    equal(#world:validate(), 0)
    world:loadFromString(save)
    world:update(0.1)
    equal(#world:getAllManagedEntities(), 1)
end)

test("a history of a loaded world keeps what the save did not hold apart, in a file, too", function()
    local function make()
        local world = newWorld()
        return world, world:registerSystem(TimeRewindSys:new(world))
    end
    local world = make()
    local e, first, second = world:newEntity("e"), world:newEntity("first"), world:newEntity("second")
    for _, each in ipairs { e, first, second } do world:addEntity(each) end
    e:addComponent("BodyCMP", { friends = { first, second } })
    e:addComponent("BrainCMP", { first = first, [second] = "second" })
    world:update(0.1)
    for _, each in ipairs { first, second } do world:removeEntity(each) end
    world:update(0.1)
    local other, rewind = make()
    other:loadFromString(world:saveToString())
    local hashes = {}
    for i = 1, 6 do
        local loaded = other:getAllManagedEntities()[1]
        local body, brain = loaded:getComponent("BodyCMP"), loaded:getComponent("BrainCMP")
        body.x = i
        if i == 3 then body.friends[1], brain.first = nil, nil end
        if i == 5 then
            for key in pairs(brain) do if type(key) == "cdata" then brain[key] = nil end end
        end
        other:update(0.1)
        hashes[rewind:getFrame()] = other:stateHash()
    end
    local third, opened = make()
    local path = os.tmpname()
    rewind:saveHistory(path)
    opened:loadHistory(path)
    os.remove(path)
    for _, each in ipairs { { other, rewind }, { third, opened } } do
        for frame, hash in pairs(hashes) do
            each[2]:seek(frame)
            equal(each[1]:stateHash(), hash)
            equal(each[2]:frameHash(frame), hash)
        end
        equal(#each[1]:validate(), 0)
    end
end)
