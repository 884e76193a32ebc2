-- Reads the input of this step before the world's tick. Input is not rewound; nothing else comes into the world
-- from outside.

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
