-- Sounds, made here. `confirmed`: a tick that is run again makes no sound.

local world = require "world"
if not love.audio then return end

local function sound(seconds, volume, wave)
    local rate = 22050
    local data = love.sound.newSoundData(math.floor(seconds * rate), rate, 16, 1)
    for i = 0, data:getSampleCount() - 1 do
        local part = i / data:getSampleCount()
        data:setSample(i, wave(i / rate, part) * (1 - part) ^ 2 * volume)
    end
    return love.audio.newSource(data)
end

local function noise() return love.math.random() * 2 - 1 end
local sounds = {
    shotFired = sound(0.15, 0.25, function(time, part) return math.sin(time * (5200 - 4000 * part)) end),
    rockBroken = sound(0.5, 0.4, noise),
    shipLost = sound(1.6, 0.7, noise),
    bombDropped = sound(1.2, 0.6, function(time, part) return math.sin(time * (600 - 500 * part)) * 0.7 + noise() * 0.3 end),
}

for event, source in pairs(sounds) do
    world:on(event, function()
        source:stop()
        source:play()
    end, { confirmed = true })
end
