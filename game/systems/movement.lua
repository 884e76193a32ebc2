-- MovementSys: turns wishes and gravity into velocities, and moves entities that fly through everything.
-- Bodies are moved by PhysicsSys.

local revenant = require "revenant"
local approach = require "approach"
local feel = require "feel"
local level = require "level"
local bolt = require "prefabs.bolt"
local burst = require "prefabs.burst"
local sound = require "sound"
local Requirement = revenant.ComponentRequirementDesc

local MovementSys = revenant.BaseSystem:extend("MovementSys")

function MovementSys:init()
    local world = self:getWorld()
    local mustHave, readOnly, without = Requirement:new(), Requirement:new(true, true), Requirement:without()
    self.players = world:getComponentsView {
        PlayerCMP = mustHave, VelocityCMP = mustHave, BodyCMP = mustHave, TransformCMP = readOnly, BoxCMP = readOnly,
    }
    self.falling = world:getComponentsView { VelocityCMP = mustHave, BodyCMP = readOnly, PlayerCMP = without }
    self.free = world:getComponentsView { TransformCMP = mustHave, VelocityCMP = readOnly, FlyerCMP = readOnly }
    self.particles = world:getComponentsView { TransformCMP = mustHave, VelocityCMP = mustHave, ParticleCMP = readOnly }
end

local function run(player, velocity, body, dt)
    local wish = player.wish
    if wish ~= 0 then
        player.facing = wish
        local rate = body.onGround and feel.groundAcceleration or feel.airAcceleration
        -- Turning round brakes first, which is quicker than running is.
        if velocity.x * wish < 0 then rate = rate + (body.onGround and feel.groundFriction or feel.airFriction) end
        velocity.x = approach(velocity.x, wish * feel.runSpeed, rate * dt)
    else
        velocity.x = approach(velocity.x, 0, (body.onGround and feel.groundFriction or feel.airFriction) * dt)
    end
end

local function jump(world, player, velocity, body, transform, box)
    velocity.y = -feel.jumpSpeed
    player.isJumping, player.buffer, player.coyote, player.squash = true, 0, 0, -0.16
    body.onGround = false
    burst.dust(world, transform.x + box.w / 2, transform.y + box.h, 4)
    sound("jump", 0.7)
end

local function fall(player, velocity, dt)
    local factor = feel.fallGravity
    if velocity.y < 0 then
        factor = feel.riseGravity
        if player.isJumping then
            if not player.isJumpHeld then
                factor = feel.cutGravity
            elseif velocity.y > -feel.apexSpeed then
                factor = feel.apexGravity
            end
        end
    else
        player.isJumping = false
        if player.isJumpHeld and velocity.y < feel.apexSpeed then factor = feel.apexGravity end
    end
    velocity.y = math.min(feel.fallSpeed, velocity.y + feel.gravity * factor * dt)
end

local function throw(world, player, transform)
    local x = transform.x + (player.facing > 0 and 8 or -4)
    bolt.spawn(world, "bolt", x, transform.y + 4, player.facing * feel.throwSpeed, 0)
    sound("shoot", 0.5)
end

local function movePlayers(world, view, dt)
    for i = 1, view.count do
        local player, velocity, body = view.PlayerCMP[i], view.VelocityCMP[i], view.BodyCMP[i]
        local transform, box = view.TransformCMP[i], view.BoxCMP[i]
        if not player.isAlive then
            velocity.x, velocity.y = 0, 0
        else
            run(player, velocity, body, dt)
            player.coyote = body.onGround and feel.coyoteSeconds or math.max(0, player.coyote - dt)
            player.squash = approach(player.squash, 0, dt)
            body.drops = player.wantsDrop
            fall(player, velocity, dt)
            if player.buffer > 0 and player.coyote > 0 then jump(world, player, velocity, body, transform, box) end
            if player.wantsThrow then throw(world, player, transform) end
        end
    end
end

-- All other bodies fall.
local function fallFreely(view, dt)
    local most, step = feel.fallSpeed, feel.gravity * dt
    for count, velocities, bodies in view:runs("VelocityCMP", "BodyCMP") do
        for i = 0, count - 1 do
            -- A body on the ground keeps the speed of one step, so that nothing changes while it lies there.
            local body, velocity = bodies[i], velocities[i]
            local speed = body.onGround and 0 or velocity.y
            velocity.y = math.min(most, speed + step * body.gravity)
        end
    end
end

local function flyFreely(view, dt)
    for i = 1, view.count do
        local transform, velocity = view.TransformCMP[i], view.VelocityCMP[i]
        transform.x, transform.y = transform.x + velocity.x * dt, transform.y + velocity.y * dt
    end
end

local function drift(view, dt)
    for count, transforms, velocities, particles in view:runs("TransformCMP", "VelocityCMP", "ParticleCMP") do
        for i = 0, count - 1 do
            local transform, velocity, particle = transforms[i], velocities[i], particles[i]
            local keep = math.max(0, 1 - particle.drag * dt)
            velocity.x = velocity.x * keep
            velocity.y = velocity.y * keep + particle.gravity * dt
            transform.x = transform.x + velocity.x * dt
            transform.y = transform.y + velocity.y * dt
        end
    end
end

function MovementSys:tick(dt)
    local world = self:getWorld()
    if not level.find(world) then return end
    movePlayers(world, self.players, dt)
    fallFreely(self.falling, dt)
    flyFreely(self.free, dt)
    drift(self.particles, dt)
end

return MovementSys
