-- The listings of docs/quick_start_lua.md run and do what the page says.

local function readPage()
    local file = assert(io.open(specFolder .. "/../../../docs/quick_start_lua.md"))
    local page = file:read("*a")
    file:close()
    return page
end

test("the quick start's listing runs and prints what it says", function()
    local listing = check(readPage():match("```lua\n(.-)```"), "there is no listing")
    local expected = {}
    for said in listing:gmatch("%-%-> ([^\n]*)") do expected[#expected + 1] = said end
    check(#expected >= 3)
    local globals, printed = require "printed"()
    local world = require("revenant").World.getInstance()
    world:reset()
    local chunk = assert(loadstring(listing, "@docs/quick_start_lua.md"))
    setfenv(chunk, globals)
    -- Definitions stay with the process-wide world: a second state finds them.
    if not world:isComponentDefined("VelocityCMP") then
        chunk()
        same(printed, expected)
    end
    world:reset()
end)

-- With a stand-in for what needs a window; in LÖVE the rest is its own.
test("the quick start's LÖVE game fills with moths, and R takes them back", function()
    local revenant = require "revenant"
    local listing = check(readPage():match("```lua\n%-%- file: moths/main.lua\n(.-)```"), "there is no listing")
    local circles, said = 0, nil
    local game = setmetatable({ graphics = {
        circle = function() circles = circles + 1 end,
        print = function(text) said = text end,
    } }, { __index = rawget(_G, "love") })
    local world = revenant.World:new()
    local stand = setmetatable({ World = { getInstance = function() return world end } }, { __index = revenant })
    local chunk = assert(loadstring(listing, "@moths/main.lua"))
    setfenv(chunk, setmetatable({ love = game, require = function() return stand end }, { __index = _G }))
    chunk()
    for _ = 1, 300 do game.update(1 / 60) end
    game.draw()
    local most = circles
    check(most > 100)
    game.keypressed("r")
    for _ = 1, 200 do game.update(1 / 60) end
    circles = 0
    game.draw()
    equal(said, "back: " .. circles .. " moths")
    check(circles < most and circles > 50)
    game.keyreleased("r")
    for _ = 1, 100 do game.update(1 / 60) end
    check(not said:find("back") or #world:getAllManagedEntities() > circles)
end)
