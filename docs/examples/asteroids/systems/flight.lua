-- Writes down where the ship is, every other tick.

local world = require "world"
local FlightSys = require("revenant").BaseSystem:extend("FlightSys")

function FlightSys:init()
    self:addComponentRequirement("FlightCMP")
    self:addComponentRequirement("BodyCMP", true, true)
end

function FlightSys:tick()
    if world:getTick() % 2 == 0 then return end
    local view = self:getComponentsView()
    for i = 1, view.count do
        local flight, body = view.FlightCMP[i], view.BodyCMP[i]
        if flight.count < #flight.x then
            flight.count = flight.count + 1
            flight.x[flight.count], flight.y[flight.count], flight.angle[flight.count] = body.x, body.y, body.angle
        end
    end
end

return FlightSys
