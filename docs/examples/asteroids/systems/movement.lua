-- Everything with a body moves and turns. What leaves the screen comes back at the other edge.

local MovementSys = require("revenant").BaseSystem:extend("MovementSys")

function MovementSys:init()
    self:addComponentRequirement("BodyCMP")
end

local function wrap(place, radius, length)
    return (place + radius) % (length + 2 * radius) - radius
end

function MovementSys:tick(dt)
    local view = self:getComponentsView()
    local bodies = view.BodyCMP
    for i = 1, view.count do
        local body = bodies[i]
        body.x = wrap(body.x + body.speedX * dt, body.radius, 960)
        body.y = wrap(body.y + body.speedY * dt, body.radius, 640)
        body.angle = body.angle + body.spin * dt
    end
end

return MovementSys
