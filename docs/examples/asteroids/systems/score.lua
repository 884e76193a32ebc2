-- Points for broken rocks, and a ship for every five thousand of them.

local only = require "only"
local ScoreSys = require("revenant").BaseSystem:extend("ScoreSys")

function ScoreSys:init()
    self:listen("rockBroken", function(_, points)
        local game = only("GameCMP")
        if game.lives == 0 then return end
        local before = math.floor(game.score / 5000)
        game.score = game.score + points
        game.lives = game.lives + math.floor(game.score / 5000) - before
    end)
end

return ScoreSys
