-- love.event.quit("restart") closes the Lua state and opens another one in the same process: each finds a new world.
--
--     love tests/lua/love_restart MODULE_FOLDER COUNT_FILE

local restarts = 3

function love.errorhandler(message)
    print(debug.traceback(message))
    os.exit(1)
end

function love.load(arguments)
    local modules, path = arguments[1], arguments[2]
    package.cpath = modules .. "/?.so;" .. package.cpath
    local revenant = require "revenant"
    local world = revenant.World.getInstance()
    assert(world:getTick() == 0 and world:getTime() == 0 and #world:getSystemNames() == 0)
    assert(#world:getAllManagedEntities() == 0 and not world:isComponentDefined("BodyCMP") and not world:getPrefab("thing"))
    assert(world:getResource("score") == nil and world:getRenderEnv() == nil)

    -- A physics body, which LÖVE takes down together with the state.
    local physics = love.physics.newWorld(0, 10)
    local Body = { rewindIgnore = { "body" } }
    Body.__index = Body
    function Body:onDestroyed() self.body:destroy() end
    world:defineComponent("BodyCMP", { x = 0, name = "text" })
    world:defineScriptComponent("PhysicsCMP", Body)
    world:definePrefab("thing", { components = { BodyCMP = {} } })
    world:setResource("score", 5, { rewind = true })
    world:setRenderEnv { 1 }
    world:on("entityAdded", function() world:getTick() end)
    local rewind = world:registerSystem(revenant.TimeRewindSys:new(world))
    for _ = 1, 20 do
        local e = world:spawn("thing")
        e:addComponent("PhysicsCMP", { body = love.physics.newBody(physics, 0, 0, "dynamic") })
    end
    local ticks = 0
    function love.update(dt)
        world:update(dt)
        ticks = ticks + 1
        if ticks == 10 then rewind:seek(3) end
        if ticks < 20 then return end
        local file = io.open(path)
        local count = file and tonumber(file:read("*a")) or 0
        if file then file:close() end
        file = assert(io.open(path, "w"))
        file:write(count + 1)
        file:close()
        if count < restarts then
            love.event.quit("restart")
        else
            os.remove(path)
            print("restarted " .. count .. " times")
            love.event.quit()
        end
        love.update = nil
    end
end
