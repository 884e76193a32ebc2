-- Many worlds in one Lua state: memory that LuaJIT never frees must not grow with them.
local revenant = require "revenant"
local t = revenant.types
local Desc = revenant.ComponentRequirementDesc

test("C types belong to a layout: thousands of live worlds share them", function()
    local worlds = {}
    for i = 1, 3000 do
        local world = revenant.World:new()
        world:defineComponent("BodyCMP", { x = 0, y = t.f32(0), id = t.i64(0), path = t.array(t.i32(0), 4) })
        world:defineScriptComponent("BrainCMP")
        world:definePrefab("thing", { components = { BodyCMP = { x = i } } })
        local e = world:spawn("thing")
        e:addComponent("BrainCMP", { i })
        local view = world:getComponentsView { BodyCMP = Desc:new(), BrainCMP = Desc:new(true, true) }
        world:update(0)
        equal(view.BodyCMP[1].x, i)
        equal(view.BrainCMP[1][1], i)
        check(view.entities[1] == e)
        equal(e:getComponent("BodyCMP").path[4], 0)
        equal(view:display("BodyCMP")[1].x, i)
        equal(world:query():with("BodyCMP"):count(), 1)
        worlds[i] = { world = world, entity = e, view = view }
    end
    for i = 1, 3000, 500 do equal(worlds[i].view.BodyCMP[1].x, i) end
end)

test("two worlds that define a component alike keep their entities, strings and defaults apart", function()
    local made = {}
    for i = 1, 2 do
        local world = revenant.World:new()
        if i == 2 then
            world:defineComponent("OtherCMP", { x = 1 })
            world:newEntity("so that indices differ")
            world:newEntity("x"):addComponent("OtherCMP")
        end
        world:defineComponent("NoteCMP", { text = "of world " .. i, about = t.entity(), size = i * 10 })
        local e = world:newEntity("e" .. i)
        e:addComponent("NoteCMP", { about = e })
        world:addEntity(e)
        world:update(0)
        made[i] = { world = world, entity = e, view = world:getComponentsView { NoteCMP = Desc:new() } }
    end
    for i, each in ipairs(made) do
        for _, note in ipairs { each.entity:getComponent("NoteCMP"), each.view.NoteCMP[1] } do
            equal(note.text, "of world " .. i)
            equal(note.size, i * 10)
            check(rawequal(note.about, each.entity))
        end
        raises(function() each.entity:getComponent("NoteCMP").about = made[3 - i].entity end, "same world")
    end
end)
