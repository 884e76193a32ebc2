-- CombatSys: applies damage from this tick's collision events. The player has one life and all the
-- time in the world; enemies have as many lives as their HealthCMP says.

local revenant = require "revenant"
local burst = require "prefabs.burst"
local feel = require "feel"
local level = require "level"
local sound = require "sound"

local CombatSys = revenant.BaseSystem:extend("CombatSys")

local colors = {
    walker = { "o", "s", "m" }, flyer = { "v", "l", "r" }, shooter = { "q", "t", "a" },
}

local function middle(entity)
    local transform, box = entity:getComponent("TransformCMP"), entity:getComponent("BoxCMP")
    return transform.x + box.w / 2, transform.y + box.h / 2
end

local function shake(world, strength)
    local camera = world:getMainCamera()
    if not camera then return end
    local data = camera:getComponent("CameraCMP")
    data.shake = math.max(data.shake, strength)
end

local function hurt(world, enemy)
    local health = enemy:getComponent("HealthCMP")
    if not health or health.points <= 0 then return end
    health.points = health.points - 1
    local x, y = middle(enemy)
    local sprite = enemy:getComponent("SpriteCMP")
    burst.splash(world, x, y, health.points <= 0 and 12 or 5, colors[sprite.art] or colors.walker)
    shake(world, 1.5)
    sound("hit", 0.8)
    if health.points <= 0 then world:removeEntity(enemy) end
end

local function kill(world, player, session)
    local data = player:getComponent("PlayerCMP")
    if not data.isAlive or session.state ~= "play" then return end
    data.isAlive = false
    session.state, session.clock = "dying", 0
    player:getComponent("SpriteCMP").isHidden = true
    burst.soul(world, middle(player))
    shake(world, 5)
    sound("death")
end

-- From above it is a stomp.
local function meet(world, player, enemy, session)
    if enemy:getComponent("HealthCMP").points <= 0 then return end
    local transform, box = player:getComponent("TransformCMP"), player:getComponent("BoxCMP")
    local velocity = player:getComponent("VelocityCMP")
    local feet = transform.y + box.h
    local other = enemy:getComponent("TransformCMP")
    if velocity.y > 0 and feet - other.y < 9 and enemy:getComponent("SpriteCMP").art ~= "shooter" then
        local data = player:getComponent("PlayerCMP")
        velocity.y = data.isJumpHeld and -feel.stompHeldSpeed or -feel.stompSpeed
        data.isJumping, data.squash = data.isJumpHeld, 0.12
        hurt(world, enemy)
    else
        kill(world, player, session)
    end
end

-- A bolt ends at anything that it hits.
local function spend(world, bolt)
    local x, y = middle(bolt)
    burst.splash(world, x, y, 4, bolt:getComponent("BoltCMP").isFriendly and { "w", "c", "y" } or { "a", "q" })
    world:removeEntity(bolt)
end

function CombatSys:tick()
    local world = self:getWorld()
    local session = level.session(world)
    if not session then return end
    local spent = {}
    for _, event in ipairs(world:getCollisionEvents()) do
        local first, second = event.first, event.second
        local kind = second and second:hasComponent("TouchCMP") and second:getComponent("TouchCMP").kind
        if first:hasComponent("PlayerCMP") then
            if kind == "enemy" then
                meet(world, first, second, session)
            elseif kind == "bolt" and not spent[second] then
                spent[second] = true
                spend(world, second)
                kill(world, first, session)
            elseif second and second:hasComponent("TileMapCMP") then
                kill(world, first, session)
            end
        elseif first:hasComponent("BoltCMP") and not spent[first] then
            if kind == "enemy" then hurt(world, second) end
            if kind == "enemy" or not kind then  -- or a wall
                spent[first] = true
                spend(world, first)
            end
        end
    end
end

return CombatSys
