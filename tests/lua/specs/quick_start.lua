-- The listing of docs/quick_start_lua.md runs and prints what it says.

test("the quick start's listing runs and prints what it says", function()
    local file = assert(io.open(specFolder .. "/../../../docs/quick_start_lua.md"))
    local page = file:read("*a")
    file:close()
    local listing = check(page:match("```lua\n(.-)```"), "there is no listing")
    local expected = {}
    for said in listing:gmatch("%-%-> ([^\n]*)") do expected[#expected + 1] = said end
    check(#expected >= 3)
    local printed = {}
    local environment = setmetatable({
        print = function(...)
            local texts = {}
            for i = 1, select("#", ...) do texts[i] = tostring((select(i, ...))) end
            printed[#printed + 1] = table.concat(texts, "\t")
        end,
    }, { __index = _G })
    local world = require("revenant").World.getInstance()
    world:reset()
    local chunk = assert(loadstring(listing, "@docs/quick_start_lua.md"))
    setfenv(chunk, environment)
    -- Definitions stay with the process-wide world: a second state finds them.
    if not world:isComponentDefined("VelocityCMP") then
        chunk()
        same(printed, expected)
    end
    world:reset()
end)
