-- PhysicsSys: moves platforms with what they carry, then sweeps every body against tiles and solids, and
-- reports contacts to the world as collision events. Nothing is kept between ticks but the components.
--
-- While time runs backwards only things that are immune to time move.

local revenant = require "revenant"
local contacts = require "physics.contacts"
local feel = require "feel"
local level = require "level"
local movers = require "physics.movers"
local Solids = require "physics.solids"
local sweep = require "physics.sweep"
local Requirement = revenant.ComponentRequirementDesc

local PhysicsSys = revenant.BaseSystem:extend("PhysicsSys")
PhysicsSys.tickWhileRewinding = true

function PhysicsSys:init()
    local world = self:getWorld()
    local mustHave, readOnly = Requirement:new(), Requirement:new(true, true)
    local function bodies(more)
        local wanted = { TransformCMP = mustHave, VelocityCMP = mustHave, BodyCMP = mustHave, BoxCMP = readOnly }
        for name, requirement in pairs(more) do wanted[name] = requirement end
        return world:getComponentsView(wanted)
    end
    self.bodies = bodies {}
    self.immune = bodies { ImmuneCMP = readOnly }
    self.movers = world:getComponentsView { TransformCMP = mustHave, BoxCMP = readOnly, MoverCMP = mustHave }
    self.immuneMovers = world:getComponentsView {
        TransformCMP = mustHave, BoxCMP = readOnly, MoverCMP = mustHave, ImmuneCMP = readOnly }
    self.solidView = world:getComponentsView { TransformCMP = readOnly, BoxCMP = readOnly, SolidCMP = readOnly }
    self.touchables = world:getComponentsView { TransformCMP = readOnly, BoxCMP = readOnly, TouchCMP = readOnly }
    self.bolts = world:getComponentsView { TransformCMP = readOnly, BoxCMP = readOnly, BoltCMP = readOnly }
    self.solids = Solids:new()
end

-- A head that hits a corner slips past it.
local function slip(grid, solids, count, x, y, w, h, dy, most)
    for aside = 1, most do
        for side = -1, 1, 2 do
            local at = x + aside * side
            if sweep.isFree(grid, solids, count, at, y + dy, w, h) and sweep.isFree(grid, solids, count, at, y, w, h) then
                return at
            end
        end
    end
    return nil
end

-- Pushes a crate that is leaned against, as far as it can go.
local function push(self, grid, number, direction, dt)
    local solids = self.solids.array
    local solid = solids[number]
    local crate = self.solidView.entities[solid.row]
    if not crate:getComponent("BodyCMP").onGround then return end
    solid.x = sweep.x(grid, solids, self.solids.count, solid.x, solid.y, solid.w, solid.h, direction * feel.pushSpeed * dt)
    crate:getComponent("TransformCMP").x = solid.x
end

local function report(self, view, row, solid, normalX, normalY, transform, box)
    local second = nil
    if solid >= 0 then second = self.solidView.entities[self.solids.array[solid].row] end
    self:getWorld():recordCollisionEvent { first = view.entities[row], second = second,
        normalX = normalX, normalY = normalY, pointX = transform.x + box.w / 2, pointY = transform.y + box.h }
end

-- Only for bodies that report contacts: apart, so that the loop over all stays short.
local function afterSweep(self, grid, dt, view, row, transform, box, body, wasOnGround, sideX, byX, sideY, byY)
    body.isPushing = byX >= 0 and self.solids.array[byX].isPushable ~= 0 and body.onGround
    if body.isPushing then push(self, grid, byX, sideX, dt) end
    if sideX ~= 0 then report(self, view, row, byX, -sideX, 0, transform, box) end
    if sideY ~= 0 and not (sideY > 0 and wasOnGround and byY < 0) then
        report(self, view, row, byY, 0, -sideY, transform, box)
    end
end

local function sweepBodies(self, view, grid, dt)
    local solids, solidCount = self.solids.array, self.solids.count
    local first = 0
    for count, transforms, velocities, bodies, boxes in view:runs("TransformCMP", "VelocityCMP", "BodyCMP", "BoxCMP") do
        for i = 0, count - 1 do
            local transform, velocity, body, box = transforms[i], velocities[i], bodies[i], boxes[i]
            local x, y, w, h = transform.x, transform.y, box.w, box.h
            local newX, sideX, byX = sweep.x(grid, solids, solidCount, x, y, w, h, velocity.x * dt)
            local dy = velocity.y * dt
            local newY, sideY, byY = sweep.y(grid, solids, solidCount, newX, y, w, h, dy, body.drops)
            if sideY < 0 and body.nudge > 0 then
                local aside = slip(grid, solids, solidCount, newX, y, w, h, dy, body.nudge)
                if aside then newX, newY, sideY, byY = aside, y + dy, 0, -1 end
            end
            local wasOnGround = body.onGround
            transform.x, transform.y = newX, newY
            if sideX ~= 0 then velocity.x = 0 end
            if sideY ~= 0 then velocity.y = 0 end
            body.wall, body.onGround = sideX, sideY > 0
            if body.reports then
                afterSweep(self, grid, dt, view, first + i + 1, transform, box, body, wasOnGround, sideX, byX, sideY, byY)
            end
        end
        first = first + count
    end
end

-- The player and its bolts feel about.
local function feelAbout(self, world, grid)
    local player = world:getMainCharacter()
    if player and player:getComponent("PlayerCMP").isAlive then
        local transform, box = player:getComponent("TransformCMP"), player:getComponent("BoxCMP")
        local x, y, w, h = transform.x, transform.y, box.w, box.h
        contacts.touch(world, player, 1, x, y, w, h, self.touchables)
        if contacts.isHurt(grid, x, y, w, h) or y > grid.height * 16 + 24 then
            world:recordCollisionEvent { first = player, second = level.find(world), pointX = x + w / 2, pointY = y + h }
        end
    end
    local bolts = self.bolts
    for i = 1, bolts.count do
        if bolts.BoltCMP[i].isFriendly then
            local transform, box = bolts.TransformCMP[i], bolts.BoxCMP[i]
            contacts.touch(world, bolts.entities[i], 2, transform.x, transform.y, box.w, box.h, self.touchables)
        end
    end
end

-- Immune things fall while time runs backwards, too.
local function moveImmune(self, grid, dt)
    movers.move(self.immuneMovers, self.immune, grid, dt)
    self.solids:gather(self.solidView)
    for i = 1, self.immune.count do
        local velocity, body = self.immune.VelocityCMP[i], self.immune.BodyCMP[i]
        velocity.y = math.min(feel.fallSpeed, velocity.y + feel.gravity * body.gravity * dt)
    end
    sweepBodies(self, self.immune, grid, dt)
end

function PhysicsSys:tick(dt)
    local world = self:getWorld()
    local map, grid = level.find(world)
    if not map then return end
    if world:isInPast() then
        if world:getSystem("TimeRewindSys"):getSpeed() ~= 0 then moveImmune(self, grid, dt) end
        return
    end
    movers.move(self.movers, self.bodies, grid, dt)
    self.solids:gather(self.solidView)
    sweepBodies(self, self.bodies, grid, dt)
    feelAbout(self, world, grid)
end

return PhysicsSys
