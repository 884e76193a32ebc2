local revenant = require "revenant"
local scene = require "scene"
local TimeRewindSys = revenant.TimeRewindSys

test("a column for display blends between two frames, and is itself at a frame", function()
    local world = revenant.World:new()
    local t = revenant.types
    world:defineComponent("PlaceCMP", { x = t.lerp(t.f64(0)), label = t.string("") })
    local rewind = TimeRewindSys:new(world)
    world:registerSystem(rewind)
    local e = scene.spawn(world, "e", { PlaceCMP = {} })
    local view = world:getComponentsView(scene.require("PlaceCMP"))
    for i = 1, 10 do
        world:update(1)
        e:getComponent("PlaceCMP").x = i * 10
    end
    local display = view:display("PlaceCMP")
    check(rawequal(display, view:display("PlaceCMP")))
    equal(#display, 1)
    equal(display[1].x, 100)
    rewind:start()
    rewind:setSpeed(0.5)
    world:update(1)
    equal(view.PlaceCMP[1].x, 80)
    equal(display[1].x, 85)
    equal(rewind:getBlend(), 0.5)
    equal(display[1].label, "")
    local rows, sum = 0, 0
    for i, place in ipairs(display) do rows, sum = rows + i, sum + place.x end
    equal(rows, 1)
    equal(sum, 85)
    raises(function() display[1].x = 3 end)
    raises(function() display[1] = 3 end, "display")
    raises(function() return display[2] end, "row")
    raises(function() view:display("NopeCMP") end, "NopeCMP")
    raises(function() view:display() end, "nil")
    rewind:stop()
    equal(display[1].x, view.PlaceCMP[1].x)
end)

test("what hooks give is blended for display by their lerp", function()
    local world = revenant.World:new()
    local Body = {}
    Body.__index = Body
    function Body:getRewindState() return { x = self.x } end
    function Body:restoreRewindState(state) self.x = state.x end
    function Body:lerpRewindState(a, b, part)
        check(getmetatable(self) == Body)
        return { x = a.x + (b.x - a.x) * part }
    end
    world:defineScriptComponent("BodyCMP", Body)
    world:defineScriptComponent("PlainCMP", {})
    local Clock = revenant.BaseSystem:extend("ClockSys")
    function Clock:init() self.hour = 0 end
    function Clock:tick() self.hour = self.hour + 2 end
    function Clock:getRewindState() return self.hour end
    function Clock:restoreRewindState(hour) self.hour = hour end
    function Clock:lerpRewindState(a, b, part) return a + (b - a) * part end
    local rewind = TimeRewindSys:new(world)
    world:registerSystem(rewind)
    local clock = Clock:new(world)
    world:registerSystem(clock)
    local body, plain = setmetatable({ x = 0 }, Body), { x = 0 }
    scene.spawn(world, "e", { BodyCMP = body, PlainCMP = plain })
    local view = world:getComponentsView(scene.require("BodyCMP", "PlainCMP"))
    for i = 1, 10 do
        world:update(1)
        body.x, plain.x = i * 10, i
    end
    local display = view:display("BodyCMP")
    equal(#display, 1)
    check(rawequal(display[1], body))
    equal(rewind:getDisplayState(clock), nil)
    rewind:start()
    rewind:setSpeed(0.5)
    world:update(1)
    equal(body.x, 80)
    equal(display[1].x, 85)
    check(rawequal(view:display("PlainCMP")[1], plain))
    equal(clock.hour, 16)
    equal(rewind:getDisplayState(clock), 17)
    equal(rewind:getDisplayState("ClockSys"), 17)
    raises(function() rewind:getDisplayState("NopeSys") end, "NopeSys")
    raises(function() rewind:getDisplayState() end, "name")
    raises(function() display[1] = 3 end, "display")
    Body.lerpRewindState = function() error("no way between") end
    raises(function() return display[1] end, "no way between")
    Body.lerpRewindState = function() return { x = print } end
    raises(function() return display[1] end, "lerpRewindState")
    Body.lerpRewindState = function() rewind:clear() end
    pcall(function() return display[1] end)
    Body.lerpRewindState = nil
    check(rawequal(display[1], body))
    rewind:stop()
    check(rawequal(display[1], body))
end)
