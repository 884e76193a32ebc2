-- AiSys: decides what walkers, flyers and shooters do. The loop over walkers is the hottest of the game: a
-- crowd of thousands goes through it each tick.

local revenant = require "revenant"
local level = require "level"
local spawnBolt = require "prefabs.bolt".spawn
local Requirement = revenant.ComponentRequirementDesc

local floor = math.floor
local size = 16

local AiSys = revenant.BaseSystem:extend("AiSys")

function AiSys:init()
    local world = self:getWorld()
    local mustHave, readOnly = Requirement:new(), Requirement:new(true, true)
    self.walkers = world:getComponentsView {
        WalkerCMP = mustHave, VelocityCMP = mustHave, TransformCMP = readOnly, BoxCMP = readOnly, BodyCMP = readOnly,
    }
    self.flyers = world:getComponentsView { FlyerCMP = mustHave, VelocityCMP = mustHave, TransformCMP = readOnly }
    self.shooters = world:getComponentsView { ShooterCMP = mustHave, TransformCMP = readOnly, SpriteCMP = mustHave }
end

-- They turn at walls and at edges.
local function walk(view, grid)
    local cells, width, height = grid.cells, grid.width, grid.height
    for count, walkers, velocities, transforms, boxes, bodies in
        view:runs("WalkerCMP", "VelocityCMP", "TransformCMP", "BoxCMP", "BodyCMP") do
        for i = 0, count - 1 do
            local walker, body = walkers[i], bodies[i]
            local direction = walker.direction
            if body.onGround then
                if body.wall == direction then
                    direction = -direction
                else
                    local transform, box = transforms[i], boxes[i]
                    local ahead = direction > 0 and transform.x + box.w + 1 or transform.x - 1
                    local column, row = floor(ahead / size), floor((transform.y + box.h + 4) / size)
                    if column >= 0 and column < width and row >= 0 and row < height then
                        local kind = cells[row * width + column]
                        if kind ~= 1 and kind ~= 2 then direction = -direction end
                    end
                end
            end
            walker.direction = direction
            velocities[i].x = direction * walker.speed
        end
    end
end

local function fly(view, dt, targetX, targetY)
    for i = 1, view.count do
        local flyer, velocity, transform = view.FlyerCMP[i], view.VelocityCMP[i], view.TransformCMP[i]
        flyer.clock = flyer.clock + dt
        local goalX = flyer.homeX + 26 * math.sin(flyer.clock * 1.3)
        local goalY = flyer.homeY + 12 * math.sin(flyer.clock * 2.6)
        local strength, most = 2.4, 70
        flyer.isChasing = false
        if targetX then
            local dx, dy = targetX - transform.x, targetY - transform.y
            local fromHomeX = targetX - flyer.homeX
            if dx * dx + dy * dy < flyer.reach * flyer.reach and math.abs(fromHomeX) < flyer.reach * 1.6 then
                goalX, goalY, strength, most = targetX, targetY, 1.6, 74
                flyer.isChasing = true
            end
        end
        local wishX, wishY = (goalX - transform.x) * strength, (goalY - transform.y) * strength
        local length = math.sqrt(wishX * wishX + wishY * wishY)
        if length > most then wishX, wishY = wishX * most / length, wishY * most / length end
        local blend = math.min(1, 4 * dt)
        velocity.x = velocity.x + (wishX - velocity.x) * blend
        velocity.y = velocity.y + (wishY - velocity.y) * blend
    end
end

local function shoot(self, view, dt, targetX, targetY)
    local world = self:getWorld()
    for i = 1, view.count do
        local shooter, transform, sprite = view.ShooterCMP[i], view.TransformCMP[i], view.SpriteCMP[i]
        shooter.clock = shooter.clock - dt
        local isNear = targetX and math.abs(targetX - transform.x) < shooter.range and math.abs(targetY - transform.y) < 140
        if shooter.clock <= 0 then
            shooter.clock = shooter.clock + shooter.period
            if isNear then
                sprite.clip, sprite.start = "shoot", world:getTime()
                local x = transform.x + (shooter.direction > 0 and 14 or -4)
                spawnBolt(world, "spit", x, transform.y + 4, shooter.direction * shooter.speed, 0)
            end
        end
    end
end

function AiSys:tick(dt)
    local world = self:getWorld()
    local map, grid = level.find(world)
    if not map then return end
    local targetX, targetY
    local player = world:getMainCharacter()
    if player and player:getComponent("PlayerCMP").isAlive then
        local transform = player:getComponent("TransformCMP")
        targetX, targetY = transform.x, transform.y
    end
    walk(self.walkers, grid)
    fly(self.flyers, dt, targetX, targetY)
    shoot(self, self.shooters, dt, targetX, targetY)
end

return AiSys
