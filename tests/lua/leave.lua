-- Leaves everything behind that a script can leave: the state is closed with a live world, a rewinding
-- history, systems, listeners, views, script components and coroutines. Runs several times.
local revenant = require "revenant"

local function fill(world)
    if not world:isComponentDefined("LeftCMP") then world:defineComponent("LeftCMP", { x = 0 }) end
    local ok = pcall(world.defineScriptComponent, world, "LeftScriptCMP", { think = function() return 1 end })
    local rewind = world:getSystem("TimeRewindSys")
    if not rewind then
        rewind = revenant.TimeRewindSys:new(world, { seconds = 10 })
        world:registerSystem(rewind)
    end
    rewind:stop()
    local Left = revenant.BaseSystem:extend("Left" .. tostring(world:getStats().reconciles))
    function Left:init() self:addComponentRequirement("LeftCMP") end
    function Left:tick()
        local view = self:getComponentsView()
        for i = 1, view.count do view.LeftCMP[i].x = view.LeftCMP[i].x + 1 end
    end
    world:registerSystem(Left:new(world))
    for _, event in ipairs { "entityAdded", "entityRemoved", "entityDestroyed", "rewindStarted" } do
        world:on(event, function() world:getStats() end)
    end
    world:setResource("left", { function() end })
    world:setRenderEnv({ 1 })
    for i = 1, 200 do
        local e = world:newEntity("left" .. i)
        e:addComponent("LeftCMP")
        if ok and i % 3 == 0 then e:addComponent("LeftScriptCMP", { n = i, other = e }) end
        world:addEntity(e)
        if i % 5 == 0 then world:newEntity("never added"):addChild(world:newEntity("child")) end
    end
    for i = 1, 50 do
        world:update(0.1)
        for _, e in ipairs(world:getAllManagedEntities()) do
            if e:getName() == "left" .. i then world:removeEntity(e) end
        end
    end
    rewind:seek(rewind:getOldestFrame() + 10)
    coroutine.wrap(function()
        world:getStats()
        coroutine.yield()
    end)()
    return rewind
end

-- The process-wide world is one state's at a time, and new to each.
local isFree, instance = pcall(revenant.World.getInstance)
if not isFree then
    assert(instance:find("another Lua state", 1, true), instance)
    instance = revenant.World:new()
elseif not known then
    known = true
    assert(not instance:isComponentDefined("LeftCMP") and instance:getTime() == 0 and instance:getTick() == 0)
    assert(#instance:getAllManagedEntities() == 0 and #instance:getSystemNames() == 0)
    assert(instance:getPrefab("left") == nil and instance:getResource("left") == nil)
end
if not instance:getPrefab("left") then instance:definePrefab("left", {}) end

kept = { fill(instance), fill(revenant.World:new()) }
local host = rawget(_G, "host")
if host then kept[3] = fill(host.getWorld()) end

-- A finalizer that runs while the state closes.
proxy = newproxy(true)
getmetatable(proxy).__gc = function()
    pcall(function() kept[1]:seek(1) end)
    pcall(function() revenant.World.getInstance():update(0.1) end)
    pcall(function() revenant.World:new() end)
    pcall(function() revenant.Entity:new("late") end)
end
