-- Plays docs/examples/love_rewind in real LÖVE, with scripted keys, and compares pictures of the window:
--
--     love tests/docs/love EXAMPLE_FOLDER MODULE_FOLDER [PICTURE_FOLDER]
--
-- The picture after rewinding to a frame equals the first picture of it, to the pixel; pictures in between differ.

local stage = dofile(love.filesystem.getSource() .. "/stage.lua")
local play, draw, check, difference = stage.play, stage.draw, stage.check, stage.difference

stage.run(function(arguments)
    local example, modules, folder = arguments[1], arguments[2], arguments[3]
    dofile(example .. "/main.lua")
    love.load { modules }
    local world = require("revenant").World.getInstance()
    local rewind = world:getSystem("TimeRewindSys")

    play(90, { "right" })
    play(200, { "left" })
    play(60, { "right", "up" })
    local frame, hash = rewind:getFrame(), world:stateHash()
    local moth = world:getMainCharacter():getComponent("MothCMP")
    local caughtBefore = moth.caught
    draw("before")
    for _ = 1, 3 do
        play(70, { "right" })
        play(70, { "left" })
    end
    draw("later")
    local caught = moth.caught - caughtBefore
    play(120, { "r" })
    draw("rewinding")
    local isRewinding = rewind:isRewinding()
    while rewind:getFrame() > frame do play(1, { "r" }) end
    local exact = rewind:getFrame() == frame and rewind:frameHash(frame) == world:stateHash()
    play(1, { "right", "up" })  -- shows the frame again and plays it, with the keys it was played with
    draw("after")

    local pixels = love.graphics.getWidth() * love.graphics.getHeight()
    local mark, effect, left = difference("before", "later"), difference("later", "rewinding"), difference("before", "after")
    check(isRewinding and exact, "the current frame is the one that was recorded")
    check(world:stateHash() == hash, "the world after rewinding and playing the frame is what it was")
    check(caught > 0 and moth.caught == caughtBefore, "stars were caught, and are not any more: " .. caught)
    check(mark > pixels / 500, "time has left its mark: " .. mark .. " pixels differ")
    check(effect > pixels / 2, "rewinding is to be seen: " .. effect .. " pixels differ")
    check(left == 0, "after rewinding to the same frame the picture is the same: " .. left .. " pixels differ")
    if folder then stage.savePictures(folder) end
end)
