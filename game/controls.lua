-- Takes down what the hands do in this step, before the world's tick: the hands are outside of time, and
-- what they do is what the world is told.

local host = require "host"
local level = require "level"

local controls = {}

local held = { "left", "right", "down", "jump", "act" }

function controls.step(world)
    local entity = level.only(world, "ControlsCMP")
    if not entity then return end
    local hands = entity:getComponent("ControlsCMP")
    for _, action in ipairs(held) do hands[action] = host.input:isDown(action) end
    hands.jumpPressed, hands.actPressed = host.input:wasPressed("jump"), host.input:wasPressed("act")
end

return controls
