-- A world with something of each kind in it, and the claims that must hold whatever failed.

local revenant = require "revenant"
local Desc, types = revenant.ComponentRequirementDesc, revenant.types

local scene = { base = os.tmpname(), again = os.tmpname(), folder = "memory" }

-- A class whose components count their lifecycle calls.
local Watched = {}
Watched.__index = Watched
local told = setmetatable({}, { __mode = "k" })  -- component -> "in", "out" or "gone"
function Watched:onAdded() told[self] = "in" end
function Watched:onRestored() told[self] = "in" end
function Watched:onRemoved() told[self] = "out" end
function Watched:onDestroyed()
    if told[self] == "gone" or told[self] == "in" then scene.mistake = "onDestroyed was called, but the component is " .. told[self] end
    told[self] = "gone"
end

function scene.build(options)
    local s = { world = revenant.World:new(), entities = {} }
    local world, entities = s.world, s.entities
    world:defineComponent("A", { x = types.lerp(types.f64(0)) })
    world:defineComponent("B", { e = types.entity(), s = "q" })
    world:defineScriptComponent("S")
    world:defineScriptComponent("L", Watched)
    world:defineEvent("heard")
    world:on("heard", function(first) s.heard = first end)
    world:definePrefab("p", { components = { A = {} }, children = { { components = { B = {} } } } })
    world:definePrefab("q", { components = { A = {}, L = {} }, children = { { name = "gun", components = { B = {}, S = { 3 } } } } })
    s.rewind = world:registerSystem(revenant.TimeRewindSys:new(world, options or {}))
    local matching = {}
    s.matching = matching
    world:registerSystem { name = "matches", requirements = { "A" }, tick = function() end,
        onEntityAdded = function(_, e) matching[e] = true end, onEntityRemoved = function(_, e) matching[e] = nil end }
    for i = 1, 12 do
        local e = world:newEntity("n" .. i)
        e:addComponent("A", { x = i })
        if i % 3 == 0 then e:addComponent("B", { e = entities[1] }) end
        if i % 4 == 0 then e:addComponent("S", { i, { i } }) end
        if i % 5 == 1 then e:addComponent("L") end
        entities[i] = e
        if i % 4 == 2 then entities[i - 1]:addChild(e) end
    end
    for i = 1, 12 do
        if not entities[i]:getParent() then world:addEntity(entities[i]) end
    end
    s.view = world:getComponentsView { A = Desc:new(true), B = Desc:new(false) }
    world:update(0.1)
    for f = 2, 8 do
        entities[f]:getComponent("A").x = f * 100
        if f == 4 then world:removeEntity(entities[5]) end
        if f == 6 then entities[9]:addChild(entities[1]) end
        local late = world:newEntity("late" .. f)
        late:addComponent("A")
        if f % 3 == 0 then late:addComponent("L") end
        world:addEntity(late)
        world:setResource("r", { f, entities[1] }, { rewind = true })
        world:update(0.1)
    end
    return s
end

-- All that a script can see of the world, as a text.
function scene.describe(world)
    local lines = { tostring(world:getMainCharacter()) }
    local function say(e)
        local parts = { tostring(e), e:getState(), tostring(e:isEnabled()), e:getRefCount(), tostring(e:getParent()) }
        for _, child in ipairs(e:getChildren()) do parts[#parts + 1] = tostring(child) end
        local names = e:getComponentNames()
        table.sort(names)
        for _, name in ipairs(names) do
            parts[#parts + 1] = name .. (e:isComponentEnabled(name) and "+" or "-")
            local component = e:getComponent(name)
            if component == nil then error(tostring(e) .. " has " .. name .. ", but not to read", 0) end
            if name == "A" then parts[#parts + 1] = component.x end
            if name == "B" then parts[#parts + 1] = component.s .. tostring(component.e) end
            if name == "S" then parts[#parts + 1] = tostring(component[1]) end
        end
        lines[#lines + 1] = table.concat(parts, " ")
    end
    for _, e in ipairs(world:getAllManagedEntities()) do say(e) end
    for _, e in ipairs(world:getZombies()) do say(e) end
    lines[#lines + 1] = "detached " .. world:getStats().detached
    lines[#lines + 1] = "systems " .. table.concat(world:getSystemNames(), " ")
    return table.concat(lines, "\n")
end

function scene.requireValid(world, when)
    local problems = world:validate()
    if #problems > 0 then error(when .. ": " .. problems[1], 0) end
end

-- The calls that components and systems got agree with the world.
local function requireTold(s)
    if scene.mistake then error(scene.mistake, 0) end
    local isIn = {}
    for _, e in ipairs(s.world:getAllManagedEntities()) do
        local component = e:getComponent("L")
        if component then
            isIn[component] = true
            if told[component] ~= "in" then error(tostring(e) .. " is in, and its component was told " .. tostring(told[component]), 0) end
        end
        if (s.matching[e] or false) ~= (e:isActive() and e:hasComponent("A") and e:isComponentEnabled("A")) then
            error("the system was not told of " .. tostring(e), 0)
        end
    end
    for e in pairs(s.matching) do
        if not e:isValid() or e:getState() ~= "managed" then error("the system was not told that " .. tostring(e) .. " left", 0) end
    end
end

-- Every frame that is kept is exact; then play goes on.
function scene.checkFrames(s)
    local world, rewind = s.world, s.rewind
    local oldest, newest = rewind:getOldestFrame(), rewind:getNewestFrame()
    if not oldest then return end
    for frame = oldest, newest do
        rewind:seek(frame)
        if world:stateHash() ~= rewind:frameHash(frame) then error("frame " .. frame .. " is not exact", 0) end
        scene.requireValid(world, "frame " .. frame)
        requireTold(s)
    end
    rewind:stop()
end

function scene.goOn(s, isReset)
    if s.rewind:isRewinding() then s.rewind:stop() end
    s.world:update(0.1)
    s.world:update(0.1)
    if not isReset then requireTold(s) end
    scene.checkFrames(s)
    scene.describe(s.world)
end

return scene
