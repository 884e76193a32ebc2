-- Plays docs/examples/love_physics in real LÖVE, with scripted keys:
--
--     love tests/docs/love_physics EXAMPLE_FOLDER MODULE_FOLDER [PICTURE_FOLDER]
--
-- Bodies come back as they were, to the last bit; the same body, not a new one. A run that resumes drifts a little, as
-- Box2D does not give back what it remembers of contacts.

local step = 1 / 60
local held = {}
local pictures = {}
love.keyboard.isDown = function(key) return held[key] == true end

local function draw(name)
    love.graphics.origin()
    love.draw()
    if name then love.graphics.captureScreenshot(function(image) pictures[name] = image end) end
    love.graphics.present()
end

local function play(steps, key)
    held = key and { [key] = true } or {}
    for i = 1, steps do
        love.update(step)
        if i % 20 == 0 then draw() end
    end
end

local results = {}
local function check(value, what)
    print((value and "holds:  " or "BROKEN: ") .. what)
    results[#results + 1] = value and true or false
end

local function difference(a, b)
    local count = 0
    pictures[a]:mapPixel(function(x, y, red, green, blue, alpha)
        local r, g, bl = pictures[b]:getPixel(x, y)
        if r ~= red or g ~= green or bl ~= blue then count = count + 1 end
        return red, green, blue, alpha
    end)
    return count
end

local world, rewind

-- Box2D's own answers for every body, in world order.
local function bodyStates()
    local states, handles = {}, {}
    for _, e in ipairs(world:getAllManagedEntities()) do
        if e:hasComponent("BodyCMP") then
            local body = e:getComponent("BodyCMP").body
            local x, y = body:getPosition()
            local speedX, speedY = body:getLinearVelocity()
            table.insert(states, { x, y, body:getAngle(), speedX, speedY, body:getAngularVelocity(), body:isAwake(), body:isActive() })
            table.insert(handles, body)
        end
    end
    return states, handles
end

-- How far apart two lists of states are in place, and whether they are the same to the last bit.
local function compare(a, b)
    local far, isSame = 0, #a == #b
    for i = 1, math.min(#a, #b) do
        for k = 1, 8 do isSame = isSame and a[i][k] == b[i][k] end
        far = math.max(far, math.abs(a[i][1] - b[i][1]), math.abs(a[i][2] - b[i][2]))
    end
    return far, isSame
end

local function run(arguments)
    local example, modules, folder = arguments[1], arguments[2], arguments[3]
    exampleFolder = example
    dofile(example .. "/main.lua")
    love.load { modules }
    world = require("revenant").World.getInstance()
    rewind = world:getSystem("TimeRewindSys")
    rewind:setSpeed(1)

    play(100)
    local bodyCount = #bodyStates()
    local physics = world:getMainCharacter():getComponent("BodyCMP").body:getWorld()
    local bodiesBefore = physics:getBodyCount()
    play(200)
    local frame = rewind:getFrame() + 1  -- which the next tick records, before anything moves
    local before, handles = bodyStates()
    draw("before")
    local contactsBefore = #physics:getContacts()
    play(1)
    local next = bodyStates()
    play(19)
    local soon = bodyStates()
    love.keypressed("space")
    play(2)
    local isCut = physics:getJointCount() == 0
    play(250)
    local later = bodyStates()
    draw("later")
    check(isCut, "the rope was cut, and its joint is gone")
    check(#later < bodyCount, "crates were broken: " .. bodyCount - #later)
    check(physics:getBodyCount() == bodiesBefore, "no body was destroyed, as frames can bring all of them back")

    play(100, "r")
    draw("rewinding")
    local contacts = #world:getCollisionEvents()
    check(rewind:isRewinding() and contacts == 0, "contacts while rewinding are no events")
    rewind:seek(frame)
    local after, handlesAfter = bodyStates()
    local far, isSame = compare(before, after)
    check(isSame and far == 0, "every body is where it was, with its speed, awake or asleep, to the last bit")
    local sameHandles = #handles == #handlesAfter
    for i = 1, #handles do sameHandles = sameHandles and rawequal(handles[i], handlesAfter[i]) end
    check(sameHandles, "they are the same bodies of Box2D")
    check(physics:getJointCount() == 1, "the joint is there again")
    check(world:stateHash() == rewind:frameHash(frame), "the world is the one that was recorded")

    -- Half-way between two frames: bodies are moved, and back again.
    held = { r = true }
    rewind:setSpeed(0.5)
    love.update(step)
    local between = bodyStates()
    check(rewind:getBlend() ~= 0 and not select(2, compare(between, after)), "between two frames bodies are moved to what lies between")
    rewind:seek(frame)
    check(select(2, compare(bodyStates(), after)), "and stand where the frame has them when time stands at a frame")

    held = {}
    play(1)  -- resumes, shows the frame again and plays it
    check(#physics:getContacts() >= contactsBefore / 2, "Box2D finds the contacts again: " .. #physics:getContacts())
    local first = compare(next, bodyStates())
    check(first < 0.5, ("a tick after resuming, bodies are %.2g pixels from where they were the first time"):format(first))
    play(19)
    local drift = compare(soon, bodyStates())
    check(drift < 2, ("20 ticks after resuming, bodies are %.2g pixels from where they were the first time"):format(drift))
    draw("resumed")

    rewind:clear()
    play(2)
    rewind:clear()
    play(2)
    check(physics:getBodyCount() == #bodyStates(), "once no frame can bring them back, bodies are destroyed: "
        .. physics:getBodyCount() .. " are left")
    check(difference("before", "later") > 1000, "time has left its mark: " .. difference("before", "later") .. " pixels differ")

    if folder then
        for name, image in pairs(pictures) do
            local file = assert(io.open(folder .. "/" .. name .. ".png", "wb"))
            file:write(image:encode("png"):getString())
            file:close()
        end
    end
    for _, result in ipairs(results) do if not result then return 1 end end
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
