-- Asteroids, with a past: hold R, and time runs backwards.
--
--     love docs/examples/asteroids [FOLDER]     -- FOLDER: where revenant.so is; default build/release
--
-- world.lua says what there is, systems/ what it does, levels/ the waves, draw/ how it looks. No file saves or
-- restores anything by hand: the world does.

local step = 1 / 60
local behind = 0  -- time that is not a whole step yet
local isPaused = false
local notice = ""
local world, rewind, only, picture

function love.load(arguments)
    package.cpath = (arguments[1] or "build/release") .. "/?.so;" .. package.cpath
    world, rewind, only = require "world", require "game", require "only"
    picture = require "draw.picture"
    require "sounds"
    world:setRandomSeed(os.time())
end

local function readKeys(player)
    local isDown = love.keyboard.isDown
    player.turn = (isDown("right") and 1 or 0) - (isDown("left") and 1 or 0)
    player.thrust, player.fire, player.shield = isDown("up"), isDown("space"), isDown("s", "down")
    player.rewind = isDown("r")
end

function love.update(dt)
    if isPaused then return end
    behind = math.min(behind + dt, 0.1)
    while behind >= step * 0.999 do
        behind = behind - step
        readKeys(only("PlayerCMP"))
        world:update(step)
    end
end

function love.draw()
    picture(rewind, isPaused, notice)
end

-- Saves or loads. Where that fails, the game goes on as it was, and the player reads why.
local function attempt(method, success)
    love.filesystem.createDirectory("")  -- LÖVE makes its folder when it is first needed
    local ok, why = pcall(method, world, love.filesystem.getSaveDirectory() .. "/game.save")
    notice = ok and success or "not " .. success .. why:gsub("^.-':", ":")  -- without the path
end

function love.keypressed(key)
    local player = only("PlayerCMP")
    notice = ""
    if key == "escape" then love.event.quit() end
    if key == "p" then isPaused = not isPaused end
    if key == "b" then player.bomb = true end
    if key == "return" then player.start = true end
    if key == "f5" then attempt(world.save, "saved") end
    if key == "f9" then attempt(world.load, "loaded") end
end
