-- DrawingSys: each tick collects what is visible; draw() puts it on the canvas, between the
-- last two steps. It goes on while time runs backwards, and shows that it does: only things that are immune to
-- time keep their colours, and the way back is drawn.

local revenant = require "revenant"
local approach = require "approach"
local drawBackdrop = require "drawing.backdrop"
local drawGhosts = require "drawing.ghosts"
local drawGlints = require "drawing.glints"
local drawSigns = require "drawing.signs"
local drawTape = require "drawing.tape"
local drawTiles = require "drawing.tiles"
local host = require "host"
local hud = require "drawing.hud"
local level = require "level"
local Scene = require "drawing.scene"
local sprites = require "drawing.sprites"
local Requirement = revenant.ComponentRequirementDesc

local DrawingSys = revenant.BaseSystem:extend("DrawingSys")
DrawingSys.tickWhileRewinding = true

function DrawingSys:init()
    local world, readOnly = self:getWorld(), Requirement:new(true, true)
    self.sprites = world:getComponentsView { TransformCMP = readOnly, BoxCMP = readOnly, SpriteCMP = readOnly }
    self.particles = world:getComponentsView {
        TransformCMP = readOnly, VelocityCMP = readOnly, ParticleCMP = readOnly, LifetimeCMP = readOnly }
    self.cameras = world:getComponentsView { CameraCMP = readOnly }
    self.signs = world:getComponentsView { SignCMP = readOnly, TransformCMP = readOnly }
    self.hud = world:getComponentsView { HudCMP = readOnly }
    self.scene = Scene:new()
    -- For the eye only: where the camera is and was, how far time is off, how wide the iris is open.
    self.eye = { x = host.width / 2, y = host.height / 2, fromX = host.width / 2, fromY = host.height / 2, off = 0, frames = 0 }
end

function DrawingSys:tick(dt)
    local world, eye = self:getWorld(), self.eye
    eye.fromX, eye.fromY = eye.x, eye.y
    if self.cameras.count > 0 then
        local camera = self.cameras:display("CameraCMP")[1]
        local shake, time = camera.shake, world:getTime()
        if camera.isPlaced then
            eye.x = camera.x + shake * math.sin(time * 91)
            eye.y = camera.y + shake * math.sin(time * 77 + 1)
        end
    end
    if math.abs(eye.x - eye.fromX) > 60 or math.abs(eye.y - eye.fromY) > 60 then eye.fromX, eye.fromY = eye.x, eye.y end
    local clock = level.only(world, "TimeCMP")
    local mode = clock and clock:getComponent("TimeCMP").mode or "play"
    eye.speed = clock and clock:getComponent("TimeCMP").speed or 0
    eye.frames = eye.frames + 1
    eye.off = approach(eye.off, mode == "play" and 0 or 1, dt * 6)
    eye.mode = mode ~= "play" and mode or eye.mode
    self.scene:collect(host.canvas, self.sprites, self.particles, eye.x, eye.y, host.width, host.height, world:getTime())
end

-- A round curtain, closing over the exit and opening over the start.
local function iris(canvas, x, y, radius, width, height)
    local color, reach = 0x0e0b1cff, math.floor(radius)
    for row = 0, height - 1 do
        local dy = row - y
        local half = reach * reach > dy * dy and math.floor(math.sqrt(reach * reach - dy * dy)) or -1
        if half < 0 then
            canvas:rect(0, row, width, 1, color)
        else
            local left, right = math.floor(x - half), math.floor(x + half)
            if left > 0 then canvas:rect(0, row, left, 1, color) end
            if right < width then canvas:rect(right, row, width - right, 1, color) end
        end
    end
end

local function drawIris(self, canvas, x, y)
    local world = self:getWorld()
    local session, player = level.session(world), world:getMainCharacter()
    if not session or not player then return end
    local open = 1
    if session.state == "leaving" then open = 1 - math.max(0, session.clock - 0.35) / 0.5 end
    if session.state == "loading" then open = 0 end
    if session.state == "play" and session.clock < 0.6 then open = session.clock / 0.6 end
    if open >= 1 then return end
    local transform = player:getComponent("TransformCMP")
    iris(canvas, transform.x + 5 - x, transform.y + 7 - y, math.max(0, open) * 520, host.width, host.height)
end

local tints = { rewind = { 0.22, 0x7a6cffff, 0.45 }, pause = { 0.35, 0x2a2349ff, 0.2 }, dead = { 0.05, 0x4a1030ff, 0.3 } }

function DrawingSys:draw(canvas, alpha)
    local world, scene, eye = self:getWorld(), self.scene, self.eye
    local width, height = host.width, host.height
    local map, grid = level.find(world)
    local x = math.floor(eye.fromX + (eye.x - eye.fromX) * alpha - width / 2 + 0.5)
    local y = math.floor(eye.fromY + (eye.y - eye.fromY) * alpha - height / 2 + 0.5)
    local sky = map and map:getComponent("TileMapCMP").sky or "dusk"
    drawBackdrop(canvas, width, height, sky, x, y - (grid and grid.height * 16 - height or 0), world:getTime())
    local isOff = eye.off > 0.01
    local touched = nil
    if isOff then touched = false end  -- what time does not touch comes later, in colour
    sprites.layer(canvas, scene, 1, x, y, alpha, touched)
    if map then drawTiles(canvas, grid, x, y, width, height) end
    for layer = 2, 4 do sprites.layer(canvas, scene, layer, x, y, alpha, touched) end
    sprites.particles(canvas, scene, x, y)
    if isOff then
        local tint = tints[eye.mode] or tints.rewind
        canvas:grade(1 + (tint[1] - 1) * eye.off, tint[2], tint[3] * eye.off)
        if eye.mode == "rewind" then drawTape(canvas, width, height, eye.frames, eye.speed, eye.off) end
        drawGhosts(canvas, world, x, y, eye.off)
        for layer = 1, 3 do sprites.layer(canvas, scene, layer, x, y, alpha, true) end
        sprites.layer(canvas, scene, 4, x, y, alpha)
    else
        drawSigns(canvas, self.signs, world:getMainCharacter(), x, y, width)
    end
    drawGlints(canvas, scene, x, y, eye.frames)
    drawIris(self, canvas, x, y)
    hud.draw(canvas, world, self.hud, width, height)
end

return DrawingSys
