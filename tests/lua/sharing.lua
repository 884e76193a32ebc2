-- The process-wide world is used by the host as well: when a state closes, its part goes and the host's stays. Run in two
-- states, one after the other.
local revenant = require "revenant"
local isFirst = host.shareInstance()
local world = revenant.World.getInstance()

local function find(name)
    for _, e in ipairs(world:getAllManagedEntities()) do
        if e:getName() == name then return e end
    end
end

if isFirst then
    world:defineComponent("MineCMP", { x = 1, text = "mine" })
    world:defineScriptComponent("MindCMP", { onDestroyed = function() io.write("the mind is gone\n") end })
    world:definePrefab("mine", { components = { MineCMP = {} } })
    world:registerSystem { name = "MineSys", tick = function() end }
    rewind = world:registerSystem(revenant.TimeRewindSys:new(world))
    world:setResource("mine", { 1 })
    world:setResource("mine too", 5, { rewind = true })
    world:setRenderEnv {}
    world:on("entityAdded", function() end)
    world:update(0.1)
    find("the host's"):addComponent("MineCMP")
    find("the host's"):addComponent("MindCMP")
    world:spawn("mine"):retain()
    local e = world:newEntity("mine, too")
    e:addComponent("HostCMP")
    world:addEntity(e)
    kept = world:newEntity("detached")
    for _ = 1, 5 do world:update(0.1) end
    assert(find("mine") and find("mine, too"))
    rewind:seek(3)
    return
end
world:update(0.1)
local ours = assert(find("the host's"), "the host's entity is gone")
assert(ours:hasComponent("HostCMP") and #ours:getComponentNames() == 1, table.concat(ours:getComponentNames(), " "))
assert(not find("mine") and not find("mine, too"), "entities of the first state are left")
assert(not world:isComponentDefined("MineCMP") and not world:isComponentDefined("MindCMP"))
assert(world:getPrefab("mine") == nil and world:getResource("mine") == nil and world:getResource("mine too") == nil)
assert(world:getRenderEnv() == nil and world:getResource("the host's") == 7)
assert(table.concat(world:getSystemNames(), " ") == "HostSys", table.concat(world:getSystemNames(), " "))
assert(world:getTick() > 2, "the host's time is gone")
assert(#world:validate() == 0, world:validate()[1])
-- The names are free, for other definitions, too.
world:defineComponent("MineCMP", { other = true })
world:defineScriptComponent("MindCMP")
ours:addComponent("MineCMP")
ours:addComponent("MindCMP", { 1 })
world:registerSystem(revenant.TimeRewindSys:new(world))
for _ = 1, 3 do world:update(0.1) end
assert(ours:getComponent("MineCMP").other == true and ours:getComponent("MindCMP")[1] == 1)
io.write("the host's part stayed\n")
