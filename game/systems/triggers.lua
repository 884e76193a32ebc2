-- TriggerSys: reacts to things that the player touches (triggers/*.lua, by the kind of their TouchCMP),
-- and runs doors, plates, crumbling blocks and springs.

local revenant = require "revenant"
local level = require "level"
local crumbling = require "triggers.crumbling"
local doors = require "triggers.doors"
local Requirement = revenant.ComponentRequirementDesc

local touched = {
    coin = require "triggers.coin",
    key = require "triggers.key",
    spring = require "triggers.spring",
    checkpoint = require "triggers.checkpoint",
    exit = require "triggers.exit",
    trigger = require "triggers.trigger",
}

local TriggerSys = revenant.BaseSystem:extend("TriggerSys")

function TriggerSys:init()
    local world = self:getWorld()
    local mustHave, readOnly = Requirement:new(), Requirement:new(true, true)
    self.crumbling = world:getComponentsView { CrumbleCMP = mustHave, TransformCMP = readOnly, SpriteCMP = mustHave }
    self.doors = world:getComponentsView { DoorCMP = mustHave, TransformCMP = mustHave, BoxCMP = readOnly }
    self.plates = world:getComponentsView { PlateCMP = mustHave, TransformCMP = readOnly, BoxCMP = readOnly, SpriteCMP = mustHave }
    self.bodies = world:getComponentsView { BodyCMP = readOnly, TransformCMP = readOnly, BoxCMP = readOnly }
    self.keys = world:getComponentsView { KeyCMP = mustHave, TransformCMP = mustHave }
end

function TriggerSys:tick(dt)
    local world = self:getWorld()
    local session = level.session(world)
    if not session or not level.find(world) then return end
    for _, event in ipairs(world:getCollisionEvents()) do
        local thing = event.second
        if thing and event.first:hasComponent("PlayerCMP") then
            if thing:hasComponent("TouchCMP") then
                local act = touched[thing:getComponent("TouchCMP").kind]
                if act and session.state == "play" then act(world, event.first, thing, session) end
            elseif thing:hasComponent("CrumbleCMP") and (event.normalY or 0) < 0 then
                crumbling.touch(world, thing)
            end
        end
    end
    crumbling.tick(world, self.crumbling, dt)
    doors.tick(world, self, dt)
end

return TriggerSys
