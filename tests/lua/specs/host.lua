-- What holds only where C++ is on the other side: run by the embedded host.
local revenant = require "revenant"
local scene = require "scene"
local host = rawget(_G, "host")

test("components and systems of C++ and of Lua stand side by side", function()
    if not host then return end
    local world = host.getWorld()
    host.addSpinning()
    check(rawequal(world, host.getWorld()))
    local log = {}
    if world:getSystem("Watcher") then world:unregisterSystem(world:getSystem("Watcher")) end
    local Watcher = revenant.BaseSystem:extend("Watcher")
    function Watcher:init() self:addComponentRequirement("SpinCMP") end
    function Watcher:tick()
        local view = self:getComponentsView()
        for i = 1, view.count do log[#log + 1] = view.SpinCMP[i].turns end
    end
    world:registerSystem(Watcher:new(world))
    same(world:getSystemNames(), { "Spinning", "Watcher" })
    local before = #world:getAllManagedEntities()
    host.spawn("from C++")
    world:update(0)
    local all = world:getAllManagedEntities()
    equal(#all, before + 1)
    local e = all[#all]
    equal(e:getName(), "from C++")
    local spin = e:getComponent("SpinCMP")
    equal(spin.angle, 0.5)
    equal(spin.turns, 4)
    equal(spin.isOn, true)
    equal(spin.big, 1)
    equal(#spin.small, 3)
    equal(spin.small[3], 3)
    equal(log[#log], 4)
    spin.around = e
    spin.label = "text"
    check(rawequal(spin.around, e))
    equal(spin.label, "text")
    local spinning = world:getSystem("Spinning")
    equal(spinning:getName(), "Spinning")
    check(spinning:isEnabled())
    spinning:tick(0)
    equal(spin.turns, 5)
    spinning:setEnabled(false)
    world:update(0)
    equal(spin.turns, 5)
    spinning:setEnabled(true)
    world:removeEntity(e)
    world:update(0)
end)

test("a tick that the host asks for runs systems and listeners of Lua", function()
    if not host then return end
    local world = host.getWorld()
    local heard, ticks = 0, 0
    local token = world:on("entityAdded", function() heard = heard + 1 end)
    local Ticker = revenant.BaseSystem:extend("Ticker")
    function Ticker:tick() ticks = ticks + 1 end
    local ticker = Ticker:new(world)
    world:registerSystem(ticker)
    host.spawn("e")
    equal(host.update(0.1), nil)
    equal(heard, 1)
    equal(ticks, 1)
    function Ticker:tick() error("ouch") end
    check(host.update(0.1):find("ouch"))
    world:unregisterSystem(ticker)
    world:off(token)
    local view = world:getComponentsView(scene.require("SpinCMP"))
    local column = view.SpinCMP
    for i = 1, 5 do
        host.spawn("more")
        host.update(0.1)
        equal(column[view.count].turns, 4)
    end
    host.reset()
    raises(function() return column[1] end)
end)
