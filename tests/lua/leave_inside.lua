-- A script may end the process from inside any callback, with the Lua state closed or not.
--
--     revenant_lua_host leave_inside.lua HOST SCRIPT                  runs itself, once for each way out
--     revenant_lua_host leave_inside.lua HOST SCRIPT WHERE CLOSE
local revenant = require "revenant"

local places = { "listener", "listenerOfDestroyed", "listenerOfRewind", "system", "coroutine", "getHook", "restoreHook", "level", "reset" }

local function leave(where, close)
    local isArmed = false
    local function out(place)
        if place == where and isArmed then os.exit(7, close) end
    end
    local Brain = { n = 0 }
    Brain.__index = Brain
    function Brain:getRewindState()
        out "getHook"
        return self.n
    end
    function Brain:restoreRewindState(n)
        out "restoreHook"
        self.n = n
    end
    local world = revenant.World.getInstance()
    local rewind = world:registerSystem(revenant.TimeRewindSys:new(world))
    world:defineComponent("PlaceCMP", { x = 0 })
    world:defineScriptComponent("BrainCMP", Brain)
    local Ticking = revenant.BaseSystem:extend("Ticking")
    function Ticking:init() self:addComponentRequirement("BrainCMP") end
    function Ticking:tick()
        out "system"
        local view = self:getComponentsView()
        for i = 1, view.count do view.BrainCMP[i].n = view.BrainCMP[i].n + 1 end
    end
    world:registerSystem(Ticking:new(world))
    local levels = revenant.LevelManager:new(world, { read = function() out "level" end })
    world:on("entityAdded", function()
        out "listener"
        coroutine.wrap(function() out "coroutine" end)()
    end)
    world:on("entityDestroyed", function() out "listenerOfDestroyed" end)
    world:on("rewindStarted", function() out "listenerOfRewind" end)
    local function spawn()
        local e = world:newEntity("e")
        e:addComponent("PlaceCMP")
        e:addComponent("BrainCMP", {})
        world:addEntity(e)
        return e
    end
    local first = spawn()
    for _ = 1, 5 do
        spawn()
        world:update(0.1)
    end
    world:newEntity("detached"):addChild(world:newEntity("child"))
    isArmed = true
    world:removeEntity(first)
    spawn()
    levels:load("any")
    pcall(world.update, world, 0.1)
    rewind:seek(3)
    rewind:stop()
    rewind:clear()
    world:update(0.1)
    world:on("entityRemoved", function() out "reset" end)
    for _, e in ipairs(world:getAllManagedEntities()) do world:removeEntity(e) end
    world:on("entityRemoved", function() world:reset() end)
    world:update(0.1)
    return 1  -- never left
end

local function main(arguments)
    local host, script, where, close = unpack(arguments)
    if where then return leave(where, close == "close") end
    local failed = 0
    for _, place in ipairs(places) do
        for _, how in ipairs { "close", "keep" } do
            -- A state that is not closed leaks by intent.
            local result = os.execute(("ASAN_OPTIONS=detect_leaks=0 '%s' '%s' '%s' '%s' %s %s"):format(host, script, host, script, place, how))
            if result ~= 7 * 256 and result ~= 7 then
                print("leaving from " .. place .. " (" .. how .. ") ended with " .. tostring(result))
                failed = failed + 1
            end
        end
    end
    return failed
end

return { main = main }
