-- Wrecking yard: love.physics in a world whose time runs backwards while R is held.
--
--     love docs/examples/love_physics [FOLDER]     -- FOLDER: where revenant.so is; default build/release
--
-- A ball swings into a tower; crates that are hit hard break. Space cuts the rope. Rewinding puts the same bodies
-- back: Box2D's objects are never made anew, except for the joint.

local width, height = 640, 360
local step = 1 / 60
local hardHit = 260

local revenant, world, rewind, physics, rope
local behind = 0  -- time that is not a whole step yet

-- ---- entities -----------------------------------------------------------------------------------

local function spawn(bodies, name, kind, x, y, shape, options)
    local e = world:newEntity(name)
    e:addComponent("BodyCMP", bodies.Body.new(physics, kind, x, y, shape, options))
    e:addComponent("LookCMP", { hue = world:random() })
    world:addEntity(e)
    return e
end

local function build(bodies)
    spawn(bodies, "ground", "static", width / 2, height - 10, love.physics.newRectangleShape(width * 3, 20))
    for column = 0, 3 do
        for row = 0, 6 do
            spawn(bodies, "crate", "dynamic", 420 + column * 30, height - 35 - row * 30, love.physics.newRectangleShape(28, 28))
        end
    end
    local hook = spawn(bodies, "hook", "static", 300, 30, love.physics.newCircleShape(5))
    local ball = spawn(bodies, "ball", "dynamic", 70, 60, love.physics.newCircleShape(22), { density = 6, restitution = 0.3 })
    rope = world:newEntity("rope")
    rope:addComponent("RopeCMP", bodies.Rope.new(hook, ball, 240))
    world:addEntity(rope)
    world:setMainCharacter(ball)
end

-- ---- systems ------------------------------------------------------------------------------------

-- Contacts are reported as whatever table suits: here with the impulse. While a past frame is shown, this does nothing.
local function reportContact(a, b, _, impulse)
    world:recordCollisionEvent { first = a:getUserData(), second = b:getUserData(), impulse = impulse }
end

local function addSystems()
    world:registerSystem { name = "PhysicsSys", tick = function(_, dt) physics:update(dt) end }
    local breaking = { name = "BreakingSys" }
    function breaking:tick()
        for _, event in ipairs(world:getCollisionEvents()) do
            for _, each in ipairs { event.first, event.second } do
                if event.impulse > hardHit and each:getName() == "crate" then world:removeEntity(each) end
            end
        end
    end
    world:registerSystem(breaking)
end

-- ---- LÖVE ---------------------------------------------------------------------------------------

function love.load(arguments)
    package.cpath = (arguments[1] or "build/release") .. "/?.so;" .. package.cpath
    revenant = require "revenant"
    local source = love.filesystem.getSource()
    local bodies = dofile((rawget(_G, "exampleFolder") or source) .. "/bodies.lua")
    love.physics.setMeter(30)
    physics = love.physics.newWorld(0, 9.81 * 30, true)
    physics:setCallbacks(nil, nil, nil, reportContact)
    world = revenant.World.getInstance()
    world:defineScriptComponent("BodyCMP", bodies.Body)
    world:defineScriptComponent("RopeCMP", bodies.Rope, { rewind = false })
    world:defineComponent("LookCMP", { hue = 0 })
    rewind = revenant.TimeRewindSys:new(world, { seconds = 120 })
    rewind:setApplyBlend(true)
    rewind:setSpeed(1.5)
    world:registerSystem(rewind)
    build(bodies)
    addSystems()
end

function love.update(dt)
    behind = math.min(behind + dt, 5 * step)
    while behind >= step - 1e-9 do
        behind = behind - step
        local isHeld = love.keyboard.isDown("r")
        if isHeld and not rewind:isRewinding() then rewind:start() end
        if not isHeld and rewind:isRewinding() then rewind:stop() end
        world:update(step)
    end
end

function love.keypressed(key)
    if key == "space" and not rewind:isRewinding() and rope:getState() == "managed" then world:removeEntity(rope) end
    if key == "escape" then love.event.quit() end
    if key == "f5" then love.event.quit("restart") end
end

local function drawBody(e)
    local part, look = e:getComponent("BodyCMP"), e:getComponent("LookCMP")
    local body, shape = part.body, part.fixture:getShape()
    local name = e:getName()
    if name == "ground" then love.graphics.setColor(0.20, 0.17, 0.22)
    elseif name == "crate" then
        local light = (body:isAwake() and 0.95 or 0.7) - 0.25 * look.hue
        love.graphics.setColor(light, light * 0.68, light * 0.36)
    else love.graphics.setColor(0.32, 0.34, 0.42) end
    if shape:getType() == "circle" then
        love.graphics.circle("fill", body:getX(), body:getY(), shape:getRadius())
        love.graphics.setColor(1, 1, 1, 0.25)
        love.graphics.line(body:getX(), body:getY(), body:getWorldPoint(shape:getRadius(), 0))
    else
        love.graphics.polygon("fill", body:getWorldPoints(shape:getPoints()))
        love.graphics.setColor(0, 0, 0, 0.35)
        love.graphics.polygon("line", body:getWorldPoints(shape:getPoints()))
    end
end

function love.draw()
    love.graphics.clear(0.72, 0.80, 0.86)
    if rope:getState() == "managed" and rope:getComponent("RopeCMP").joint then
        love.graphics.setColor(0.25, 0.22, 0.2)
        love.graphics.line(rope:getComponent("RopeCMP").joint:getAnchors())
    end
    for _, e in ipairs(world:getActiveEntities()) do
        if e:hasComponent("BodyCMP") then drawBody(e) end
    end
    if rewind:isRewinding() then
        love.graphics.setColor(0.2, 0.3, 0.8, 0.25)
        love.graphics.rectangle("fill", 0, 0, width, height)
        love.graphics.setColor(1, 1, 1)
        love.graphics.print("<< rewinding, frame " .. rewind:getFrame(), 12, 10)
    else
        love.graphics.setColor(0.1, 0.1, 0.15)
        love.graphics.print("space: cut the rope   R: rewind", 12, 10)
    end
end
