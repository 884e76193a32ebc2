-- Script components with a base, and native components with methods.
local revenant = require "revenant"
local scene = require "scene"
local Desc = revenant.ComponentRequirementDesc

local function drawables()
    local world = scene.world()
    local Drawable = { kind = "drawable" }
    Drawable.__index = Drawable
    local Circle = setmetatable({ kind = "circle" }, { __index = Drawable })
    Circle.__index = Circle
    local Ring = setmetatable({ kind = "ring" }, { __index = Circle })
    Ring.__index = Ring
    world:defineScriptComponent("DrawableCMP", Drawable)
    world:defineScriptComponent("CircleCMP", Circle, { base = "DrawableCMP" })
    world:defineScriptComponent("RingCMP", Ring, { base = "CircleCMP" })
    local rewind = revenant.TimeRewindSys:new(world)
    world:registerSystem(rewind)
    return world, rewind
end

test("asking for the base finds the derived component: getComponent, hasComponent, views, queries", function()
    local world = drawables()
    local view = world:getComponentsView { DrawableCMP = Desc:new() }
    local circles = world:getComponentsView { CircleCMP = Desc:new() }
    local plain, circle, ring = scene.spawn(world, "plain"), scene.spawn(world, "circle"), scene.spawn(world, "ring")
    plain:addComponent("DrawableCMP")
    local c = circle:addComponent("CircleCMP", { r = 1 })
    local r = ring:addComponent("RingCMP")
    world:update(0.1)
    check(rawequal(circle:getComponent("DrawableCMP"), c))
    check(rawequal(ring:getComponent("DrawableCMP"), r) and rawequal(ring:getComponent("CircleCMP"), r))
    check(circle:hasComponent("DrawableCMP") and not circle:hasComponent("RingCMP"))
    equal(plain:getComponent("CircleCMP"), nil)
    equal(view.count, 3)
    same({ view.DrawableCMP[1].kind, view.DrawableCMP[2].kind, view.DrawableCMP[3].kind }, { "drawable", "circle", "ring" })
    equal(circles.count, 2)
    equal(world:query():with("DrawableCMP"):count(), 3)
    equal(world:query():with("DrawableCMP"):without("CircleCMP"):first(), plain)
end)

test("an entity has one component of a family at most, and it goes as a whole", function()
    local world = drawables()
    local e = scene.spawn(world, "e")
    e:addComponent("CircleCMP")
    for _, name in ipairs { "DrawableCMP", "CircleCMP", "RingCMP" } do
        raises(function() e:addComponent(name) end, "'e'", "already has component")
    end
    world:update(0.1)
    local view = world:getComponentsView { DrawableCMP = Desc:new() }
    e:setComponentEnabled("DrawableCMP", false)
    check(not e:isComponentEnabled("CircleCMP"))
    world:update(0.1)
    equal(view.count, 0)
    e:setComponentEnabled("CircleCMP", true)
    world:update(0.1)
    equal(view.count, 1)
    e:removeComponent("DrawableCMP")
    check(not e:hasComponent("CircleCMP"))
    e:addComponent("RingCMP")
    e:removeComponent("CircleCMP")
    check(not e:hasComponent("RingCMP") and not e:hasComponent("DrawableCMP"))
    world:update(0.1)
    equal(#world:validate(), 0)
end)

test("families are rewound, whole and exactly", function()
    local world, rewind = drawables()
    local e = scene.spawn(world, "e")
    local hashes, tables = {}, {}
    for i = 1, 40 do
        world:update(0.1)
        hashes[rewind:getFrame()] = world:stateHash()
        equal(rewind:frameHash(rewind:getFrame()), world:stateHash())
        tables[rewind:getFrame()] = e:getComponent("DrawableCMP") or false
        local drawable = e:getComponent("DrawableCMP")
        if drawable then drawable.n = i end
        if i % 7 == 0 then e:addComponent(i % 2 == 0 and "RingCMP" or "CircleCMP", { n = 0 }) end
        if i % 7 == 5 and drawable then e:removeComponent("DrawableCMP") end
    end
    for _, frame in ipairs { 30, 3, 22, 9, 40, 13, 1, 36 } do
        rewind:seek(frame)
        equal(world:stateHash(), hashes[frame], "frame " .. frame)
        check(rawequal(e:getComponent("DrawableCMP") or false, tables[frame]), "frame " .. frame)
    end
end)

test("a base must be a script component that is defined", function()
    local world = drawables()
    raises(function() world:defineScriptComponent("X", nil, { base = "NoCMP" }) end, "'X'", "NoCMP")
    raises(function() world:defineScriptComponent("X", nil, { base = "TransformCMP" }) end, "TransformCMP", "script component")
    raises(function() world:defineScriptComponent("X", nil, { base = 3 }) end, "base")
    raises(function() world:defineScriptComponent("X", nil, { rewind = 3 }) end, "rewind")
    raises(function() world:defineScriptComponent("X", nil, { bse = "DrawableCMP" }) end, "bse")
    equal(world:isComponentDefined("X"), false)
end)

test("rewind = false: the history never looks at the tables", function()
    local world = scene.world()
    local looked = 0
    local Sound = { getRewindState = function() looked = looked + 1 end, restoreRewindState = function() looked = looked + 1 end }
    Sound.__index = Sound
    world:defineScriptComponent("SoundCMP", Sound, { rewind = false })
    local rewind = revenant.TimeRewindSys:new(world)
    world:registerSystem(rewind)
    local e = scene.spawn(world, "e", { TransformCMP = {} })
    local sound = e:addComponent("SoundCMP", { file = print, n = 0 })
    local hashes = {}
    for i = 1, 5 do
        world:update(0.1)
        sound.n = i
        hashes[rewind:getFrame()] = world:stateHash()
    end
    rewind:seek(2)
    equal(sound.n, 5)
    equal(looked, 0)
    equal(world:stateHash(), hashes[2])
    check(rawequal(e:getComponent("SoundCMP"), sound))
end)

test("a native component may have methods, in handles, columns and read-only columns", function()
    local world = scene.world()
    local Mover = {}
    function Mover:move(dt) self.x = self.x + self.speed * dt end
    function Mover:where() return self.x end
    local Base = { hello = function(self) return "hello " .. self.x end }
    setmetatable(Mover, { __index = Base })
    world:defineComponent("MoverCMP", { x = 0, speed = 1 }, { methods = Mover })
    local e = scene.spawn(world, "e")
    local mover = e:addComponent("MoverCMP", { speed = 2 })
    mover:move(1)
    equal(mover:where(), 2)
    equal(mover:hello(), "hello 2")
    world:update(0.1)
    local view = world:getComponentsView { MoverCMP = Desc:new() }
    local readOnly = world:getComponentsView { MoverCMP = Desc:new(true, true) }
    for _ = 1, 200 do view.MoverCMP[1]:move(0.5) end
    equal(readOnly.MoverCMP[1]:where(), 202)
    raises(function() readOnly.MoverCMP[1]:move(1) end, "read-only")
    raises(function() return mover.mvoe end, "mvoe")
    raises(function() mover.move = 3 end, "move")
    raises(function() world:defineComponent("A", { x = 0 }, { methods = { x = print } }) end, "'x' is a field")
    raises(function() world:defineComponent("A", { x = 0 }, { methods = { onAdded = print } }) end, "onAdded", "script component")
    raises(function() world:defineComponent("A", { x = 0 }, { methods = 3 }) end, "methods")
    -- Another world may give the same layout other methods.
    local other = revenant.World:new()
    other:defineComponent("MoverCMP", { x = 0, speed = 1 }, { methods = { where = function() return "elsewhere" end } })
    equal(other:newEntity("o"):addComponent("MoverCMP"):where(), "elsewhere")
    equal(mover:where(), 202)
end)
