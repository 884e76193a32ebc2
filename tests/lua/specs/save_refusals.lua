-- Saves that a load refuses, which must leave the running world as it is; and saves that it does not refuse.
-- Over 300 lines: one short claim for each refusal.
local revenant = require "revenant"
local t = revenant.types
local World = revenant.World

local function newWorld(version, migrate)
    local world = World:new()
    world:defineComponent("HealthCMP", { current = 3, foe = t.entity() }, { version = version, migrate = migrate })
    world:defineScriptComponent("BrainCMP", nil, { version = version, migrate = migrate and function(old) return old end })
    world:defineEvent("alarm")
    return world
end

local function addHero(world)
    local hero = world:newEntity("hero")
    hero:addComponent("HealthCMP", { current = 5 })
    hero:addComponent("BrainCMP", { mood = "calm" })
    world:addEntity(hero)
    world:update(0.1)
    return hero
end

local function saveOf(fill)
    local world = newWorld()
    addHero(world)
    if fill then fill(world) end
    return world:saveToString(), world:saveToString { format = "json" }
end

-- Loads it into a running world; returns the message.
local function refused(save, world)
    world = world or newWorld()
    local hero = addHero(world)
    local hash, stats = world:stateHash(), world:getStats()
    local ok, said = pcall(world.loadFromString, world, save)
    equal(ok, false, "refused")
    equal(world:stateHash(), hash, "the world's hash")
    equal(hero:isValid(), true)
    equal(world:getStats().detached, stats.detached)
    equal(#world:validate(), 0)
    world:update(0.1)
    return said
end

local function expectSaid(said, ...)
    for _, part in ipairs { ... } do
        if not said:find(part, 1, true) then error("expected '" .. part .. "' in: " .. said, 2) end
    end
end

test("migrate cannot change the world, whatever it calls", function()
    local save = saveOf()
    local world, hero, kept, view
    local deeds = {
        newEntity = function() world:newEntity("more") end,
        addEntity = function() world:addEntity(hero) end,
        removeEntity = function() world:removeEntity(hero) end,
        destroy = function() hero:destroy() end,
        destroyAll = function() world:destroyAll() end,
        addChild = function() hero:addChild(hero) end,
        setEnabled = function() hero:setEnabled(false) end,
        setPersistent = function() hero:setPersistent(false) end,
        addComponent = function() hero:addComponent("BrainCMP") end,
        removeComponent = function() hero:removeComponent("HealthCMP") end,
        setComponentEnabled = function() hero:setComponentEnabled("HealthCMP", false) end,
        write = function() hero:getComponent("HealthCMP").current = 1 end,
        writeKept = function() kept.current = 1 end,
        setRandomSeed = function() world:setRandomSeed(7) end,
        queue = function() world:queue("alarm") end,
        setResource = function() world:setResource("score", 9, { rewind = true }) end,
        dropResource = function() world:setResource("score", nil) end,
        setMainCharacter = function() world:setMainCharacter(hero) end,
        update = function() world:update(1) end,
        reconcile = function() world:reconcile() end,
        reset = function() world:reset() end,
        load = function() world:loadFromString(save) end,
        save = function() world:saveToString() end,
        defineComponent = function() world:defineComponent("MoreCMP", { x = 1 }) end,
        defineScriptComponent = function() world:defineScriptComponent("MoreCMP") end,
        registerSystem = function() world:registerSystem { name = "MoreSys", tick = function() end } end,
        applyDelta = function() hero:applyDelta { components = { HealthCMP = { current = 1 } } } end,
        deserialize = function() world:deserialize { name = "more" } end,
    }
    for name, deed in pairs(deeds) do
        world = newWorld(2, function(old)
            deed()
            return old
        end)
        hero = addHero(world)
        kept = hero:getComponent("HealthCMP")
        kept.current = 4
        world:setResource("score", 1, { rewind = true })
        local hash, count = world:stateHash(), world:getStats().detached
        local ok = pcall(world.loadFromString, world, save)
        equal(ok, false, name .. " is refused")
        equal(world:stateHash(), hash, name .. ": the hash")
        equal(world:getStats().detached, count, name)
        equal(world:getSystem("MoreSys"), nil, name)
        equal(#world:validate(), 0, name)
        world:update(0.1)
        kept.current = 2  -- and it can be written to again
        equal(hero:getComponent("HealthCMP").current, 2, name)
    end
end)

test("random numbers that migrate draws do not advance the world's generator", function()
    local save = saveOf()
    local world
    world = newWorld(2, function() error("no luck: " .. world:random()) end)
    local hash = (function() addHero(world) return world:stateHash() end)()
    raises(function() world:loadFromString(save) end, "no luck", "hero", "HealthCMP")
    equal(world:stateHash(), hash)
    equal(world:getAllManagedEntities()[1]:getName(), "hero")
end)

test("an error of a listener says that the save is loaded", function()
    local save = saveOf(function(world) world:setResource("score", 7, { rewind = true }) end)
    local world = newWorld()
    addHero(world)
    world:on("worldLoaded", function() error("confetti is out") end)
    raises(function() world:loadFromString(save) end, "loadFromString: the save is loaded", "confetti is out")
    equal(world:getResource("score"), 7)
    world:update(0.1)  -- it was raised once
    -- What is thrown as a table arrives as it is.
    local thrown = {}
    local other = newWorld()
    other:on("worldLoaded", function() error(thrown) end)
    local ok, said = pcall(other.loadFromString, other, save)
    equal(ok, false)
    equal(said, thrown)
    equal(other:getResource("score"), 7)
end)

test("resources that the program could not use are refused by name", function()
    local Item = {}
    Item.__index = Item
    revenant.registerClass("refusals.Item", Item)
    local _, json = saveOf(function(world)
        world:setResource("bag", setmetatable({ price = 3 }, Item), { rewind = true })
    end)
    local gone = json:gsub("refusals%.Item", "refusals.Gone")
    expectSaid(refused(gone), "bag", "refusals.Gone")
    for name, values in pairs {
        ["LevelManager.level"] = { "5", "[]", "true" },
        ["LevelManager.roots"] = { "5", "[1]", "[\"a\"]", "[[]]" },
        ["LevelManager.request"] = { "5", "[]", "\"cave\"" },
        ["LevelManager.events"] = { "5", "[1]", "[[\"levelLoaded\"]]", "[[\"boom\", \"cave\"]]" },
        ["revenant.queue"] = { "5", "[1]", "[[1,2,3]]", "[[\"alarm\", 5, null]]", "[[\"unknown\", null, null]]" },
    } do
        for _, value in ipairs(values) do
            local bad, count = json:gsub('"resources": {', '%0"' .. name .. '": ' .. value:gsub("%%", "%%%%") .. ",")
            equal(count, 1)
            expectSaid(refused(bad), name)
        end
    end
    local fine = json:gsub('"resources": {', '%0"LevelManager.level": "cave", "LevelManager.roots": [{"$entity": 1}, null],'
        .. '"revenant.queue": [["alarm", {"$entity": 1}, 5], ["alarm", null, null]],')
    local world = newWorld()
    local heard = {}
    world:on("alarm", function(...) heard[#heard + 1] = select("#", ...) end)
    world:loadFromString(fine)
    world:update(0.1)
    equal(#heard, 2)
end)

test("what is nested deeper than it could be saved again is refused", function()
    local function nested(depth) return ("["):rep(depth) .. ("]"):rep(depth) end
    local _, json = saveOf()
    local function with(depth) return (json:gsub('"calm"', (nested(depth):gsub("%%", "%%%%")))) end
    local world = newWorld()
    world:loadFromString(with(149))
    world:loadFromString(world:saveToString { format = "json" })
    world:loadFromString(world:saveToString())
    expectSaid(refused(with(150)), "mood", "150 deep")
    expectSaid(refused(with(190)), "mood", "150 deep")
    expectSaid(refused((json:gsub('"resources": {', '%0"deep": ' .. nested(102)))), "deep", "100 deep")
end)

test("JSON that was edited by hand is refused with the place of the mistake", function()
    local _, json = saveOf(function(world) world:setResource("score", 7, { rewind = true }) end)
    local function edited(from, to)
        local text, count = json:gsub(from, to)
        equal(count > 0, true, from)
        return text
    end
    local slips = {
        { '"current": 5', '"current": 5, "current": 6', "entities[0].components.HealthCMP.current", "twice" },
        { '"mood": "calm"', '"mood": "calm", "mood": "sad"', "BrainCMP.$state.mood", "twice" },
        { '"serial": 1', '"serial": 1, "enabeld": false', "entities[0].enabeld" },
        { '"serial": 1', '"serial": 1, "serial": 2', "entities[0].serial", "twice" },
        { '"serial": 1', '"serial": 1, "disabled": ["HelthCMP"]', "entities[0].disabled[0]" },
        { '"score": 7', '"score": 7, "score": 8', "resources.score", "twice" },
        { '"score": 7', '"score": {"$entity": 99}', "resource 'score'", "99" },
        { '"score": 7', '"score": {"$enity": 1}', "resources.score" },
        { '"tick": 1', '"tick": 1, "tack": 2', "world.tack" },
        { '"version": 1,', '"version": 1, "extra": {},', "extra" },
        { '"mood": "calm"', '"mood": {"$entity": 1, "x": 2}', "$state.mood.x" },
        { '"mood": "calm"', '"mood": {"$number": "nan", "y": 2}', "$state.mood.y" },
        { '"mood": "calm"', '"mood": {"$entity": 99}', "entity 1 'hero'", "BrainCMP", "99" },
        { '"mood": "calm"', '"mood": {"$theClass": "refusals.None"}', "hero", "refusals.None" },
        { '"foe": null', '"foe": 77', "entity 1 'hero'", "HealthCMP", "foe" },
        { '"current": 5,', "", "HealthCMP", "lacks its field 'current'" },
    }
    for _, slip in ipairs(slips) do
        expectSaid(refused(edited(slip[1]:gsub("%p", "%%%0"), (slip[2]:gsub("%%", "%%%%")))), unpack(slip, 3))
    end
    expectSaid(refused(json .. "\0and more"), "zero byte")
    expectSaid(refused(json .. "{}"), "it is not JSON")
    newWorld():loadFromString("\239\187\191" .. json)  -- the mark that some editors write first
    local path = os.tmpname()
    local file = assert(io.open(path, "wb"))
    file:write((json:gsub('"current": 5', '"current": "five"')))
    file:close()
    raises(function() newWorld():load(path) end, path, "entities[0].components.HealthCMP.current", "must be a number")
    os.remove(path)
end)

test("systems whose states hold entities hash alike after a load", function()
    local function make()
        local world = newWorld()
        local system = { name = "AimSys", tick = function() end,
            getRewindState = function(self) return { target = self.target, [1] = "x" } end,
            restoreRewindState = function(self, state) self.target = state.target end }
        system = world:registerSystem(system)
        return world, system
    end
    local world, system = make()
    for _ = 1, 5 do world:addEntity(world:newEntity("rock")) end
    world:update(0.1)
    world:removeEntity(world:getAllManagedEntities()[2])
    world:update(0.1)
    system.target = world:getAllManagedEntities()[3]
    local other = make()
    for _ = 1, 3 do other:addEntity(other:newEntity("other")) end
    other:update(0.1)
    other:loadFromString(world:saveToString())
    equal(other:stateHash(), world:stateHash())
    system.target = world:getAllManagedEntities()[1]
    equal(other:stateHash() == world:stateHash(), false)
end)

test("a class that is not registered is named with its place, in one sentence", function()
    local Sword = {}
    Sword.__index = Sword
    revenant.registerClass("refusals.Sword", Sword)
    local function make(version, migrate)
        local world = newWorld(version, migrate)
        local system = { name = "ShopSys", tick = function() end,
            getRewindState = function(self) return { best = self.best } end,
            restoreRewindState = function(self, state) self.best = state.best end }
        world:registerSystem(system)
        return world, system
    end
    local world, system = make()
    local hero = addHero(world)
    hero:getComponent("BrainCMP").bag = { items = { "apple", setmetatable({}, Sword) }, kind = Sword }
    local brain = world:saveToString { format = "json" }
    hero:getComponent("BrainCMP").bag = nil
    system.best = setmetatable({}, Sword)
    local shop = world:saveToString { format = "json" }
    local function refusedAs(save, class, version, migrate, ...)
        local said = refused(save:gsub('"' .. class .. '": "refusals.Sword"', '"' .. class .. '": "refusals.Gone"'), (make(version, migrate)))
        expectSaid(said, "class 'refusals.Gone' is not registered", ...)
        equal(said:find("traceback"), nil)
    end
    refusedAs(brain, "$class", nil, nil, "BrainCMP", "hero", "bag.items[2]: class")
    refusedAs(brain, "$theClass", nil, nil, "BrainCMP", "hero", "bag.kind: class")
    refusedAs(brain, "$class", 2, function(old) return old end, "BrainCMP", "hero", "bag.items[2]: class")
    refusedAs(shop, "$class", nil, nil, "ShopSys", "best: class")
end)

test("an error of a system's hook names the system", function()
    local isBad = false
    local world = newWorld()
    world:registerSystem { name = "ShopSys", tick = function() end, getRewindState = function() return {} end,
        restoreRewindState = function() if isBad then error("closed") end end }
    local save = world:saveToString()
    isBad = true
    expectSaid(refused(save, world), "system 'ShopSys'", "closed")
end)

test("a migrate that raises nil is named nevertheless", function()
    expectSaid(refused(saveOf(), newWorld(2, function() error() end)), "hero", "HealthCMP", "without a message")
end)

-- A component that is loaded makes its body when it gets its state. One that never got it has none to destroy.
test("a refused load calls onDestroyed of those components alone that it gave their state", function()
    local bodies, destroyed = 0, {}
    local Body = {}
    Body.__index = Body
    function Body.getRewindState(self) return { name = self.name } end
    function Body:restoreRewindState(state)
        if Body.fails == state.name then error("no room for " .. state.name, 0) end
        if not self.body then self.body, bodies = {}, bodies + 1 end
        self.name = state.name
    end
    function Body:onDestroyed()
        check(self.body, "the body of " .. tostring(self.name) .. " was never made")
        self.body, bodies = nil, bodies - 1
        destroyed[#destroyed + 1] = self.name
    end
    local Plain = {}
    Plain.__index = Plain
    function Plain:onDestroyed() destroyed[#destroyed + 1] = check(self.name, "it is empty") end
    local function make()
        local world = newWorld()
        world:defineScriptComponent("BodyCMP", Body)
        world:defineScriptComponent("PlainCMP", Plain)
        return world
    end
    local world = make()
    for _, name in ipairs { "a", "b", "c", "d" } do
        local e = world:newEntity(name)
        e:addComponent("BodyCMP", { name = name, body = {} })
        e:addComponent("PlainCMP", { name = "plain " .. name })
        world:addEntity(e)
        bodies = bodies + 1
    end
    world:update(0.1)
    for _, save in ipairs { world:saveToString(), (world:saveToString { format = "json" }) } do
        for _, name in ipairs { "a", "c", "d" } do
            local other = make()
            bodies, destroyed, Body.fails = 0, {}, name
            expectSaid(refused(save, other), "BodyCMP", "no room for " .. name)
            equal(bodies, 0, "bodies that are left")
            for _, each in ipairs(destroyed) do check(each ~= name and each ~= "plain " .. name, each) end
        end
        Body.fails = nil
        bodies, destroyed = 0, {}
        local other = make()
        other:loadFromString(save)
        other:update(0.1)
        equal(bodies, 4)
        other:reset()
        equal(bodies, 0)
        equal(#destroyed, 8)
    end
end)

test("refusals of what migrate returned, and of the module's resources, are sentences without a traceback", function()
    local binary, json = saveOf()
    local function sentence(save, migrate, ...)
        local said = refused(save, newWorld(migrate and 2, migrate))
        expectSaid(said, ...)
        equal(said:find("traceback"), nil)
        equal(said:find("revenant/save", 1, true), nil)
    end
    for _, save in ipairs { binary, json } do
        sentence(save, function() return 5 end, "hero", "component 'HealthCMP': migrate must return a table of fields, not the number 5")
        sentence(save, function() return { curent = 1 } end, "hero", "what migrate returned: component 'HealthCMP' has no field 'curent'")
        sentence(save, function() return { current = "much" } end, "hero", "what migrate returned: component 'HealthCMP', field 'current'")
        sentence(save, function() return { foe = {} } end, "hero", "what migrate returned: component 'HealthCMP', field 'foe'")
    end
    local world = World:new()
    world:defineComponent("HealthCMP", { current = 3, foe = t.entity() })
    world:defineScriptComponent("BrainCMP", nil, { version = 2, migrate = function() return nil end })
    world:defineEvent("alarm")
    local said = refused(binary, world)
    expectSaid(said, "hero", "BrainCMP", "migrate must return a table")
    equal(said:find("traceback"), nil)
    for name, value in pairs { ["LevelManager.level"] = "5", ["LevelManager.roots"] = "[1]", ["revenant.queue"] = "[1]" } do
        sentence(json:gsub('"resources": {', '%0"' .. name .. '": ' .. value, 1), nil, "resource '" .. name .. "': ")
    end
end)
