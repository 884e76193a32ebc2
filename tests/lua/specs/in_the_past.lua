-- Structural calls while a past frame is shown, and objects moved between two frames.
local revenant = require "revenant"
local scene = require "scene"

local function pastWorld(options)
    local world = scene.world()
    local rewind = revenant.TimeRewindSys:new(world, options)
    world:registerSystem(rewind)
    local e = scene.spawn(world, "e", { TransformCMP = {} })
    for _ = 1, 5 do world:update(0.1) end
    rewind:seek(2)
    return world, rewind, e
end

test("what is refused in the past names the ways out", function()
    local world, rewind, e = pastWorld()
    local new = world:newEntity("effect")
    for _, call in ipairs {
        function() new:addComponent("TransformCMP") end,
        function() world:addEntity(new) end,
        function() e:addComponent("VelocityCMP") end,
        function() world:removeEntity(e) end,
    } do
        raises(call, "setRewindable(false)", "inThePast", "stop rewinding")
    end
    raises(function() world:addEntity(new) end, "'effect'", "would become part of it")
    raises(function() world:removeEntity(e) end, "'e'", "is part of it")
    new:setRewindable(false)
    new:addComponent("TransformCMP")
    world:addEntity(new)
    world:update(0)
    equal(new:getState(), "managed")
    rewind:stop()
end)

test("with inThePast = 'defer' structural calls take effect when play resumes", function()
    local world, rewind, e = pastWorld { inThePast = "defer" }
    world:defineScriptComponent("BrainCMP")
    world:definePrefab("spark", { components = { TransformCMP = { x = 9 } } })
    local new = world:newEntity("effect")
    new:addComponent("TransformCMP", { x = 0 }).x = 3  -- one that was never added may be built at once
    new:addChild(world:newEntity("glow"))
    world:addEntity(new)
    equal(e:addComponent("VelocityCMP", { x = 4 }), nil)
    local brain = { n = 1 }
    check(rawequal(e:addComponent("BrainCMP", brain), brain))
    local spark = world:spawn("spark")
    local many = world:spawnMany("spark", 3)
    local child = world:newEntity("child")
    e:addChild(child)
    world:update(0)
    equal(new:getState(), "detached")
    check(not e:hasComponent("VelocityCMP"))
    equal(#world:getAllManagedEntities(), 1)
    rewind:seek(3)
    rewind:seek(1)
    rewind:stop()
    world:update(0.1)
    equal(new:getState(), "managed")
    equal(e:getComponent("VelocityCMP").x, 4)
    check(rawequal(e:getComponent("BrainCMP"), brain))
    equal(spark:getState(), "managed")
    equal(many[3]:getState(), "managed")
    equal(child:getParent(), e)
    equal(#world:getAllManagedEntities(), 8)
    -- A call that is no longer possible is reported; the others are made.
    local gone
    for _ = 1, 3 do world:update(0.1) end
    gone = scene.spawn(world, "gone")
    for _ = 1, 3 do world:update(0.1) end
    rewind:seek(rewind:getNewestFrame() - 1)
    world:removeEntity(gone)
    e:setEnabled(false)
    rewind:seek(rewind:getNewestFrame() - 5)
    raises(function() rewind:stop() end, "waited for play to resume")
    check(not rewind:isRewinding())
    world:update(0.1)
    equal(e:isEnabled(), false)
    raises(function() revenant.TimeRewindSys:new(revenant.World:new(), { inThePast = "later" }) end, "inThePast", "later")
end)

test("setApplyBlend moves objects between two frames, and back", function()
    local world = scene.world()
    local rewind = revenant.TimeRewindSys:new(world)
    world:registerSystem(rewind)
    local bodies = {}
    local Body = { rewindIgnore = { "handle" } }
    Body.__index = Body
    function Body:getRewindState() return { x = bodies[self.handle] } end
    function Body:restoreRewindState(state) bodies[self.handle] = state.x end
    function Body:lerpRewindState(a, b, part) bodies[self.handle] = a.x + (b.x - a.x) * part end
    world:defineScriptComponent("BodyCMP", Body)
    scene.spawn(world, "e"):addComponent("BodyCMP", { handle = "h" })
    bodies.h = 0
    local hashes = {}
    for _ = 1, 10 do
        world:update(0.125)
        hashes[rewind:getFrame()] = world:stateHash()
        bodies.h = bodies.h + 8
    end
    rewind:setSpeed(0.5)
    rewind:start()
    world:update(0.125)
    equal(bodies.h, 64)  -- exact, without it
    rewind:setApplyBlend(true)
    equal(rewind:getApplyBlend(), true)
    local seen = {}
    for _ = 1, 4 do
        world:update(0.125)
        seen[#seen + 1] = bodies.h
    end
    same(seen, { 64, 60, 56, 52 })
    rewind:stop()
    equal(bodies.h, 48)
    equal(world:stateHash(), hashes[rewind:getFrame()])
    world:update(0.125)
    rewind:start()
    rewind:setSpeed(0.25)
    world:update(0.125)
    rewind:seek(3)
    equal(bodies.h, 16)
    equal(world:stateHash(), hashes[3])
    raises(function() rewind:setApplyBlend(3) end, "setApplyBlend")
    function Body.lerpRewindState() error("will not move") end
    raises(function() world:update(0.125) end, "will not move")
end)

-- The frame from which play resumes repeats the requests of its listeners: here, to remove an entity that has got a child since.
test("what is attached after a resume leaves with a parent that the frame removes", function()
    for _, way in ipairs { "after stop", "deferred", "another root" } do
        local world = revenant.World:new()
        local rewind = world:registerSystem(revenant.TimeRewindSys:new(world, { seconds = 60, inThePast = "defer" }))
        local parent, root, last = world:newEntity("parent"), world:newEntity("root"), world:newEntity("last")
        world:addEntity(parent)
        world:addEntity(root)
        world:update(0.1)
        world:on("entityAdded", function(e)
            if e == last then world:removeEntity(parent) end
        end)
        world:addEntity(last)
        world:update(0.1)
        local frame = rewind:getFrame()
        for _ = 1, 2 do world:update(0.1) end
        equal(parent:getState(), "zombie")
        rewind:seek(frame)
        local child = way == "another root" and root or world:newEntity("child")
        child:addChild(world:newEntity("leaf"))
        if way == "deferred" then parent:addChild(child) end
        rewind:stop()
        if way ~= "deferred" then parent:addChild(child) end
        for _ = 1, 3 do
            world:update(0.1)
            equal(world:validate()[1], nil, way)
        end
        equal(parent:getState(), "zombie", way)
        check(child:getState() ~= "managed" and #world:getAllManagedEntities() == (way == "another root" and 1 or 2), way)
        rewind:seek(frame)
        equal(world:stateHash(), rewind:frameHash(frame), way)
        equal(world:validate()[1], nil, way)
        equal(rewind:validate()[1], nil, way)
    end
end)
