-- AnimationSys: which clip shows what an actor does. A clip is written down with the time it began, so
-- that a frame follows from the two and nothing changes while it plays.

local revenant = require "revenant"
local burst = require "prefabs.burst"
local sound = require "sound"
local Requirement = revenant.ComponentRequirementDesc

local AnimationSys = revenant.BaseSystem:extend("AnimationSys")

function AnimationSys:init()
    local world = self:getWorld()
    local mustHave, readOnly = Requirement:new(), Requirement:new(true, true)
    self.players = world:getComponentsView {
        SpriteCMP = mustHave, PlayerCMP = mustHave, VelocityCMP = readOnly, BodyCMP = readOnly,
        TransformCMP = readOnly, BoxCMP = readOnly,
    }
    self.walkers = world:getComponentsView { SpriteCMP = mustHave, WalkerCMP = readOnly }
    self.flyers = world:getComponentsView { SpriteCMP = mustHave, FlyerCMP = readOnly, VelocityCMP = readOnly }
end

local function play(sprite, clip, time)
    if sprite.clip ~= clip then sprite.clip, sprite.start = clip, time end
end

local function clipOf(player, velocity, body)
    if player.thrown > 0 then return "throw" end
    if not body.onGround then
        if player.squash < -0.02 then return "stretch" end
        return velocity.y < -30 and "jump" or velocity.y < 60 and "float" or "fall"
    end
    if body.isPushing then return "push" end
    if player.wish ~= 0 and math.abs(velocity.x) > 12 then return player.wish * velocity.x < 0 and "skid" or "run" end
    if player.squash > 0.02 then return "squash" end
    return math.abs(velocity.x) > 40 and "skid" or "idle"
end

-- Landing squashes the sprite.
local function land(world, view)
    for _, event in ipairs(world:getCollisionEvents()) do
        if (event.normalY or 0) < 0 and event.first:hasComponent("PlayerCMP") then
            local row = view:rowOf(event.first)
            if row and view.PlayerCMP[row].coyote <= 0 and view.PlayerCMP[row].squash >= -0.02 then
                view.PlayerCMP[row].squash = 0.14
                burst.dust(world, event.pointX, event.pointY, 5)
                sound("land", 0.4)
            end
        end
    end
end

function AnimationSys:tick()
    local world = self:getWorld()
    local time = world:getTime()
    local players = self.players
    land(world, players)
    for i = 1, players.count do
        local sprite, player = players.SpriteCMP[i], players.PlayerCMP[i]
        sprite.isFlipped = player.facing < 0
        play(sprite, clipOf(player, players.VelocityCMP[i], players.BodyCMP[i]), time)
    end
    for count, sprites, walkers in self.walkers:runs("SpriteCMP", "WalkerCMP") do
        for i = 0, count - 1 do sprites[i].isFlipped = walkers[i].direction > 0 end
    end
    local flyers = self.flyers
    for i = 1, flyers.count do
        local sprite = flyers.SpriteCMP[i]
        play(sprite, flyers.FlyerCMP[i].isChasing and "chase" or "fly", time)
        sprite.isFlipped = flyers.VelocityCMP[i].x > 0
    end
end

return AnimationSys
