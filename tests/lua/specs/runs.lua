local revenant = require "revenant"
local scene = require "scene"
local Desc = revenant.ComponentRequirementDesc

test("runs hand out plain arrays over all rows, in order", function()
    local world = scene.world()
    for i = 1, 300 do
        scene.spawn(world, "e" .. i, { TransformCMP = { x = i }, VelocityCMP = { x = 2 },
            HealthCMP = i % 3 == 0 and {} or nil })
    end
    world:update(0)
    local view = world:getComponentsView { TransformCMP = Desc:new(), VelocityCMP = Desc:new(true, true), HealthCMP = Desc:new(false) }
    local row = 0
    for count, transforms, velocities in view:runs("TransformCMP", "VelocityCMP") do
        for i = 0, count - 1 do
            row = row + 1
            equal(transforms[i].x, row)
            transforms[i].x = transforms[i].x + velocities[i].x
        end
    end
    equal(row, 300)
    equal(view.TransformCMP[300].x, 302)
    local present = 0
    for count, health in view:runs("HealthCMP") do
        if health ~= nil then present = present + count end
    end
    equal(present, 100)
    raises(function() view:runs() end, "columns")
    raises(function() view:runs("NopeCMP") end, "NopeCMP")
    raises(function() view:runs("entities") end, "entities")
    raises(function() view:runs(nil) end, "nil")
end)

test("loops over the same runs may be nested, and left in the middle", function()
    local world = scene.world()
    for i = 1, 10 do scene.spawn(world, "e" .. i, { TransformCMP = { x = i } }) end
    world:update(0)
    local view = world:getComponentsView(scene.require("TransformCMP"))
    local pairsSeen = 0
    for count in view:runs("TransformCMP") do
        for inner in view:runs("TransformCMP") do pairsSeen = pairsSeen + count * inner end
    end
    equal(pairsSeen, 100)
    for _ in view:runs("TransformCMP") do break end
    local rows = 0
    for count in view:runs("TransformCMP") do rows = rows + count end
    equal(rows, 10)
end)

test("runs go over any number of columns at once", function()
    local world = scene.world()
    world:defineComponent("AgeCMP", { ticks = 0 })
    local names = { "TransformCMP", "VelocityCMP", "HealthCMP", "AgeCMP" }
    for i = 1, 20 do
        scene.spawn(world, "e" .. i, { TransformCMP = { x = i }, VelocityCMP = { x = i }, HealthCMP = { points = i },
            AgeCMP = { ticks = i } })
    end
    world:update(0)
    local view = world:getComponentsView(scene.require(unpack(names)))
    local row = 0
    for count, transforms, velocities, healths, ages in view:runs(unpack(names)) do
        for i = 0, count - 1 do
            row = row + 1
            equal(transforms[i].x, row)
            equal(velocities[i].x, row)
            equal(healths[i].points, row)
            equal(ages[i].ticks, row)
        end
    end
    equal(row, 20)
    row = 0
    for count, ages, _, transforms in view:runs("AgeCMP", "HealthCMP", "TransformCMP") do
        row = row + count
        equal(ages[count - 1].ticks, transforms[count - 1].x)
    end
    equal(row, 20)
end)

test("a loop over runs in which the world is reconciled, or the view released, is told so", function()
    local world = scene.world()
    local function fill()
        for i = 1, 40 do scene.spawn(world, "e" .. i, { TransformCMP = {}, VelocityCMP = i % 2 == 0 and {} or nil }) end
        world:update(0)
    end
    fill()
    local view = world:getComponentsView { TransformCMP = Desc:new(), VelocityCMP = Desc:new(false) }
    local message = raises(function()
        for _ in view:runs("VelocityCMP") do world:update(0) end
    end, "view:runs", "inside the loop")
    check(message:find("runs.lua", 1, true), message)
    raises(function()
        for _ in view:runs("VelocityCMP") do view:release() end
    end, "view:runs", "inside the loop")
end)

test("script components have no runs", function()
    local world = scene.world()
    world:defineScriptComponent("BrainCMP")
    scene.spawn(world, "e", { BrainCMP = {} })
    local view = world:getComponentsView(scene.require("BrainCMP"))
    raises(function() view:runs("BrainCMP") end, "BrainCMP", "script component")
end)
