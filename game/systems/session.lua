-- SessionSys: how a level ends. After a death the world stops until the player rewinds; behind
-- the exit there is the next level, and the history goes on.

local revenant = require "revenant"
local level = require "level"

local SessionSys = revenant.BaseSystem:extend("SessionSys")

local dyingSeconds, leavingSeconds = 0.7, 0.9

function SessionSys:init()
    self:addComponentRequirement("SessionCMP")
end

function SessionSys:tick(dt)
    local world, view = self:getWorld(), self:getComponentsView()
    local map = level.find(world)
    for i = 1, view.count do
        local session = view.SessionCMP[i]
        local state = session.state
        session.clock = session.clock + dt
        if state == "dying" and session.clock >= dyingSeconds then
            session.state, session.clock = "dead", 0
        elseif state == "leaving" and session.clock >= leavingSeconds and map then
            local next = map:getComponent("TileMapCMP").next
            if next == "" then
                session.state, session.clock = "won", 0
            else
                session.state, session.clock = "loading", 0
                world:getSystem("LevelManager"):load(next, { history = "keep" })
            end
        end
    end
end

return SessionSys
