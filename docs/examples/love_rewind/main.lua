-- Star catcher: a LÖVE game of one file whose time runs backwards while R is held.
--
--     love docs/examples/love_rewind [FOLDER]     -- FOLDER: where revenant.so is; default build/release
--
-- Arrows move the moth, which catches falling stars. A caught star leaves the world; rewinding brings back
-- that same star. Nothing here saves or restores anything: the world does.

local width, height = 640, 360
local step = 1 / 60

local revenant, world, rewind
local behind = 0  -- time that is not a whole step yet

-- ---- components: plain data, so that the history can see them -----------------------------------

local function defineComponents()
    local t = revenant.types
    world:defineComponent("BodyCMP", { x = 0, y = 0, speedX = 0, speedY = 0, radius = 4 })
    world:defineComponent("StarCMP", { hue = 0, turn = 0 })
    world:defineComponent("SparkCMP", { left = 0, hue = 0 })
    world:defineComponent("MothCMP", { caught = t.i32(0), wing = 0 })
    -- What the player does comes from outside: it is not rewound.
    world:defineComponent("InputCMP", { x = 0, y = 0 })
end

-- ---- systems ------------------------------------------------------------------------------------

local function spark(x, y, hue)
    for i = 1, 14 do
        local angle, speed = world:random() * 2 * math.pi, 30 + 90 * world:random()
        local e = world:newEntity("spark")
        e:addComponent("BodyCMP", { x = x, y = y, radius = 1 + world:random() * 1.5,
            speedX = math.cos(angle) * speed, speedY = math.sin(angle) * speed })
        e:addComponent("SparkCMP", { left = 0.3 + 0.5 * world:random(), hue = hue })
        world:addEntity(e)
    end
end

local function addSystems()
    local BaseSystem = revenant.BaseSystem

    local Steering = BaseSystem:extend("SteeringSys")
    function Steering:init()
        self:addComponentRequirement("MothCMP")
        self:addComponentRequirement("BodyCMP")
        self.input = world:newEntity("input")
        self.input:addComponent("InputCMP")
        self.input:setRewindable(false)
        world:addEntity(self.input)
    end
    function Steering:tick(dt)
        local input = self.input:getComponent("InputCMP")
        local view = self:getComponentsView()
        for i = 1, view.count do
            local body, moth = view.BodyCMP[i], view.MothCMP[i]
            body.speedX = (body.speedX + input.x * 1400 * dt) * 0.93
            body.speedY = (body.speedY + input.y * 1400 * dt) * 0.93
            body.x = math.max(14, math.min(width - 14, body.x))
            body.y = math.max(14, math.min(height - 34, body.y))
            moth.wing = moth.wing + dt * (14 + 0.03 * math.abs(body.speedX))
        end
    end

    local Falling = BaseSystem:extend("FallingSys")
    function Falling:init()
        self:addComponentRequirement("StarCMP")
        self:addComponentRequirement("BodyCMP")
    end
    function Falling:tick(dt)
        if world:random() < 2.4 * dt then
            local e = world:newEntity("star")
            e:addComponent("BodyCMP", { x = 20 + world:random() * (width - 40), y = -10,
                speedX = (world:random() - 0.5) * 40, speedY = 40 + 60 * world:random(), radius = 5 + 4 * world:random() })
            e:addComponent("StarCMP", { hue = world:random() })
            world:addEntity(e)
        end
        local moth = world:getMainCharacter()
        local at = moth:getComponent("BodyCMP")
        local view = self:getComponentsView()
        for i = 1, view.count do
            local body, star = view.BodyCMP[i], view.StarCMP[i]
            star.turn = star.turn + dt * 2
            if (body.x - at.x) ^ 2 + (body.y - at.y) ^ 2 < (body.radius + 14) ^ 2 then
                world:removeEntity(view.entities[i])
                local wings = moth:getComponent("MothCMP")
                wings.caught = wings.caught + 1
                spark(body.x, body.y, star.hue)
            elseif body.y > height + 20 then
                world:removeEntity(view.entities[i])
            end
        end
    end

    local Burning = BaseSystem:extend("BurningSys")
    function Burning:init() self:addComponentRequirement("SparkCMP") end
    function Burning:tick(dt)
        local view = self:getComponentsView()
        for i = 1, view.count do
            local each = view.SparkCMP[i]
            each.left = each.left - dt
            if each.left <= 0 then world:removeEntity(view.entities[i]) end
        end
    end

    local Movement = BaseSystem:extend("MovementSys")
    function Movement:init() self:addComponentRequirement("BodyCMP") end
    function Movement:tick(dt)
        local view = self:getComponentsView()
        local bodies = view.BodyCMP
        for i = 1, view.count do
            local body = bodies[i]
            body.x, body.y = body.x + body.speedX * dt, body.y + body.speedY * dt
        end
    end

    for _, class in ipairs { Steering, Falling, Burning, Movement } do world:registerSystem(class:new(world)) end
end

-- ---- drawing ------------------------------------------------------------------------------------

local views = {}

local function openViews()
    local need = revenant.ComponentRequirementDesc
    for _, name in ipairs { "StarCMP", "SparkCMP", "MothCMP" } do
        views[name] = world:getComponentsView { BodyCMP = need:new(true, true), [name] = need:new(true, true) }
    end
end

local function colour(hue, alpha)
    local function channel(offset) return 0.62 + 0.38 * math.cos(2 * math.pi * (hue + offset)) end
    love.graphics.setColor(channel(0), channel(1 / 3), channel(2 / 3), alpha)
end

local function glow(x, y, radius, hue)
    for ring = 4, 1, -1 do
        colour(hue, 0.07 * (5 - ring))
        love.graphics.circle("fill", x, y, radius * (0.6 + ring * 0.7))
    end
end

local function drawSky()
    for band = 0, 11 do
        local part = band / 11
        love.graphics.setColor(0.03 + 0.10 * part, 0.03 + 0.06 * part, 0.10 + 0.16 * part)
        love.graphics.rectangle("fill", 0, band * height / 12, width, height / 12 + 1)
    end
    love.graphics.setColor(0.05, 0.04, 0.10)
    for hill = 0, 8 do
        love.graphics.ellipse("fill", hill * 84 - 10, height + 12, 70, 34 + 12 * math.sin(hill * 2.3))
    end
end

local function drawStars()
    local view = views.StarCMP
    love.graphics.setBlendMode("add")
    for i = 1, view.count do
        local body, star = view.BodyCMP[i], view.StarCMP[i]
        glow(body.x, body.y, body.radius, star.hue)
        local points = {}
        for k = 0, 9 do
            local reach = body.radius * (k % 2 == 0 and 1.1 or 0.5)
            local angle = star.turn + k * math.pi / 5
            points[#points + 1] = body.x + math.cos(angle) * reach
            points[#points + 1] = body.y + math.sin(angle) * reach
        end
        colour(star.hue, 1)
        for _, triangle in ipairs(love.math.triangulate(points)) do love.graphics.polygon("fill", triangle) end
    end
    view = views.SparkCMP
    for i = 1, view.count do
        local body, each = view.BodyCMP[i], view.SparkCMP[i]
        colour(each.hue, math.min(1, each.left * 2))
        love.graphics.circle("fill", body.x, body.y, body.radius)
    end
    love.graphics.setBlendMode("alpha")
end

local function drawMoth()
    local view = views.MothCMP
    for i = 1, view.count do
        local body, moth = view.BodyCMP[i], view.MothCMP[i]
        love.graphics.setBlendMode("add")
        glow(body.x, body.y, 12, 0.88)
        love.graphics.setBlendMode("alpha")
        local spread = 9 + 5 * math.sin(moth.wing)
        love.graphics.setColor(0.96, 0.90, 0.74)
        for side = -1, 1, 2 do
            love.graphics.ellipse("fill", body.x + side * spread * 0.7, body.y - 4, spread * 0.7, 8)
            love.graphics.ellipse("fill", body.x + side * spread * 0.5, body.y + 5, spread * 0.5, 5)
        end
        love.graphics.setColor(0.35, 0.25, 0.25)
        love.graphics.ellipse("fill", body.x, body.y, 2.5, 9)
        love.graphics.setColor(1, 1, 1, 0.9)
        love.graphics.print("stars " .. moth.caught, 12, 10)
    end
end

-- How much of the past is kept, and where in it we are.
local function drawTimeline()
    local oldest, newest = rewind:getOldestFrame() or 0, rewind:getNewestFrame() or 0
    local shown = rewind:getFrame() or 0
    local kept = math.max(600, newest - oldest)
    love.graphics.setColor(1, 1, 1, 0.15)
    love.graphics.rectangle("fill", 12, height - 16, width - 24, 4)
    love.graphics.setColor(0.55, 0.75, 1, 0.5)
    love.graphics.rectangle("fill", 12, height - 16, (width - 24) * (newest - oldest) / kept, 4)
    love.graphics.setColor(0.8, 0.9, 1)
    love.graphics.rectangle("fill", 12, height - 16, (width - 24) * (shown - oldest) / kept, 4)
    if rewind:isRewinding() then
        love.graphics.setColor(0.25, 0.4, 0.9, 0.25)
        love.graphics.rectangle("fill", 0, 0, width, height)
        love.graphics.setColor(0, 0, 0, 0.18)
        for y = shown % 4, height, 4 do love.graphics.rectangle("fill", 0, y, width, 1) end
        love.graphics.setColor(1, 1, 1)
        love.graphics.print("<<  " .. string.format("%.1f s", (newest - shown) * step), width - 90, 10)
    else
        love.graphics.setColor(1, 1, 1, 0.5)
        love.graphics.print("arrows: fly    R: rewind", width - 170, 10)
    end
end

-- ---- LÖVE ---------------------------------------------------------------------------------------

function love.load(arguments)
    package.cpath = (arguments[1] or "build/release") .. "/?.so;" .. package.cpath
    revenant = require "revenant"
    world = revenant.World.getInstance()
    defineComponents()
    rewind = revenant.TimeRewindSys:new(world, { seconds = 120 })
    world:registerSystem(rewind)
    addSystems()
    local moth = world:newEntity("moth")
    moth:addComponent("BodyCMP", { x = width / 2, y = height * 0.7 })
    moth:addComponent("MothCMP")
    world:addEntity(moth)
    world:setMainCharacter(moth)
    openViews()
end

function love.update(dt)
    local isDown = love.keyboard.isDown
    if isDown("r") then rewind:start() else rewind:stop() end
    local input = world:getSystem("SteeringSys").input:getComponent("InputCMP")
    input.x = (isDown("right") and 1 or 0) - (isDown("left") and 1 or 0)
    input.y = (isDown("down") and 1 or 0) - (isDown("up") and 1 or 0)
    behind = math.min(behind + dt, 0.1)
    while behind >= step * 0.999 do
        behind = behind - step
        world:update(step)
    end
end

function love.draw()
    drawSky()
    drawStars()
    drawMoth()
    drawTimeline()
end

function love.keypressed(key)
    if key == "escape" then love.event.quit() end
end
