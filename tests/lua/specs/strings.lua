-- Strings that nothing needs any more are given back; those that something needs stay what they are.

local revenant = require "revenant"
local types = revenant.types

local function labelWorld()
    local world = revenant.World:new()
    world:defineComponent("LabelCMP", { text = "default", list = types.array(types.string(""), 2) })
    return world
end

local function passMany(world, entity, count)
    for i = 1, count do
        entity:getComponent("LabelCMP").text = "passing " .. i
        if i % 50 == 0 then world:update(0.01) end
    end
end

test("names and values that come and go leave no strings behind", function()
    local world = labelWorld()
    local writer = world:newEntity("writer")
    writer:addComponent("LabelCMP")
    world:addEntity(writer)
    for i = 1, 20000 do
        local e = world:newEntity("name " .. i)
        e:addComponent("LabelCMP", { text = "initial " .. i })
        world:addEntity(e)
        writer:getComponent("LabelCMP").text = "value " .. i
        world:update(0.01)
        check(writer:getComponent("LabelCMP").text == "value " .. i, "a value reads as another")
        check(e:getName() == "name " .. i)
        world:removeEntity(e)
    end
    check(world:getStats().strings < 8000, "there are " .. world:getStats().strings .. " strings")
end)

test("defaults and templates keep their strings", function()
    local world = labelWorld()
    world:definePrefab("sign", { components = { LabelCMP = { text = "on a sign", list = { "one", "two" } } } })
    local writer = world:newEntity("writer")
    writer:addComponent("LabelCMP")
    world:addEntity(writer)
    passMany(world, writer, 8000)
    local sign = world:spawn("sign")
    check(sign:getComponent("LabelCMP").text == "on a sign")
    check(sign:getComponent("LabelCMP").list[2] == "two")
    local plain = world:newEntity("plain")
    plain:addComponent("LabelCMP")
    check(plain:getComponent("LabelCMP").text == "default")
end)

test("strings of the past come back with it", function()
    local world = labelWorld()
    local rewind = revenant.TimeRewindSys:new(world, { seconds = 60 })
    world:registerSystem(rewind)
    local writer = world:newEntity("writer")
    writer:addComponent("LabelCMP", { text = "first" })
    world:addEntity(writer)
    world:update(0.01)
    passMany(world, writer, 8000)
    for frame = 1, rewind:getNewestFrame(), 13 do
        rewind:seek(frame)
        check(world:stateHash() == rewind:frameHash(frame), "frame " .. frame)
    end
    rewind:seek(1)
    check(writer:getComponent("LabelCMP").text == "first")
end)
