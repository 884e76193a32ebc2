-- Time runs backwards while the player holds the key and the charge lasts. It fills again in play.

local only = require "only"
local TimeSys = require("revenant").BaseSystem:extend("TimeSys")
TimeSys.tickWhileRewinding = true

function TimeSys:init(rewind)
    self.rewind = rewind
end

function TimeSys:tick(dt)
    local player, rewind = only("PlayerCMP"), self.rewind
    local change = rewind:isRewinding() and -dt or dt / 4
    player.charge = math.max(0, math.min(6, player.charge + change))
    if player.rewind and player.charge > 0 then rewind:start() else rewind:stop() end
end

return TimeSys
