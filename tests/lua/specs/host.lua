-- Claims that need a C++ host: run by the embedded one.
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

test("values and collisions of C++ are read by Lua as what they are", function()
    if not host then return end
    local world = host.getWorld()
    host.reset()
    host.giveValues()
    equal(world:getResource("number"), 2.5)
    equal(world:getResource("single"), 0.5)
    equal(world:getResource("whole"), 7)
    equal(world:getResource("flag"), true)
    equal(world:getResource("text"), "words")
    equal(world:getResource("entity"):getName(), "owner")
    equal(world:getResource("opaque"), nil)
    local events = world:getCollisionEvents()
    equal(#events, 1)
    check(rawequal(events[1].first, world:getResource("entity")))
    check(events[1].second == nil)
    equal(events[1].normalX, 1)
    equal(events[1].normalY, 0)
    equal(events[1].pointX, 0)
    equal(events[1].pointY, -3)
    host.reset()
end)

test("a state that another program's system of the same name wrote is refused, and changes nothing", function()
    if not host then return end
    local path = os.tmpname()
    host.saveForeignHistory(path)
    local world = scene.world()
    local rewind = revenant.TimeRewindSys:new(world)
    world:registerSystem(rewind)
    local Clock = revenant.BaseSystem:extend("ClockSys")
    Clock.hour = 5
    function Clock:getRewindState() return self.hour end
    function Clock:restoreRewindState(hour) self.hour = hour end
    local clock = Clock:new(world)
    world:registerSystem(clock)
    raises(function() rewind:loadHistory(path) end, "damaged")
    equal(clock.hour, 5)
    equal(rewind:getFrame(), nil)
    check(not rewind:isRewinding())
    world:update(0.1)
    equal(rewind:getFrame(), 1)
    os.remove(path)
end)
