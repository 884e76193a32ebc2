local revenant = require "revenant"
local scene = require "scene"
local Desc, EMPTY = revenant.ComponentRequirementDesc, revenant.ComponentsView.EMPTY

test("a loop over a view of 10k entities allocates nothing", function()
    if revenant.isValidating then return end  -- there, rows are checked objects
    local world = scene.world()
    -- Without side traces, what leaves the loop goes on in the interpreter, which allocates (docs/platforms.md): then all rows
    -- take one way.
    local hasSideTraces = jit.arch ~= "arm64" or jit.version_num >= 20199
    for i = 1, 10000 do
        local health = (i % 2 == 0 or not hasSideTraces) and {} or nil
        scene.spawn(world, "e", { TransformCMP = { x = i }, VelocityCMP = { x = 1 }, HealthCMP = health })
    end
    world:update(0)
    local view = world:getComponentsView { TransformCMP = Desc:new(), VelocityCMP = Desc:new(true, true), HealthCMP = Desc:new(false) }
    local transforms, velocities, healths, entities = view.TransformCMP, view.VelocityCMP, view.HealthCMP, view.entities
    local function loop()
        local hurt = 0
        for i = 1, view.count do
            local transform, velocity, health = transforms[i], velocities[i], healths[i]
            transform.x = transform.x + velocity.x * 0.1
            transform.y = transform.y + velocity.y * 0.1
            if health ~= EMPTY then hurt = hurt + health.points end
        end
        return hurt
    end
    local function named()
        local sum = 0
        for i = 1, view.count do
            if entities[i] ~= nil then sum = sum + 1 end
        end
        return sum
    end
    for _ = 1, 30 do
        loop()
        named()
    end
    collectgarbage()
    collectgarbage("stop")
    -- Once the compiler is done with it: its traces are garbage, too.
    local least = math.huge
    for _ = 1, 5 do
        local before = collectgarbage("count")
        loop()
        named()
        least = math.min(least, collectgarbage("count") - before)
    end
    collectgarbage("restart")
    equal(least, 0)
end)

test("ticks with a system leave no garbage in proportion to the entities", function()
    if revenant.isValidating then return end
    jit.flush()  -- the specs before this one have filled the compiler's memory, and it would make room in the middle
    local world = scene.world()
    for i = 1, 10000 do scene.spawn(world, "e", { TransformCMP = { x = i }, VelocityCMP = { x = 1 } }) end
    local Movement = revenant.BaseSystem:extend("Movement")
    function Movement:init()
        self:addComponentRequirement("TransformCMP")
        self:addComponentRequirement("VelocityCMP", true, true)
        self.runs = false
    end
    function Movement:tick(dt)
        local view = self:getComponentsView()
        local transforms, velocities = view.TransformCMP, view.VelocityCMP
        for i = 1, view.count do transforms[i].x = transforms[i].x + velocities[i].x * dt end
        for count, t, v in view:runs("TransformCMP", "VelocityCMP") do
            for i = 0, count - 1 do t[i].y = t[i].y + v[i].y * dt end
        end
    end
    world:registerSystem(Movement:new(world))
    for _ = 1, 30 do world:update(0.1) end
    collectgarbage()
    collectgarbage("stop")
    local before = collectgarbage("count")
    for _ = 1, 10 do world:update(0.1) end
    local grown = collectgarbage("count") - before
    collectgarbage("restart")
    check(grown < 16, "ten ticks left " .. grown .. " KiB behind")
end)

test("a world that churns does not grow", function()
    local world = scene.world()
    world:defineScriptComponent("BrainCMP")
    local function churn(frames)
        local alive = {}
        for frame = 1, frames do
            for i = 1, 20 do
                if alive[i] then world:removeEntity(alive[i]) end
                alive[i] = scene.spawn(world, "e", { TransformCMP = {}, BrainCMP = { plan = { 1, 2, 3 } } })
            end
            world:update(0)
            if frame % 10 == 0 then collectgarbage() end
        end
        for _, e in ipairs(alive) do world:removeEntity(e) end
        alive = nil
        for _ = 1, 4 do
            collectgarbage()
            world:update(0)
        end
        collectgarbage()
        return collectgarbage("count")
    end
    churn(50)
    local before = churn(50)
    local after = churn(100)
    check(after < before + 200, "from " .. before .. " to " .. after .. " KiB")
end)
