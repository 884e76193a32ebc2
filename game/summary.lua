-- The result of a run, as a flat table.

local level = require "level"

return function(world, rewind)
    local session = level.session(world)
    local clock = level.only(world, "TimeCMP")
    local time = clock and clock:getComponent("TimeCMP")
    local levels = world:getSystem("LevelManager")
    return {
        level = levels and levels:getLevel() or "",
        state = session and session.state or "",
        coins = session and session.coins or 0,
        mode = time and time.mode or "",
        deaths = time and time.deaths or 0,
        rewinds = time and time.rewinds or 0,
        frame = rewind and rewind:getFrame() or 0,
        oldest = rewind and rewind:getOldestFrame() or 0,
        hash = world:stateHash(),
    }
end
