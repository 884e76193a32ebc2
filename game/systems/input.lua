-- InputSys: turns input into the player's wishes. Input (ControlsCMP) is not rewound; the
-- wishes, the buffered jump among them, are part of the world and rewound with it.

local revenant = require "revenant"
local feel = require "feel"
local level = require "level"

local InputSys = revenant.BaseSystem:extend("InputSys")

function InputSys:init()
    self:addComponentRequirement("PlayerCMP")
end

function InputSys:tick(dt)
    local world, view = self:getWorld(), self:getComponentsView()
    local hands = level.only(world, "ControlsCMP")
    local session = level.session(world)
    if not hands or not session then return end
    local controls = hands:getComponent("ControlsCMP")
    local isFree = session.state == "play"
    for i = 1, view.count do
        local player = view.PlayerCMP[i]
        player.wish = 0
        player.isJumpHeld, player.wantsDrop, player.wantsThrow = false, false, false
        player.buffer = math.max(0, player.buffer - dt)
        player.cooldown = math.max(0, player.cooldown - dt)
        player.thrown = math.max(0, player.thrown - dt)
        if isFree and player.isAlive then
            player.wish = (controls.right and 1 or 0) - (controls.left and 1 or 0)
            player.isJumpHeld = controls.jump
            player.wantsDrop = controls.down
            if controls.jumpPressed then player.buffer = feel.bufferSeconds end
            if controls.actPressed and player.cooldown <= 0 then
                player.wantsThrow, player.cooldown, player.thrown = true, feel.throwSeconds, 0.14
            end
        end
    end
end

return InputSys
