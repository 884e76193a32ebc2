-- LayoutSys: turns the letters of a map that has just come into the world into things: those of the
-- legend are made, those of the level's own list (PlaceCMP) are put where their letter stands.

local revenant = require "revenant"
local grid = require "physics.grid"
local legend = require "prefabs.legend"
local level = require "level"

local decoration = { [","] = true, [";"] = true }  -- drawn by drawing/tiles.lua

local LayoutSys = revenant.BaseSystem:extend("LayoutSys")

function LayoutSys:init()
    self:addComponentRequirement("TileMapCMP")
end

local function placesByLetter(world)
    local byLetter = {}
    for _, entity in ipairs(world:query():with("PlaceCMP"):entities()) do
        local letter = entity:getComponent("PlaceCMP").letter
        if letter ~= "" then
            byLetter[letter] = byLetter[letter] or {}
            table.insert(byLetter[letter], entity)
        end
    end
    return byLetter
end

local function layOut(world, map, cells, settled)
    local byLetter = placesByLetter(world)
    local seen = {}
    grid.eachLetter(cells, function(letter, column, row)
        if legend[letter] then
            local entity = world:getPrefab(legend[letter]):instantiate()
            level.place(entity, column, row)
            map:addChild(entity)
        elseif byLetter[letter] then
            -- A letter that stands there twice places the second thing of that letter.
            seen[letter] = (seen[letter] or 0) + 1
            local entity = byLetter[letter][seen[letter]]
            if entity and not settled[entity] then level.place(entity, column, row) end
        elseif not decoration[letter] then
            error(("the map's letter '%s' in line %d stands for nothing"):format(letter, row + 1), 0)
        end
    end)
    for _, entity in ipairs(world:query():with("PlaceCMP"):entities()) do
        local letter = entity:getComponent("PlaceCMP").letter
        if letter ~= "" and (seen[letter] or 0) < #byLetter[letter] then
            error(("the map has %d places '%s' for %d things, %s among them"):format(seen[letter] or 0, letter,
                #byLetter[letter], tostring(entity)), 0)
        end
    end
end

function LayoutSys:tick()
    local world, view = self:getWorld(), self:getComponentsView()
    for i = 1, view.count do
        local map = view.TileMapCMP[i]
        map.isReady = map.isLaidOut
        if not map.isLaidOut then
            map.isLaidOut = true
            local session = level.session(world)
            if session then session.state, session.clock = "play", 0 end
            local player = world:query():with("PlayerCMP"):first()
            if player then
                world:setMainCharacter(player)
                world:setMainCamera(player:getChildren()[1])
            end
            local entity = view.entities[i]
            local rewind = world:getSystem("TimeRewindSys")
            if rewind:getFrame() then rewind:setCheckpoint(world:getSystem("LevelManager"):getLevel() or "level") end
            layOut(world, entity, grid.of(map.rows), world:getSystem("ImmuneSys"):claim(entity))
            if player then player:getComponent("PlayerCMP").startX = player:getComponent("TransformCMP").x end
        end
    end
end

return LayoutSys
