-- The play-throughs: whole levels by scripted input, with deaths and rewinds on the way.

local stage = require "stage"

local folder = specFolder .. "/../plays/"

local plays = {
    { file = "level_1.txt", level = "levels/level_2", state = "play", coins = 14, deaths = 1, rewinds = 3 },
    { file = "level_2.txt", level = "levels/level_3", state = "play", coins = 9, deaths = 0, rewinds = 1 },
    { file = "level_3.txt", level = "levels/level_3", state = "won", coins = 2, deaths = 0, rewinds = 2 },
}

for _, play in ipairs(plays) do
    local log = stage.readLog(folder .. play.file)

    test(play.file .. " reaches the exit, and its hashes are those that were recorded", function()
        local compared = 0
        stage.play(log, function(step)
            if log.hashes[step] then
                equal(stage.world:stateHash(), log.hashes[step], "step " .. step)
                compared = compared + 1
            end
        end)
        local summary = stage.game.summary()
        for _, what in ipairs { "level", "state", "deaths", "rewinds" } do equal(summary[what], play[what], what) end
        check(summary.coins >= play.coins, summary.coins .. " coins")
        check(compared > 10, "there were " .. compared .. " hashes")
    end)

    test(play.file .. " resimulated from the past gives the same frames", function()
        -- The keys held in the step that began with each frame of the timeline that is left in the end.
        local told, before, from = {}, {}, 1
        stage.play(log, function(step)
            local held = stage.heldIn(log, step)
            if stage.rewind:isRewinding() then
                from = stage.rewind:getFrame() + 1
            else
                told[stage.rewind:getFrame()] = { held, before }
            end
            before = held
        end)
        -- Things that are immune to time are not put back: they are compared from the last rewind on.
        if stage.count("ImmuneCMP") == 0 then from = stage.rewind:getOldestFrame() + 2 end
        local newest, hashes = stage.rewind:getNewestFrame(), {}
        for frame = from, newest do hashes[frame] = stage.rewind:frameHash(frame) end
        stage.rewind:seek(from)
        equal(stage.world:stateHash(), hashes[from])
        stage.rewind:stop()
        check(newest - from > 300, "there is little to resimulate")
        for frame = from, newest do
            stage.host.hold(told[frame][1], told[frame][2])
            stage.game.step(1 / 60)
            equal(stage.rewind:getFrame(), frame)
            equal(stage.rewind:frameHash(frame), hashes[frame], "frame " .. frame)
        end
    end)

    test(play.file .. " is in sync with itself", function()
        stage.start { level = log.level, seed = log.seed, isBare = true, isBlind = true }
        stage.rewind:setSyncTest(3)
        for step = 0, log.length - 1 do
            stage.step(1, unpack(stage.heldIn(log, step)))
            local report = stage.rewind:getSyncReport()
            if report then error("step " .. step .. ": " .. report.text) end
        end
        equal(stage.game.summary().level, play.level)
        equal(stage.game.summary().state, play.state)
    end)
end
