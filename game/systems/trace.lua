-- TraceSys: remembers where the player was in each frame, for the ghosts that are shown while time runs
-- backwards. It is for the eye only: a frame that is played again is written again.

local revenant = require "revenant"

local TraceSys = revenant.BaseSystem:extend("TraceSys")

function TraceSys:init()
    self.frames = {}  -- by frame number: x, y of the feet, and what was shown
    self.oldest = 1
end

function TraceSys:tick()
    local world = self:getWorld()
    local rewind, player = world:getSystem("TimeRewindSys"), world:getMainCharacter()
    local frame = rewind and rewind:getFrame()
    if not frame or not player then return end
    local transform, box = player:getComponent("TransformCMP"), player:getComponent("BoxCMP")
    local sprite = player:getComponent("SpriteCMP")
    self.frames[frame] = {
        x = transform.x + box.w / 2, y = transform.y + box.h, clip = sprite.clip, start = sprite.start,
        time = world:getTime(), isFlipped = sprite.isFlipped, isHidden = sprite.isHidden, player = player,
    }
    local oldest = rewind:getOldestFrame()
    while self.oldest < oldest do
        self.frames[self.oldest] = nil
        self.oldest = self.oldest + 1
    end
end

-- The player's own entry at a frame; nil where it was another player's (another level), or none.
function TraceSys:at(frame, player)
    local entry = self.frames[frame]
    return entry and entry.player == player and entry or nil
end

return TraceSys
