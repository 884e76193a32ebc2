-- HudSys: moves the parts of the HUD. Its entities are not rewound, so it goes on while time runs
-- backwards.

local revenant = require "revenant"
local approach = require "approach"
local level = require "level"

local HudSys = revenant.BaseSystem:extend("HudSys")
HudSys.tickWhileRewinding = true

function HudSys:init()
    self:addComponentRequirement("HudCMP")
end

local move = {}

function move.coins(part, world, dt)
    local session = level.session(world)
    local coins = session and session.coins or 0
    if part.shown ~= coins then part.shown, part.clock = coins, 0.25 end
    part.clock = math.max(0, part.clock - dt)
end

-- Seen at the beginning of a level: until the player has gone some way.
function move.title(part, world, dt)
    local player = world:getMainCharacter()
    local session = level.session(world)
    local isNear = false
    if player and session then
        local begin = player:getComponent("PlayerCMP").startX
        isNear = math.abs(player:getComponent("TransformCMP").x - begin) < 120
    end
    part.shown = approach(part.shown, isNear and 1 or 0, dt * (isNear and 3 or 1.6))
end

function move.timeline(part, world, dt)
    local clock = level.only(world, "TimeCMP")
    local isShown = clock and clock:getComponent("TimeCMP").mode ~= "play"
    part.shown = approach(part.shown, isShown and 1 or 0, dt * (isShown and 8 or 3))
    part.clock = part.clock + dt
end

function move.message(part, _, dt)
    part.clock = part.clock + dt
end

function HudSys:tick(dt)
    local world, view = self:getWorld(), self:getComponentsView()
    for i = 1, view.count do
        local part = view.HudCMP[i]
        local act = move[part.kind]
        if act then act(part, world, dt) end
    end
end

return HudSys
