-- Script components with lists, and lists as script components.
local scene = require "scene"

test("lists with holes are recorded alike however Lua keeps them", function()
    local world, rewind = scene.rewindWorld()
    world:defineScriptComponent("BagCMP")
    local bag = scene.spawn(world, "e"):addComponent("BagCMP", {})
    local built = { 1, 2, nil, 4, [7] = 7, [0] = 0, [-1] = -1, [1.5] = "half" }
    local grown = {}
    for _, key in ipairs { 7, 4, 2, 1, 0, -1, 1.5 } do grown[key] = built[key] end
    bag.list = built
    world:update(0.1)
    local hash = world:stateHash()
    bag.list = grown
    equal(world:stateHash(), hash)
    bag.list = {}
    world:update(0.1)
    rewind:step(-1)
    for key, value in pairs(built) do equal(bag.list[key], value) end
    equal(world:stateHash(), hash)
end)

-- A component that is a list kept what was appended since.
test("a component that is a list has exactly the elements of its frame", function()
    local world, rewind = scene.rewindWorld()
    world:defineScriptComponent("ListCMP")
    local list = scene.spawn(world, "e"):addComponent("ListCMP", { "a", "b" })
    world:update(0.1)
    local hash = world:stateHash()
    list[3], list.n, list[2] = "c", 3, nil
    world:update(0.1)
    rewind:step(-1)
    same(list, { "a", "b" })
    equal(list.n, nil)
    equal(world:stateHash(), hash)
    rewind:step(1)
    equal(list[1], "a")
    equal(list[2], nil)
    equal(list[3], "c")
    equal(list.n, 3)
end)
