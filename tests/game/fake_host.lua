-- A host without a window, a canvas or a clock, for specs in stock luajit: the names of the real one. It
-- counts what is drawn and played, hands out the files of the game's folder or those a spec has put
-- in its place, and holds the keys that a spec asks for.

local fake = { width = 480, height = 270, headless = true, files = {}, sounds = {}, draws = 0, texts = {} }

local actions = {}
for action in ("left right up down jump act rewind pause back forward restart confirm"):gmatch("%a+") do
    actions[action] = true
end

local held, before = {}, {}

local function known(action)
    if not actions[action] then error("there is no action " .. tostring(action), 3) end
    return action
end

fake.input = {}
function fake.input:isDown(action) return held[known(action)] == true end
function fake.input:wasPressed(action) return held[known(action)] == true and not before[action] end
function fake.input:wasReleased(action) return before[known(action)] == true and not held[action] end

local function setOf(names)
    local set = {}
    for _, name in ipairs(names) do set[known(name)] = true end
    return set
end

-- The keys of the next step, and those of the one before if they are not those that were held last:
-- tables of names.
function fake.hold(names, namesBefore)
    before, held = namesBefore and setOf(namesBefore) or held, setOf(names)
end

local function expectNumbers(call, ...)
    for i = 1, select("#", ...) do
        local value = select(i, ...)
        if type(value) ~= "number" or value ~= value then error(call .. ": argument " .. i .. " is " .. tostring(value), 3) end
    end
end

local images = 0
fake.canvas = {}
function fake.canvas:clear(color) expectNumbers("clear", color) end
function fake.canvas:newImage(width, height, pixels)
    if #pixels ~= width * height * 4 then error("newImage: " .. #pixels .. " bytes for " .. width .. " x " .. height, 2) end
    images = images + 1
    return images
end
function fake.canvas:draw(image, x, y, sx, sy, sw, sh)
    expectNumbers("draw", image, x, y)
    if sx then expectNumbers("draw", sx, sy, sw, sh) end
    fake.draws = fake.draws + 1
end
function fake.canvas:rect(...)
    expectNumbers("rect", ...)
    fake.draws = fake.draws + 1
end
function fake.canvas:line(...) expectNumbers("line", ...) end
function fake.canvas:text(x, y, text, color)
    expectNumbers("text", x, y, color)
    fake.texts[#fake.texts + 1] = text
end
function fake.canvas:textWidth(text, scale) return #text * 6 * (scale or 1) end
function fake.canvas:grade(saturation, color, strength)
    expectNumbers("grade", saturation, color, strength)
    fake.graded = saturation
end

fake.sound = {}
function fake.sound:play(name, volume, pitch)
    expectNumbers("play", volume, pitch)
    fake.sounds[#fake.sounds + 1] = name
end
function fake.sound:setRewind(speed) fake.rewindSound = speed end

function fake.readFile(path)
    if fake.files[path] then return fake.files[path] end
    local file, message = io.open(fake.folder .. "/" .. path, "rb")
    if not file then error(message, 2) end
    local text = file:read("*a")
    file:close()
    return text
end

return fake
