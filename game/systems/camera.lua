-- CameraSys: the camera leads the player a little, follows softly, and stays inside the map. It is a
-- child of the player and rewound with it.

local revenant = require "revenant"
local feel = require "feel"
local host = require "host"
local level = require "level"

local CameraSys = revenant.BaseSystem:extend("CameraSys")

function CameraSys:init()
    self:addComponentRequirement("CameraCMP")
end

local function clamp(value, least, most)
    if most < least then return (least + most) / 2 end
    return math.max(least, math.min(most, value))
end

function CameraSys:tick(dt)
    local world, view = self:getWorld(), self:getComponentsView()
    local map, grid = level.find(world)
    if not map then return end
    local halfWidth, halfHeight = host.width / 2, host.height / 2
    for i = 1, view.count do
        local camera = view.CameraCMP[i]
        local player = view.entities[i]:getParent()
        if player then
            local transform, body = player:getComponent("TransformCMP"), player:getComponent("BodyCMP")
            local facing = player:getComponent("PlayerCMP").facing
            camera.look = camera.look + (facing * 36 - camera.look) * math.min(1, 2.2 * dt)
            camera.shake = math.max(0, camera.shake * (1 - feel.shakeDecay * dt) - 0.02)
            local goalX, goalY = transform.x + 5 + camera.look, transform.y - 12
            local followX, followY = 9, body.onGround and 7 or 3
            -- Far above or below, the picture must not lose sight.
            if math.abs(goalY - camera.y) > 64 then followY = 9 end
            if not camera.isPlaced then followX, followY, camera.isPlaced = 1 / dt, 1 / dt, true end
            goalX = clamp(goalX, halfWidth, grid.width * 16 - halfWidth)
            goalY = clamp(goalY, halfHeight, grid.height * 16 - halfHeight)
            camera.x = camera.x + (goalX - camera.x) * math.min(1, followX * dt)
            camera.y = camera.y + (goalY - camera.y) * math.min(1, followY * dt)
        end
    end
end

return CameraSys
