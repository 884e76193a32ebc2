-- How time runs: forwards, backwards while the key is held, or not at all (paused, dead). It is asked
-- once per step, before the world's tick, as seeking acts at once between ticks.

local host = require "host"
local level = require "level"
local sound = require "sound"

local timeControl = {}

-- The longer the key is held, the faster.
local speeds = { { 0.15, 0.5 }, { 0.9, 1 }, { 2, 2 }, { 3.4, 4 }, { math.huge, 8 } }
local repeatSeconds, repeatEvery = 0.3, 0.05  -- of the keys that step frame by frame

local function speedAfter(seconds)
    for _, each in ipairs(speeds) do
        if seconds < each[1] then return each[2] end
    end
end

-- Whether play may go on from the current frame.
local function isPlayable(world)
    local session = level.session(world)
    local state = session and session.state
    return state ~= "dying" and state ~= "dead" and state ~= "loading"
end

local function stand(rewind, time, mode)
    rewind:start()
    rewind:setSpeed(0)
    time.mode, time.held, time.speed = mode, 0, 0
end

local function resume(world, rewind, time)
    if not isPlayable(world) then
        if time.mode ~= "dead" then stand(rewind, time, "dead") end
        return
    end
    rewind:stop()
    time.mode, time.held, time.speed = "play", 0, 0
end

local modes = {}

function modes.play(world, rewind, time, input)
    local session = level.session(world)
    if session and session.state == "dead" then
        time.deaths = time.deaths + 1
        stand(rewind, time, "dead")
    elseif input:isDown("rewind") then
        stand(rewind, time, "rewind")
        time.rewinds = time.rewinds + 1
        modes.rewind(world, rewind, time, input, 0)
    elseif input:wasPressed("pause") then
        stand(rewind, time, "pause")
    elseif input:wasPressed("restart") then
        local levels = world:getSystem("LevelManager")
        if levels:getLevel() then levels:reload { history = "clear" } end
    elseif session and session.state == "won" and input:wasPressed("confirm") then
        session.coins = 0
        world:getSystem("LevelManager"):load("levels/level_1", { history = "clear" })
    end
end

function modes.rewind(world, rewind, time, input, dt)
    if not input:isDown("rewind") then return resume(world, rewind, time) end
    time.held = time.held + dt
    time.speed = speedAfter(time.held)
    rewind:setSpeed(time.speed)
end

function modes.pause(world, rewind, time, input, dt)
    if input:wasPressed("pause") or input:wasPressed("confirm") or input:wasPressed("jump") then
        return resume(world, rewind, time)
    end
    if input:isDown("rewind") then
        time.mode, time.held = "rewind", 0
        return
    end
    local direction = (input:isDown("forward") and 1 or 0) - (input:isDown("back") and 1 or 0)
    if direction == 0 then
        time.held = 0
        return
    end
    local before = time.held
    time.held = before + dt
    if before == 0 then
        rewind:step(direction)
    elseif time.held > repeatSeconds + repeatEvery then
        time.held = time.held - repeatEvery
        rewind:step(direction)
    end
end

function modes.dead(world, rewind, time, input)
    if input:isDown("rewind") then
        time.mode, time.held = "rewind", 0
        time.rewinds = time.rewinds + 1
    elseif input:wasPressed("confirm") and rewind:getCheckpoint("checkpoint") then
        rewind:seekCheckpoint("checkpoint")
        resume(world, rewind, time)
        sound("checkpoint")
    elseif input:wasPressed("restart") then
        rewind:stop()
        time.mode = "play"
        world:getSystem("LevelManager"):reload { history = "clear" }
    end
end

function timeControl.step(world, dt)
    local rewind, clock = world:getSystem("TimeRewindSys"), level.only(world, "TimeCMP")
    if not clock or not rewind:getFrame() then return end
    local time = clock:getComponent("TimeCMP")
    modes[time.mode](world, rewind, time, host.input, dt)
    host.sound:setRewind(time.mode == "rewind" and time.speed or 0)
end

return timeControl
