-- Plays docs/examples/asteroids in real LÖVE, with keys that a script presses, and looks at world and window:
--
--     love tests/docs/asteroids EXAMPLE_FOLDER MODULE_FOLDER [PICTURE_FOLDER [load]]
--
-- It ends by saving the game; with `load`, another process goes on from there, and must come out the same.

local stage = dofile(love.filesystem.getSource() .. "/../love/stage.lua")
local play, draw, check, difference = stage.play, stage.draw, stage.check, stage.difference
local world, rewind, only

-- The example's files, as if it were the game that LÖVE was started with.
local function enter(example, modules)
    package.path = example .. "/?.lua;" .. package.path
    love.filesystem.read = function(path)
        local file, why = io.open(example .. "/" .. path)
        if not file then return nil, why end
        local text = file:read("*a")
        file:close()
        return text
    end
    dofile(example .. "/main.lua")
    love.load { modules }
    require("world"):setRandomSeed(1)
    world, only = require "world", require "only"
    rewind = world:getSystem("TimeRewindSys")
end

local function count(component)
    return world:query():with(component):count()
end

-- The keys that turn the ship to the nearest rock, and fire.
local function aim()
    local ship = world:getMainCharacter()
    if not ship then return {} end
    local at = ship:getComponent("BodyCMP")
    local function distance(rock)
        local body = rock:getComponent("BodyCMP")
        return (body.x - at.x) ^ 2 + (body.y - at.y) ^ 2
    end
    local rock = world:query():with("RockCMP"):orderBy(distance):first()
    if not rock then return {} end
    local body, time = rock:getComponent("BodyCMP"), math.sqrt(distance(rock)) / 560
    local angle = math.atan2(body.y + (body.speedY - at.speedY) * time - at.y, body.x + (body.speedX - at.speedX) * time - at.x)
    local turn = (angle - at.angle + math.pi) % (2 * math.pi) - math.pi
    local keys = { math.abs(turn) < 0.2 and "space" or nil }
    if math.abs(turn) > 0.05 then keys[#keys + 1] = turn > 0 and "right" or "left" end
    if distance(rock) < 100 ^ 2 then keys[#keys + 1] = "s" end
    return keys
end

-- Plays on until it is so, a minute and a half at most.
local function playUntil(isSo, keys)
    for _ = 1, 5400 do
        if isSo() then return true end
        play(1, keys or aim())
    end
    return false
end

local function start()
    play(30)
    draw("title")
    check(count("RockCMP") == 4 and only("GameCMP").lives == 0, "before the game the rocks fly alone")
    os.remove(love.filesystem.getSaveDirectory() .. "/game.save")  -- of an earlier run
    local hash = world:stateHash()
    love.keypressed("f9")
    draw("nothing to load")
    check(world:stateHash() == hash, "where nothing was saved, F9 changes nothing")
    love.keypressed("return")
    play(3)
    check(world:getMainCharacter() ~= nil and only("GameCMP").lives == 3, "Enter starts it, with three ships")
    play(20, { "right" })
    play(40, { "right", "up" })
end

local function raiseShield()
    local ship = world:getMainCharacter()
    local shield = ship:getChildren()[1]
    check(shield:isActive(), "a new ship is shielded for some seconds")
    ship:getComponent("ShipCMP").safe = 0
    play(2)
    check(not shield:isActive() and count("ShieldCMP") == 0, "then its shield, a child, is disabled")
    play(2, { "s" })
    draw("shield")
    check(shield:isActive() and ship:getComponent("ShipCMP").energy < 1, "a key enables it, and costs energy")
    ship:getComponent("ShipCMP").energy = 0.01
    local isDown = true
    play(5, { "s" })
    for _ = 1, 20 do
        play(1, { "s" })
        isDown = isDown and not shield:isActive()
    end
    check(isDown, "without energy it goes down, and stays down for a while")
    ship:getComponent("ShipCMP").energy, ship:getComponent("ShipCMP").safe = 1, 3
end

local function shoot()
    check(playUntil(function() return only("GameCMP").score >= 120 end), "rocks are hit")
    check(count("RockCMP") > 4 and count("SparkCMP") > 10, "and split, in sparks: " .. count("RockCMP") .. " rocks")
    draw("play")
    local rocks, score = count("RockCMP"), only("GameCMP").score
    love.keypressed("b")
    play(2)
    check(only("GameCMP").bombs == 0 and only("GameCMP").score >= score + 5 * 20, "a bomb breaks five of " .. rocks)
end

local function pause()
    local tick = world:getTick()
    love.keypressed("p")
    play(30, { "space" })
    draw("pause")
    check(world:getTick() == tick, "while paused no time passes")
    love.keypressed("p")
end

-- Loses a ship, takes it back, and loses it after all.
local function loseAndRewind()
    local ship = world:getMainCharacter()
    ship:getComponent("ShipCMP").safe = 0
    play(1)
    local frame, hash = rewind:getFrame(), rewind:frameHash(rewind:getFrame())
    draw("before")
    local function isLost() return count("GhostCMP") == 1 end
    check(playUntil(isLost, { "up" }), "a ship flown blindly is lost")
    check(ship:hasComponent("GhostCMP") and not ship:hasComponent("ShipCMP"), "and is a ghost now")
    play(20)
    draw("lost")
    local isDrawn = false
    while rewind:getFrame() > frame + 1 do
        only("PlayerCMP").charge = 6
        play(1, { "r" })
        if not isDrawn and rewind:getFrame() < frame + 50 then
            draw("rewinding")
            isDrawn = true
        end
    end
    play(1)  -- the key is up: one more step back, and play goes on from there
    check(world:stateHash() == hash and rewind:getFrame() == frame, "rewinding leads to the very frame")
    check(ship == world:getMainCharacter() and ship:hasComponent("ShipCMP"), "and the ship is a ship again")
    only("PlayerCMP").charge = 6
    play(1)
    draw("after")
    check(difference("before", "after") == 0, "played again, the frame is the same picture")
    check(difference("lost", "rewinding") > 960 * 640 / 10, "rewinding is to be seen")
    check(playUntil(isLost, { "up" }) and only("GameCMP").lives == 2, "a ship can be lost for good")
    check(playUntil(function() return world:getMainCharacter() ~= nil end), "the next one comes")
    for tick = 1, 130 do
        if tick == 120 then love.keypressed("b") end
        play(1, aim())
    end
    draw("ghost")
end

-- Loses the last ship, and takes that back, too.
local function endAndRewind()
    only("GameCMP").lives = 1
    local ship = world:getMainCharacter()
    ship:getComponent("ShipCMP").safe = 0
    local function isOver() return only("GameCMP").lives == 0 end
    check(playUntil(isOver, { "up" }), "with the last ship the game is over")
    play(30)
    draw("game over")
    only("PlayerCMP").charge = 6
    play(90, { "r" })
    play(1)
    check(only("GameCMP").lives == 1 and world:getMainCharacter() == ship, "rewinding takes that back: the ship flies on")
    only("GameCMP").lives, ship:getComponent("ShipCMP").safe = 2, 3
    only("PlayerCMP").charge = 6
    play(1)
end

local function nextWave()
    local function isNext() return only("GameCMP").wave == 2 and count("IronCMP") == 1 end
    check(playUntil(isNext), "when no rock is left, the next level file comes")
    check(world:getSystem("LevelManager"):getLevel() == "wave2", "which is wave2")
end

-- What the world is like now, and after some more seconds.
local function goOn()
    local now = world:stateHash()
    play(200, { "up", "space" })
    draw("saved")
    return now .. " " .. world:stateHash() .. " " .. only("GameCMP").score .. " " .. count("GhostCMP")
end

local function save(folder)
    love.keypressed("f5")
    local file = assert(io.open(folder .. "/saved.txt", "w"))
    file:write(goOn())
    file:close()
end

local function load(folder)
    play(100, { "up" })
    love.keypressed("f9")
    local file = assert(io.open(folder .. "/saved.txt"))
    local expected, found = file:read("*a"), goOn()
    check(found == expected, "F9 loads what another process saved, and play goes on alike: " .. found)
    check(rewind:getOldestFrame() ~= nil and #world:validate() == 0, "with a history of its own")
end

stage.run(function(arguments)
    enter(arguments[1], arguments[2])
    if arguments[4] == "load" then return load(arguments[3]) end
    start()
    raiseShield()
    shoot()
    pause()
    loseAndRewind()
    endAndRewind()
    nextWave()
    check(#world:validate() == 0, "the world is valid")
    if not arguments[3] then return end
    save(arguments[3])
    stage.savePictures(arguments[3])
end)
