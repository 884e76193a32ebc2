-- Shared by the plays of the LÖVE examples: keys that a script holds down, and pictures of the window.
-- dofile it from love.filesystem.getSource(); it replaces love.keyboard.isDown.

local stage = { pictures = {} }
local step = 1 / 60
local held = {}

love.keyboard.isDown = function(...)
    for _, key in ipairs { ... } do
        if held[key] then return true end
    end
    return false
end

function stage.hold(keys)
    held = {}
    for _, key in ipairs(keys or {}) do held[key] = true end
end

-- Draws one picture, and keeps it if it has a name.
function stage.draw(name)
    love.graphics.origin()
    love.graphics.clear(0, 0, 0)
    love.draw()
    local taken
    if name then love.graphics.captureScreenshot(function(image) taken = image end) end
    love.graphics.present()
    if not name then return end
    assert(taken, "no picture was taken")
    stage.pictures[name] = taken
end

function stage.play(steps, keys)
    stage.hold(keys)
    for i = 1, steps do
        love.update(step)
        if i % 10 == 0 then stage.draw() end
    end
end

-- How many pixels differ.
function stage.difference(a, b)
    local first, second = stage.pictures[a], stage.pictures[b]
    assert(first:getWidth() == second:getWidth() and first:getHeight() == second:getHeight())
    local count = 0
    first:mapPixel(function(x, y, red, green, blue, alpha)
        local r, g, b = second:getPixel(x, y)
        if r ~= red or g ~= green or b ~= blue then count = count + 1 end
        return red, green, blue, alpha
    end)
    return count
end

function stage.check(value, what)
    print((value and "holds:  " or "BROKEN: ") .. what)
    stage.isBroken = stage.isBroken or not value
end

function stage.savePictures(folder)
    for name, image in pairs(stage.pictures) do
        local file = assert(io.open(folder .. "/" .. name .. ".png", "wb"))
        file:write(image:encode("png"):getString())
        file:close()
    end
end

-- Has LÖVE run a function in place of a game; its exit status says whether all claims hold.
function stage.run(body)
    function love.run()
        local arguments = love.arg.parseGameArguments(arg)
        return function()
            local ok, message = xpcall(body, debug.traceback, arguments)
            if not ok then print(message) end
            return (ok and not stage.isBroken) and 0 or 1
        end
    end
end

return stage
