local stage = require "stage"

local pit = [[
....................
....................
....................
....................
.@..C...............
######..............
######..............
######..............
####................
####................
####################
]]
local crate = "{ prefab = 'crate', components = { PlaceCMP = { letter = 'C' } } }"

test("a crate is pushed, falls, and stays where it is when time goes back", function()
    stage.start { rows = pit, entities = crate }
    local entity = stage.find("ImmuneCMP")
    check(not entity:isRewindable())
    local at = entity:getComponent("TransformCMP")
    local startX, startY = at.x, at.y
    stage.step(10)
    equal(at.y, startY)
    local frame = stage.rewind:getFrame()
    stage.stepUntil(function() return at.y > startY + 70 end, 400, "right")
    stage.step(30)
    local x, y = at.x, at.y
    check(x > startX + 10)
    equal(y, 10 * 16 - 16)
    stage.step(200, "rewind")
    stage.step(2)
    check(stage.get("TransformCMP").x < startX, "the player is back")
    equal(at.x, x)
    equal(at.y, y)
    check(stage.rewind:getFrame() <= frame + 120)
    -- Even at the very beginning of the level.
    stage.rewind:seek(stage.rewind:getOldestFrame())
    stage.rewind:stop()
    stage.step(5)
    equal(at.x, x)
    equal(at.y, y)
    equal(stage.count("ImmuneCMP"), 1)
end)

test("a crate in the air goes on falling while time runs backwards, and not while it stands", function()
    stage.start { rows = pit, entities = crate }
    local at = stage.find("ImmuneCMP"):getComponent("TransformCMP")
    local startY = at.y
    stage.stepUntil(function() return at.y > startY + 2 end, 400, "right")
    local y = at.y
    stage.step(1, "pause")
    stage.step(20)
    equal(at.y, y)
    stage.step(1, "rewind")
    stage.step(60, "rewind")
    equal(at.y, 10 * 16 - 16)
end)

test("a player that comes back inside a crate can walk out of it", function()
    stage.start { rows = "....................\n....................\n....................\n.@......C...........\n####################\n", entities = crate }
    local at = stage.find("ImmuneCMP"):getComponent("TransformCMP")
    stage.step(10)
    at.x = stage.get("TransformCMP").x - 2
    stage.step(10)
    equal(stage.get("TransformCMP").y, 4 * 16 - 14)
    stage.step(30, "right")
    check(stage.get("TransformCMP").x > at.x + 20)
end)

test("a key from outside time stays taken, and its door can be opened twice", function()
    stage.start { rows = "==========......\n==========......\n==========......\n................\n................\n.@..K..D........\n################\n",
        entities = "{ prefab = 'door', components = { PlaceCMP = { letter = 'D' } } },"
            .. "{ prefab = 'key', rewindable = false, components = { PlaceCMP = { letter = 'K' }, ImmuneCMP = {} } }" }
    local key = stage.find("KeyCMP")
    stage.step(5)
    local frame = stage.rewind:getFrame()
    stage.step(160, "right")
    check(stage.find("DoorCMP"):getComponent("DoorCMP").isOpen)
    stage.rewind:seek(frame)
    stage.rewind:stop()
    stage.step(1)
    check(not stage.find("DoorCMP"):getComponent("DoorCMP").isOpen)
    check(key:getComponent("KeyCMP").isHeld)
    stage.step(160, "right")
    check(stage.find("DoorCMP"):getComponent("DoorCMP").isOpen)
    check(stage.get("TransformCMP").x > 8 * 16)
end)

test("what is immune does not follow into another level, and is not doubled", function()
    stage.host.files["levels/shrine.lua"] = ("return { entities = { { prefab = 'map', components = { TileMapCMP = { rows = [[\n%s]] } } },"
        .. "{ prefab = 'player' }, %s } }"):format(pit, crate)
    stage.start { rows = "....................\n....................\n....................\n@....E..............\n####################\n", next = "levels/shrine" }
    stage.stepUntil(function() return stage.game.summary().level == "levels/shrine" end, 300, "right")
    stage.step(5)
    local first = stage.find("ImmuneCMP")
    check(first and first:isActive())
    stage.step(130, "rewind")
    stage.step(3)
    equal(stage.game.summary().level, "levels/spec")
    equal(stage.count("ImmuneCMP"), 0, "the crate has come along")
    equal(first:getState(), "destroyed")  -- no frame leads to its level any more
    stage.stepUntil(function() return stage.game.summary().level == "levels/shrine" end, 400, "right")
    stage.step(5)
    equal(stage.count("ImmuneCMP"), 1)
    check(stage.find("ImmuneCMP"):isActive())
end)

test("what is immune is there again when time leads back into its level, and as it was left", function()
    stage.host.files["levels/after.lua"] = "return { entities = { { prefab = 'map', components = { TileMapCMP = { rows = [[\n"
        .. "..........\n..........\n....@.....\n##########\n]] } } }, { prefab = 'player' } } }"
    stage.start { rows = "....................\n....................\n....................\n@..C.E..............\n####################\n",
        entities = crate, next = "levels/after" }
    local entity = stage.find("ImmuneCMP")
    local startX = entity:getComponent("TransformCMP").x
    stage.stepUntil(function() return stage.game.summary().level == "levels/after" end, 400, "right")
    local x = entity:getComponent("TransformCMP").x
    check(x > startX + 10, "it was not pushed")
    stage.step(30)
    equal(entity:getState(), "zombie")
    equal(stage.count("ImmuneCMP"), 0)
    for _ = 1, 2 do  -- back, and forward again
        local newest = stage.rewind:getNewestFrame()
        stage.rewind:seek(newest - 60)
        stage.step(2, "rewind")
        equal(stage.game.summary().level, "levels/spec")
        check(entity:isActive(), "the crate is gone")
        equal(entity:getComponent("TransformCMP").x, x)
        stage.rewind:seek(newest)
        stage.step(2, "rewind")
        equal(stage.game.summary().level, "levels/after")
        check(not entity:isActive(), "the crate has come along")
    end
    stage.step(140, "rewind")
    stage.step(3)
    equal(stage.game.summary().level, "levels/spec")
    equal(stage.count("ImmuneCMP"), 1)
    stage.stepUntil(function() return stage.game.summary().level == "levels/after" end, 400, "right")
    -- Once there is no frame of its level any more, nothing keeps it.
    stage.rewind:clear()
    stage.step(3)
    equal(entity:getState(), "destroyed")
end)
