-- Plays docs/examples/love_rewind in real LÖVE, with scripted keys, and compares pictures of the window:
--
--     love tests/docs/love EXAMPLE_FOLDER MODULE_FOLDER [PICTURE_FOLDER]
--
-- What is drawn after rewinding to a frame is what was drawn at it, to the pixel; in between it was not.

local step = 1 / 60
local held = {}
local pictures = {}

love.keyboard.isDown = function(key) return held[key] == true end

local function draw(name)
    love.graphics.origin()
    love.graphics.clear(0, 0, 0)
    love.draw()
    local taken
    if name then love.graphics.captureScreenshot(function(image) taken = image end) end
    love.graphics.present()
    if not name then return end
    assert(taken, "no picture was taken")
    pictures[name] = taken
end

local function play(steps, keys)
    held = {}
    for _, key in ipairs(keys or {}) do held[key] = true end
    for i = 1, steps do
        love.update(step)
        if i % 10 == 0 then draw() end
    end
end

-- How many pixels differ.
local function difference(a, b)
    local first, second = pictures[a], pictures[b]
    assert(first:getWidth() == second:getWidth() and first:getHeight() == second:getHeight())
    local count = 0
    first:mapPixel(function(x, y, red, green, blue, alpha)
        local r, g, b = second:getPixel(x, y)
        if r ~= red or g ~= green or b ~= blue then count = count + 1 end
        return red, green, blue, alpha
    end)
    return count
end

local function check(value, what)
    print((value and "holds:  " or "BROKEN: ") .. what)
    return value
end

local function run(arguments)
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
    local results = {
        check(isRewinding and exact, "the frame on show is the one that was recorded"),
        check(world:stateHash() == hash, "the world after rewinding and playing the frame is what it was"),
        check(caught > 0 and moth.caught == caughtBefore, "stars were caught, and are not any more: " .. caught),
        check(difference("before", "later") > pixels / 500, "time has left its mark: "
            .. difference("before", "later") .. " pixels differ"),
        check(difference("later", "rewinding") > pixels / 2, "rewinding is to be seen: "
            .. difference("later", "rewinding") .. " pixels differ"),
        check(difference("before", "after") == 0, "after rewinding to the same frame the picture is the same: "
            .. difference("before", "after") .. " pixels differ"),
    }
    if folder then
        for name, image in pairs(pictures) do
            local file = assert(io.open(folder .. "/" .. name .. ".png", "wb"))
            file:write(image:encode("png"):getString())
            file:close()
        end
    end
    for i = 1, 6 do if not results[i] then return 1 end end
    return 0
end

function love.run()
    local arguments = love.arg.parseGameArguments(arg)
    return function()
        local ok, status = xpcall(run, debug.traceback, arguments)
        if not ok then print(status) end
        return ok and status or 1
    end
end
