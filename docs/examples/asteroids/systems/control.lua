-- The ship does what the player's keys say: it turns, thrusts and fires.

local only = require "only"
local world = require "world"
local ControlSys = require("revenant").BaseSystem:extend("ControlSys")

function ControlSys:init()
    self:addComponentRequirement("ShipCMP")
    self:addComponentRequirement("BodyCMP")
end

function ControlSys:tick(dt)
    local view, player = self:getComponentsView(), only("PlayerCMP")
    for i = 1, view.count do
        local ship, body = view.ShipCMP[i], view.BodyCMP[i]
        body.angle = body.angle + player.turn * 4.4 * dt
        local x, y = math.cos(body.angle), math.sin(body.angle)
        local push = player.thrust and 420 or 0
        ship.isThrusting = player.thrust
        body.speedX = (body.speedX + x * push * dt) * 0.99
        body.speedY = (body.speedY + y * push * dt) * 0.99
        ship.reload = math.max(0, ship.reload - dt)
        if player.fire and ship.reload == 0 then
            ship.reload = 0.16
            world:spawn("bullet", { BodyCMP = {
                x = body.x + x * 16, y = body.y + y * 16, angle = body.angle,
                speedX = body.speedX + x * 560, speedY = body.speedY + y * 560,
            } })
            world:emit("shotFired", view.entities[i])
        end
    end
end

return ControlSys
