-- Finding, counting, listing and showing what is in a world, and removing all of it.
local revenant = require "revenant"
local scene = require "scene"
local Desc = revenant.ComponentRequirementDesc

test("entities are found by name and by id", function()
    local world = scene.world()
    local first = scene.spawn(world, "coin", { TransformCMP = {} })
    local second = scene.spawn(world, "coin", {})
    world:update(0)
    same(world:findEntities("coin"), { first, second })
    check(rawequal(world:findEntity("coin"), first))
    equal(world:findEntity("nothing"), nil)
    same(world:findEntities("nothing"), {})
    local id = first:getId()
    check(rawequal(world:getEntity(id), first))
    world:removeEntity(first)
    world:update(0)
    equal(world:getEntity(id), nil)
    equal(world:findEntity("coin"), second)
    for _, wrong in ipairs { "", "1", "a.b", "99999999999.1", 7, {} } do
        raises(function() world:getEntity(wrong) end, "getEntity", "getId()")
    end
    raises(function() world:getEntity() end, "getEntity", "nil")
    raises(function() world:findEntity(3) end, "findEntity", "string", "3")
end)

test("destroyAll removes every entity, or those with a component", function()
    local world = scene.world()
    local stays = scene.spawn(world, "stays", { TransformCMP = {} })
    local goes = scene.spawn(world, "goes", { VelocityCMP = {} })
    world:update(0)
    equal(world:destroyAll("VelocityCMP"), 1)
    equal(goes:getState(), "pendingRemove")
    world:update(0)
    check(not goes:isValid())
    same(world:getAllManagedEntities(), { stays })
    equal(world:destroyAll(), 1)
    world:update(0)
    same(world:getAllManagedEntities(), {})
    raises(function() world:destroyAll("VelocityCMPX") end, "destroyAll", "VelocityCMPX")
    raises(function() world:destroyAll(1) end, "destroyAll", "string")
end)

test("destroyAll in the past is refused, or waits until play resumes", function()
    for _, way in ipairs { "raise", "defer" } do
        local world = scene.world()
        local rewind = revenant.TimeRewindSys:new(world, { inThePast = way })
        world:registerSystem(rewind)
        local e = scene.spawn(world, "e", { TransformCMP = {} })
        for _ = 1, 5 do world:update(0.1) end
        rewind:seek(2)
        if way == "raise" then
            raises(function() world:destroyAll() end, "destroyAll", "'e'", "stop rewinding")
        else
            equal(world:destroyAll(), 0)
        end
        equal(e:getState(), "managed")
        rewind:stop()
        world:update(0.1)
        world:update(0.1)
        equal(e:getState(), way == "raise" and "managed" or "zombie")
    end
end)

test("component types are listed and counted, script components, too", function()
    local world = scene.world()
    world:defineScriptComponent("BrainCMP")
    scene.spawn(world, "a", { TransformCMP = {}, BrainCMP = {} })
    scene.spawn(world, "b", { TransformCMP = {} })
    equal(world:countComponents("TransformCMP"), 2)
    equal(world:countComponents("BrainCMP"), 1)
    local counts = {}
    for _, info in ipairs(world:getComponentTypes()) do
        counts[info.name] = info.count
        check(info.bytes >= info.count * info.size)
        if info.name == "BrainCMP" then equal(info.fields, 0) end
        if info.name == "TransformCMP" then equal(info.fields, #world:getSchema("TransformCMP")) end
    end
    equal(counts.TransformCMP, 2)
    equal(counts.BrainCMP, 1)
    raises(function() world:countComponents("BrianCMP") end, "countComponents", "BrianCMP")
end)

test("dump shows an entity as text, what its script components hold, too", function()
    local world = scene.world()
    world:defineComponent("NoteCMP", { text = "", count = 0 })
    world:defineScriptComponent("BrainCMP")
    local e = scene.spawn(world, "thinker", { NoteCMP = { text = "hello", count = 3 }, BrainCMP = { mood = "calm" } })
    world:update(0)
    local text = e:dump()
    for _, piece in ipairs { "'thinker'", "managed", "NoteCMP", 'text = "hello"', "count = 3", "BrainCMP", "mood", "calm" } do
        check(text:find(piece, 1, true), "dump does not show " .. piece .. ":\n" .. text)
    end
    world:removeEntity(e)
    world:update(0)
    check(e:dump():find("destroyed", 1, true))
    raises(function() e.dump(3) end, "dump", "entity")
end)

test("requirements by name are those of the flags", function()
    equal(tostring(Desc.mustHave()), tostring(Desc:new(true)))
    equal(tostring(Desc:mustHave("readOnly")), tostring(Desc:new(true, true)))
    equal(tostring(Desc.optional("readOnly")), tostring(Desc:new(false, true)))
    equal(tostring(Desc:optional("readWrite")), tostring(Desc:new(false)))
    raises(function() Desc.mustHave("readonly") end, "mustHave", "readOnly", "readonly")
    raises(function() Desc.optional(true) end, "optional", "readOnly", "true")
    local world = scene.world()
    local view = world:getComponentsView { TransformCMP = Desc.mustHave("readOnly") }
    check(view == world:getComponentsView { TransformCMP = Desc:new(true, true) })
end)
